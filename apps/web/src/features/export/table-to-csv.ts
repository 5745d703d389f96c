/** What stands in a table as CSV, as it stands there. Pure. */

/** A name that begins like a formula is none to whoever opens the file; an amount with a sign is no formula. */
const isFormula = (text: string): boolean =>
  /^[=@\t\r]/.test(text) || (/^[+-]/.test(text) && !/^[+-][$\d.]/.test(text));

function writeCell(text: string): string {
  const folded = text.replace(/\s+/g, " ").trim();
  const safe = isFormula(folded) ? `'${folded}` : folded;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const tableToCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `${cells.map(writeCell).join(",")}\r\n`).join("");
