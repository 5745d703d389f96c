/** A file of any format that there is, read whole or not at all. */
import { CentspanError } from "@centspan/base";
import type { InvoiceFormat, InvoiceLine } from "@centspan/model";
import { openFile } from "./open-file.ts";
import { invoiceFormats } from "./registry.gen.ts";

export function readInvoice(name: string, text: string): { format: InvoiceFormat; lines: InvoiceLine[] } {
  const file = openFile(name, text);
  const format = invoiceFormats.find((candidate) => candidate.recognises(file));
  if (format === undefined) {
    const known = invoiceFormats.map(({ describe }) => describe).join("; ");
    throw new CentspanError("invalid_file", `${name}: is none of the known formats: ${known}`, { field: "file" });
  }
  const lines = format.read(file);
  if (lines.length === 0) throw new CentspanError("invalid_file", `${name}: has no lines`, { field: "file" });
  return { format, lines };
}
