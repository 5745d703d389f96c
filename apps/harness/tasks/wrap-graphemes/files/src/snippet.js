import { measureColumns, splitAtColumn } from "./width.js";
import { wrapText } from "./wrap.js";

/** A box of text: every line padded to the same number of columns, cut after `maxLines`. */
export function renderSnippet(text, { columns, maxLines = 3 }) {
  const lines = wrapText(text, columns);
  const shown = lines.slice(0, maxLines);
  if (lines.length > maxLines) {
    const last = shown[maxLines - 1];
    const head = measureColumns(last) < columns ? last : splitAtColumn(last, columns - 1)[0];
    shown[maxLines - 1] = `${head}…`;
  }
  return shown.map((line) => `│${line}${" ".repeat(Math.max(0, columns - measureColumns(line)))}│`);
}
