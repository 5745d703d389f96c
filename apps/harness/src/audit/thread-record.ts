/** The log of one thread, with what its first event says of it. */
import type { Event, EventOf } from "../events/event.ts";

export type ThreadRecord = { start: EventOf<"started">; events: readonly Event[] };

export type Finding = {
  kind: "scope" | "egress" | "budget" | "approval";
  /** What is wrong, in a sentence. */
  says: string;
  runId: string;
  threadId: string;
  at: string;
};

/** A rule looks at one thread; `known` are hosts that were reached before the time looked at. */
export type Rule = (thread: ThreadRecord, known: ReadonlySet<string>) => Finding[];

export const findingOf =
  (kind: Finding["kind"], { start }: ThreadRecord) =>
  (at: string, says: string): Finding => ({ kind, says, runId: start.runId, threadId: start.threadId, at });
