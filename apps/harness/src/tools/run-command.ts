import { z } from "zod";
import { runProcess } from "../sandbox/run-process.ts";
import { describeProcess } from "./describe-process.ts";
import { defineTool } from "./tool.ts";

const TIME_LIMIT_MS = 60_000;

export default defineTool({
  name: "run_command",
  description: `Runs a shell command in the package's folder, for at most ${TIME_LIMIT_MS / 1000} seconds.`,
  arguments: z.strictObject({ command: z.string().min(1).describe("Command line for /bin/sh.") }),
  readOnly: false,
  async run({ command }, { root, searchPath, signal, output }) {
    const result = await runProcess("/bin/sh", ["-c", command], {
      cwd: root,
      searchPath,
      timeLimitMs: TIME_LIMIT_MS,
      signal,
      output,
    });
    return { output: describeProcess(result, TIME_LIMIT_MS), exitCode: result.exitCode };
  },
});
