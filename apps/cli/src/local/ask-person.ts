/** A question in the terminal, where somebody is there to answer. Line by line, so that Ctrl-C stays a signal. */
import { createInterface } from "node:readline/promises";

/** Null at once where nobody can answer, and where the question was broken off. */
export async function askPerson(question: string, signal: AbortSignal): Promise<string | null> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return null;
  const terminal = createInterface({ input: process.stdin, output: process.stdout, terminal: false });
  try {
    return (await terminal.question(question, { signal })).trim();
  } catch {
    return null;
  } finally {
    terminal.close();
  }
}
