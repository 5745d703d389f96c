/** The text of a file as JSON with its numbers as they were written, or as CSV with its header; refused where it is neither. */
import { CentspanError } from "@centspan/base";
import type { InvoiceFile, InvoiceRecord } from "@centspan/model";
import { parse as parseCsv } from "csv-parse/sync";
import { parse as parseJson } from "lossless-json";

/** What a decoder writes in the place of bytes that are no text: names with it would be nobody's. */
const UNREADABLE = "\uFFFD";

export function openFile(name: string, text: string): InvoiceFile {
  if (text.includes(UNREADABLE)) throw refuse(name, "", "file", "is not UTF-8");
  const content = text.replace(/^\uFEFF/, "");
  if (/^\s*[{[]/.test(content)) return { name, kind: "json", json: readJson(name, content) };
  try {
    const [header, ...records] = readRecords(content);
    if (header === undefined) throw new Error("is empty");
    return { name, kind: "csv", header: header.fields.map((column) => column.trim()), records };
  } catch (cause) {
    throw refuseFile(name, cause);
  }
}

/** Empty lines are no records, and still lines of the file. */
function readRecords(content: string): InvoiceRecord[] {
  const records: InvoiceRecord[] = [];
  parseCsv(content, {
    skip_empty_lines: true,
    relax_column_count: true,
    onRecord(fields: string[], { lines }) {
      records.push({ line: lines, fields });
      return null;
    },
  });
  return records;
}

function readJson(name: string, content: string): unknown {
  try {
    return parseJson(content);
  } catch (cause) {
    throw refuseFile(name, cause);
  }
}

const refuseFile = (name: string, cause: unknown): CentspanError =>
  new CentspanError(
    "invalid_file",
    `${name}: can't be read: ${cause instanceof Error ? cause.message : String(cause)}`,
    {
      cause,
    },
  );

/** What is wrong with a file, by row and field. Nothing of it is taken then. */
export const refuse = (name: string, row: string, field: string, why: string): CentspanError =>
  new CentspanError("invalid_file", `${name}: ${row === "" ? "" : `${row}: `}${field}: ${why}`, { field });
