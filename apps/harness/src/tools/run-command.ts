import { z } from "zod";
import { describeProcess } from "./describe-process.ts";
import { defineTool } from "./tool.ts";

const TIME_LIMIT_MS = 60_000;

export default defineTool({
  name: "run_command",
  description: `Runs a shell command in the package's folder, for at most ${TIME_LIMIT_MS / 1000} seconds.`,
  arguments: z.strictObject({ command: z.string().min(1).describe("Command line for /bin/sh.") }),
  readOnly: false,
  subject: ({ command }) => ({ kind: "command", text: command }),
  async run({ command }, { root, sandbox, signal, output }) {
    const options = { folder: root, cwd: root, timeLimitMs: TIME_LIMIT_MS, signal, output };
    const result = await sandbox.run("sh", ["-c", command], options);
    return { output: describeProcess(result, TIME_LIMIT_MS), exitCode: result.exitCode };
  },
});
