/** No confinement: programs have the rights of whoever runs the harness, and its network. What is left is a clean environment. */
import { runProcess } from "./run-process.ts";
import type { Sandbox } from "./sandbox.ts";

export const openUnconfined = (searchPath: string): Sandbox => ({
  kind: "none",
  describe: "nothing confines programs",
  run: (file, args, options) => runProcess(file, args, { ...options, searchPath }),
});
