/**
 * What a provider says was used and what it cost: lines of an invoice, a cost report or a usage report, whatever its
 * format. A format is a plug-in: one file that knows its own files and reads them whole, or refuses them by row and field.
 */
import type { Decimal } from "@centspan/base";
import type { Meter } from "./call.ts";

/** As far as invoices tell meters apart: reasoning is output to them. */
export const INVOICE_METERS = [
  "input",
  "cache_read",
  "cache_write_5m",
  "cache_write_1h",
  "output",
  "web_search",
] as const;
export type InvoiceMeter = (typeof INVOICE_METERS)[number];

export const INVOICE_METER_OF = {
  input: "input",
  cache_read: "cache_read",
  cache_write_5m: "cache_write_5m",
  cache_write_1h: "cache_write_1h",
  output_text: "output",
  output_reasoning: "output",
  web_search: "web_search",
} as const satisfies Record<Meter, InvoiceMeter>;

/** An amount as it is written: with so many decimals, zeros at the end included. */
export type WrittenUsd = { usd: Decimal; decimals: number };

/** Null where the file does not say it. Ids and names are the provider's. */
export type InvoiceLine = {
  /** Where it stands in the file, for people. */
  row: string;
  /** The day that it is booked on (YYYY-MM-DD), which providers mean in UTC. */
  day: string;
  provider: string;
  project: string | null;
  key: string | null;
  model: string | null;
  meter: InvoiceMeter | null;
  quantity: number | null;
  cost: WrittenUsd | null;
  /**
   * What is no usage of its day is matched with none: credits, adjustments such as taxes and rounding, corrections of an
   * earlier bill, and what is bought in advance, less the usage that it covers.
   */
  kind: "usage" | "credit" | "adjustment" | "correction" | "commitment";
  /** The provider's own words for it. */
  description: string;
};

/** A file, parsed as far as its kind goes. Numbers of JSON are still as they were written. */
export type InvoiceFile = { name: string } & (
  | { kind: "json"; json: unknown }
  | { kind: "csv"; header: readonly string[]; records: readonly InvoiceRecord[] }
);
/** `line` is where it ends in the file, the first being 1. */
export type InvoiceRecord = { line: number; fields: readonly string[] };

export type InvoiceFormat = {
  id: string;
  describe: string;
  /** Whether the file is meant to be of this format, by what can't be otherwise; not whether it is right. */
  recognises(file: InvoiceFile): boolean;
  /** Throws `invalid_file` naming file, row and field: of a file with one wrong row nothing is read. */
  read(file: InvoiceFile): InvoiceLine[];
};
export const defineInvoiceFormat = (format: InvoiceFormat): InvoiceFormat => format;
