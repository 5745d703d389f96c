/** What tools of a made-up run share; programs run unconfined. */
import { openUnconfined } from "../sandbox/unconfined.ts";
import type { RunContext } from "../tools/tool.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

export const createRunContext = async (root: string): Promise<RunContext> => ({
  root,
  sandbox: openUnconfined(process.env.PATH ?? ""),
  outputsDir: await createTemporaryFolder(),
  outputTokens: 10_000,
  signal: new AbortController().signal,
});
