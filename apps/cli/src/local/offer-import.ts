/** On a first start: says that there are histories on this disk and how to read them; asks where somebody is there to answer. */
import { homedir } from "node:os";
import { createInterface } from "node:readline/promises";
import { historyFormats } from "@centspan/histories";
import { formatBytes } from "@centspan/ui/format";
import { findHistories, sumBytes } from "./find-histories.ts";

/** Null where there is nothing to offer. */
export async function describeOffer(): Promise<string | null> {
  const { files } = await findHistories(historyFormats, { home: homedir(), environment: process.env });
  if (files.length === 0) return null;
  const agents = [...new Set(files.map(({ format }) => format.agent))].join(" and ");
  return `${agents} left ${files.length.toLocaleString("en-US")} histories (${formatBytes(sumBytes(files))}) on this disk: what they cost and what was paid twice can be read from them, metadata only.`;
}

/** False at once where nobody can answer, and where the answer is not yes. Never a yes that nobody gave. */
export async function askToImport(question: string, signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
  // Line by line, as the terminal gives it: Ctrl-C stays a signal, and stops the stack.
  const terminal = createInterface({ input: process.stdin, output: process.stdout, terminal: false });
  try {
    return /^y(es)?$/i.test((await terminal.question(question, { signal })).trim());
  } catch {
    return false;
  } finally {
    terminal.close();
  }
}
