/** A finished program as the model reads it: the exit code first, then what it wrote. */
import type { CutOutput } from "../sandbox/cut-output.ts";
import type { ProcessResult } from "../sandbox/run-process.ts";
import { toPlainText } from "./plain-text.ts";

export function describeProcess(result: ProcessResult, timeLimitMs: number): CutOutput {
  const head = [`exit code: ${result.exitCode}`];
  if (result.timedOut) head.push(`stopped: it ran longer than ${timeLimitMs / 1000} seconds`);
  const { totalBytes, truncated } = result.output;
  return { text: [...head, toPlainText(result.output)].join("\n"), totalBytes, truncated };
}
