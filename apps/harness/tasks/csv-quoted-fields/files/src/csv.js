/** A small CSV reader; the dialect is described in the README. */

/** The records of a text, each an array of strings. */
export function parseCsv(text, { delimiter = "," } = {}) {
  const records = [];
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  for (const line of lines) {
    if (line === "") continue;
    records.push(parseLine(line, delimiter));
  }
  return records;
}

function parseLine(line, delimiter) {
  const fields = [];
  let field = "";
  let quoted = false;
  for (const char of line) {
    if (char === '"') {
      quoted = !quoted;
    } else if (char === delimiter && !quoted) {
      fields.push(field);
      field = "";
    } else {
      field += char;
    }
  }
  fields.push(field);
  return fields;
}
