import { measureColumns, splitAtColumn } from "./width.js";

/**
 * Lines of at most `columns` columns. Breaks at spaces; a word that is longer than a line
 * is cut. Every line holds at least one character, even when that is wider than the line.
 */
export function wrapText(text, columns) {
  if (!Number.isInteger(columns) || columns < 1) throw new RangeError("columns must be a positive integer");
  const lines = [];
  let line = "";
  for (let word of text.split(/\s+/u).filter((part) => part !== "")) {
    if (line !== "" && measureColumns(line) + 1 + measureColumns(word) <= columns) {
      line += ` ${word}`;
      continue;
    }
    if (line !== "") lines.push(line);
    while (measureColumns(word) > columns) {
      const [head, tail] = splitAtColumn(word, columns);
      if (tail === "") break;
      lines.push(head);
      word = tail;
    }
    line = word;
  }
  if (line !== "") lines.push(line);
  return lines;
}
