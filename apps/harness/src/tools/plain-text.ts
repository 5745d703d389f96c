/** What a program wrote for a terminal, as text for a model: no escape sequences, no overwritten lines, no binary data. */
import { stripVTControlCharacters } from "node:util";
import type { CutOutput } from "../sandbox/cut-output.ts";

export function toPlainText({ text, totalBytes }: CutOutput): string {
  if (text.includes("\0")) return `(binary output of ${totalBytes} bytes is not shown)`;
  return (
    stripVTControlCharacters(text)
      .replaceAll("\r\n", "\n")
      // A progress bar goes back to the start of its line: what it shows last counts.
      .replace(/[^\n]*\r(?=[^\n])/g, "")
      .replace(/(?![\n\t])\p{Cc}/gu, "")
  );
}
