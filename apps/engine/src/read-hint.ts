/** What an agent's loop tells beyond its requests, so that the cache keeps what will be asked for again and no more. */
import { CentspanError } from "@centspan/base";
import { z } from "zod";
import type { AgentHint } from "./cluster.ts";

const id = z.string().min(1).max(200);

const hintSchema = z.discriminatedUnion("kind", [
  /** The run is over: none of its threads will ask again. */
  z.strictObject({ kind: z.literal("run_ended"), runId: id }),
  z.strictObject({ kind: z.literal("subagent_returned"), runId: id, threadId: id }),
  /** The thread waits, for a person or a long command: about so long. */
  z.strictObject({
    kind: z.literal("long_wait"),
    runId: id,
    threadId: id,
    expectedMs: z.number().positive().max(1e9).default(600_000),
  }),
]);

const NS_PER_MS = 1e6;

export function readHint(body: unknown): AgentHint {
  const parsed = hintSchema.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.path.map(String).join(".") || "body";
    throw new CentspanError("invalid_request", `${field}: ${issue?.message}`, { field });
  }
  const hint = parsed.data;
  // A run's main thread has the run's own id.
  const thread = { runId: hint.runId, threadId: hint.kind === "run_ended" ? hint.runId : hint.threadId };
  switch (hint.kind) {
    case "run_ended":
      return { ...thread, kind: "run_ended" };
    case "subagent_returned":
      return { ...thread, kind: "ended" };
    case "long_wait":
      return { ...thread, kind: "long_wait", expectedNs: hint.expectedMs * NS_PER_MS };
  }
}
