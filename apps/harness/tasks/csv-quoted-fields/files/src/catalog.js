import { parseCsv } from "./csv.js";

const REQUIRED = ["sku", "title", "price", "description"];

/** Documents of an export; `{ sku, title, priceCents, description, tags }`. */
export function readCatalog(text) {
  const [header, ...records] = parseCsv(text);
  if (!header) return [];
  const columns = new Map(header.map((name, index) => [name.trim().toLowerCase(), index]));
  for (const name of REQUIRED) {
    if (!columns.has(name)) throw new RangeError(`the export has no column "${name}"`);
  }
  return records.map((record, index) => {
    const value = (name) => record[columns.get(name)] ?? "";
    return {
      sku: value("sku"),
      title: value("title"),
      priceCents: parsePriceCents(value("price"), index + 1),
      description: value("description"),
      tags: value("tags").split("|").filter((tag) => tag !== ""),
    };
  });
}

function parsePriceCents(text, recordNumber) {
  const match = /^(\d+)(?:\.(\d{2}))?$/.exec(text);
  if (!match) throw new RangeError(`record ${recordNumber}: not a price: ${JSON.stringify(text)}`);
  return Number(match[1]) * 100 + Number(match[2] ?? 0);
}
