/**
 * What histories say of the work beside calls: folders worked in, commits made, pull requests linked, limits met. Kept between
 * imports, since what became of a commit is known later than the commit. Holds names and times, no text.
 */
import type { CountedEvent } from "@centspan/histories";
import { z } from "zod";

const whoseSchema = z.object({
  format: z.string(),
  sessionId: z.string(),
  rootSessionId: z.string(),
  threadId: z.string(),
  branch: z.string(),
  cwd: z.string(),
  traceId: z.string(),
  atMs: z.number(),
});
/** Whose work it is, and where it stands. */
export type Whose = z.infer<typeof whoseSchema>;

const commitSchema = whoseSchema.extend({ sha: z.string(), spanId: z.string() });
const requestSchema = whoseSchema.extend({ repository: z.string(), number: z.number(), url: z.string() });
const limitSchema = z.object({
  format: z.string(),
  window: z.string(),
  windowMinutes: z.number(),
  resetsAtMs: z.number(),
  usedPercent: z.number(),
});

export const seenWorkSchema = z.object({
  folders: z.record(z.string(), z.tuple([z.number(), z.number()])),
  /** By repository of a folder; the branches that sessions were on. */
  branches: z.array(z.string()),
  commits: z.array(commitSchema),
  requests: z.array(requestSchema),
  limits: z.record(z.string(), limitSchema),
  /** The latest trace of each session. */
  traces: z.record(z.string(), z.string()),
});
export type SeenWork = z.infer<typeof seenWorkSchema>;
export type MadeCommit = SeenWork["commits"][number];
export type LinkedRequest = SeenWork["requests"][number];
export type LimitWindow = SeenWork["limits"][string];

export const emptySeenWork = (): SeenWork => ({
  folders: {},
  branches: [],
  commits: [],
  requests: [],
  limits: {},
  traces: {},
});

export function createSeenWork(before: SeenWork) {
  const seen = structuredClone(before);
  const branches = new Set(seen.branches);
  const requests = new Set(seen.requests.map(({ sessionId, url }) => `${sessionId} ${url}`));
  return {
    note(event: CountedEvent): void {
      const atMs = timeOf(event);
      const { cwd, branch } = event.context;
      if (event.traceId !== "") seen.traces[event.thread.sessionId] = event.traceId;
      if (cwd !== "" && atMs !== null) {
        const [first, last] = seen.folders[cwd] ?? [atMs, atMs];
        seen.folders[cwd] = [Math.min(first, atMs), Math.max(last, atMs)];
        if (branch !== "") branches.add(`${cwd}\n${branch}`);
      }
      if (event.kind === "tool")
        for (const sha of event.commits)
          seen.commits.push({ ...whoseOf(event, toMs(event.endedAtNs)), sha, spanId: event.spanId });
      if (event.kind === "limit") noteLimit(event);
      if (event.kind !== "pullRequest") return;
      const { repository, number, url, atNs } = event;
      // Told again and again.
      const name = `${event.thread.sessionId} ${url}`;
      if (requests.has(name)) return;
      requests.add(name);
      seen.requests.push({ ...whoseOf(event, toMs(atNs)), repository, number, url });
    },
    save: (): SeenWork => ({ ...seen, branches: [...branches] }),
  };

  function whoseOf({ format, thread, context, traceId }: CountedEvent, atMs: number): Whose {
    return {
      format,
      sessionId: thread.sessionId,
      rootSessionId: thread.rootSessionId,
      threadId: thread.threadId,
      branch: context.branch,
      cwd: context.cwd,
      traceId: traceId || (seen.traces[thread.sessionId] ?? ""),
      atMs,
    };
  }

  function noteLimit(event: CountedEvent & { kind: "limit" }): void {
    const { format, window, windowMinutes, usedPercent } = event;
    const resetsAtMs = toMs(event.resetsAtNs);
    // The instant at which it ends is told anew each time, a little otherwise.
    const name = `${format} ${window} ${Math.round(resetsAtMs / 600_000)}`;
    const before = seen.limits[name]?.usedPercent ?? 0;
    seen.limits[name] = { format, window, windowMinutes, resetsAtMs, usedPercent: Math.max(before, usedPercent) };
  }
}

function timeOf(event: CountedEvent): number | null {
  if ("atNs" in event) return toMs(event.atNs);
  return "startedAtNs" in event ? toMs(event.startedAtNs) : null;
}

const toMs = (ns: bigint): number => Number(ns / 1_000_000n);
