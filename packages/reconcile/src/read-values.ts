/**
 * Values of invoices, as zod schemas for JSON and as readers of CSV's text: exact amounts, counts that are none below zero
 * and no fractions. What is wrong is refused by row and field, an unknown field or column as much as a missing one.
 */
import { type CentspanError, countToDecimal, parseNumeric, ZERO } from "@centspan/base";
import {
  INVOICE_METERS,
  type InvoiceFile,
  type InvoiceLine,
  type InvoiceMeter,
  type WrittenUsd,
} from "@centspan/model";
import { isLosslessNumber } from "lossless-json";
import { z } from "zod";
import { refuse } from "./open-file.ts";

export function readUsd(text: string): WrittenUsd | null {
  const usd = parseNumeric(text);
  if (usd === null) return null;
  const [, fraction = "", exponent = "0"] = /^-?\d+(?:\.(\d+))?(?:e(.+))?$/i.exec(text) ?? [];
  return { usd, decimals: Math.max(0, fraction.length - Number(exponent)) };
}

/** More tokens than that of one meter on one day is a mistake. */
const MOST = 10 ** 15;
export function readCount(text: string): number | null {
  const amount = parseNumeric(text);
  if (amount === null) return null;
  const count = Number(amount.toFixed());
  return Number.isSafeInteger(count) && count >= 0 && count <= MOST && amount.eq(countToDecimal(count)) ? count : null;
}

const numberText = z.custom<unknown>(isLosslessNumber, "is not a number").transform(String);
/** A JSON number, or text, that is an exact amount. */
export const usd = numberText.or(z.string()).transform((text, context): WrittenUsd => {
  const amount = readUsd(text);
  if (amount !== null) return amount;
  context.addIssue({ code: "custom", message: `${JSON.stringify(text)} is not an amount` });
  return z.NEVER;
});
export const count = numberText.transform((text, context): number => {
  const whole = readCount(text);
  if (whole !== null) return whole;
  context.addIssue({
    code: "custom",
    message: `${text} is not a count: a whole number, not below 0, of at most ${MOST}`,
  });
  return z.NEVER;
});
export const name = z.string().min(1).nullable().optional();

/** Parses the JSON of a file; the error names the first field that is wrong, or unknown, by its path. */
export function parseFile<T extends z.ZodType>(file: InvoiceFile, schema: T): z.output<T> {
  if (file.kind !== "json") throw refuse(file.name, "", "file", "is not JSON");
  const parsed = schema.safeParse(file.json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const isUnknown = issue?.code === "unrecognized_keys";
  const path = (isUnknown ? [...issue.path, issue.keys[0] ?? ""] : (issue?.path ?? [])).map(String);
  const why = isUnknown ? "is not a field of this report: has its format changed?" : (issue?.message ?? "is wrong");
  throw refuse(file.name, path.slice(0, -1).join("."), path.at(-1) ?? "file", why);
}

export const hasColumns = (file: InvoiceFile, columns: readonly string[]): boolean =>
  file.kind === "csv" && columns.every((column) => file.header.includes(column));

/** A page of several holds a part of the bill, and must not pass for the whole. */
export function requireWhole(file: InvoiceFile, hasMore: boolean): void {
  if (hasMore) throw refuse(file.name, "", "has_more", "is true: the file is one page of several, join them first");
}

export type CsvRow = {
  row: string;
  /** "" where the field is empty. */
  text(column: string): string;
  usd(column: string): WrittenUsd;
  count(column: string): number;
  day(column: string): string;
  fail(column: string, why: string): CentspanError;
};

/** Rows of a file that has these columns and no others; some may be left out. */
export function readCsvRows(file: InvoiceFile, columns: readonly string[], optional: readonly string[] = []): CsvRow[] {
  if (file.kind !== "csv") throw refuse(file.name, "", "file", "is not CSV");
  const { name: fileName, header, records } = file;
  const missing = columns.find((column) => !header.includes(column));
  if (missing !== undefined) throw refuse(fileName, "header", missing, "is missing: have the columns changed?");
  const unknown = header.find((column) => ![...columns, ...optional].includes(column));
  if (unknown !== undefined)
    throw refuse(fileName, "header", unknown, "is not a column of this file: have they changed?");
  const twice = header.find((column, index) => header.indexOf(column) !== index);
  if (twice !== undefined) throw refuse(fileName, "header", twice, "is there twice");
  return records.map(({ line, fields }) => toRow(fileName, header, fields, `row ${line}`));
}

function toRow(file: string, header: readonly string[], record: readonly string[], row: string): CsvRow {
  if (record.length !== header.length) {
    throw refuse(file, row, header[record.length] ?? "row", `has ${record.length} fields, the header ${header.length}`);
  }
  const text = (column: string): string => record[header.indexOf(column)]?.trim() ?? "";
  const fail = (column: string, why: string) => refuse(file, row, column, `${JSON.stringify(text(column))} ${why}`);
  return {
    row,
    text,
    fail,
    usd(column) {
      const amount = readUsd(text(column));
      if (amount === null) throw fail(column, "is not an amount");
      return amount;
    },
    count(column) {
      const whole = readCount(text(column));
      if (whole === null) throw fail(column, "is not a count: a whole number, not below 0");
      return whole;
    },
    day(column) {
      if (!isDay(text(column))) throw fail(column, "is not a day such as 2026-10-31");
      return text(column);
    },
  };
}

const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;

/** What is below zero was not used. */
export const kindOf = ({ usd }: WrittenUsd): InvoiceLine["kind"] => (usd.lt(ZERO) ? "credit" : "usage");

export const isUsd = (currency: string): boolean => currency.toUpperCase() === "USD";

const DAY_S = 86_400;
/** The day of UTC that a bucket of Unix seconds is within; null where it is more. */
export function dayOfBucket(startS: number, endS: number): string | null {
  const isWithin = endS > startS && Math.floor(startS / DAY_S) === Math.floor((endS - 1) / DAY_S);
  return isWithin ? new Date(startS * 1000).toISOString().slice(0, 10) : null;
}

/** The meters of which something was used, with how much. */
export const listUsed = (counts: Partial<Record<InvoiceMeter, number>>): { meter: InvoiceMeter; quantity: number }[] =>
  INVOICE_METERS.flatMap((meter) => {
    const quantity = counts[meter] ?? 0;
    return quantity === 0 ? [] : [{ meter, quantity }];
  });
