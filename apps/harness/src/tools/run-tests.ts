import { z } from "zod";
import { describeProcess } from "./describe-process.ts";
import { defineTool } from "./tool.ts";

const TIME_LIMIT_MS = 60_000;
const RUN = ["--test", "--test-reporter=spec"];

export default defineTool({
  name: "run_tests",
  description: "Runs the package's tests; the answer starts with their exit code.",
  arguments: z.strictObject({}),
  readOnly: false,
  subject: () => ({ kind: "command", text: ["node", ...RUN].join(" ") }),
  async run(_args, { root, sandbox, signal, output }) {
    const result = await sandbox.run("node", RUN, {
      folder: root,
      cwd: root,
      timeLimitMs: TIME_LIMIT_MS,
      signal,
      output,
    });
    const tests = countTests(result.output.text);
    return {
      output: describeProcess(result, TIME_LIMIT_MS),
      exitCode: result.exitCode,
      ...(tests === null ? {} : { tests }),
    };
  },
});

/** Counts from the reporter's closing lines (`ℹ pass 5`); null when the run did not get that far. For display only. */
export function countTests(report: string): { passed: number; failed: number } | null {
  const last = (label: string) => [...report.matchAll(new RegExp(`^ℹ ${label} (\\d+)$`, "gm"))].at(-1)?.[1];
  const passed = last("pass");
  const failed = last("fail");
  const cancelled = last("cancelled") ?? "0";
  if (passed === undefined || failed === undefined) return null;
  return { passed: Number(passed), failed: Number(failed) + Number(cancelled) };
}
