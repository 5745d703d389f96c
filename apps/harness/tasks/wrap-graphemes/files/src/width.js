/** How many terminal columns a text takes. */
export function measureColumns(text) {
  return text.length;
}

/** The longest start of a text that fits into `columns`, and the rest: `[head, tail]`. */
export function splitAtColumn(text, columns) {
  return [text.slice(0, columns), text.slice(columns)];
}
