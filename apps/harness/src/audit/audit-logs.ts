/** Rereads the event logs of a work folder and says what in them should be looked into. */
import { basename, dirname } from "node:path";
import { CentspanError } from "@centspan/base";
import type { Event } from "../events/event.ts";
import { readEventLog } from "../events/event-log.ts";
import { listEventLogs } from "../run/run-folder.ts";
import { RULES } from "./rules.ts";
import type { Finding, ThreadRecord } from "./thread-record.ts";

export type Audit = {
  since: string;
  /** The threads that were looked at, and their logs. */
  read: readonly (ThreadRecord & { file: string })[];
  findings: Finding[];
};

/** Looks at what happened since then; what was before says which hosts are usual. */
export async function auditLogs(workDir: string, since: Date, now: Date): Promise<Audit> {
  const isRecent = ({ at }: { at: string }): boolean => Date.parse(at) >= since.getTime();
  const known = new Set<string>();
  const read: (ThreadRecord & { file: string })[] = [];
  const findings: Finding[] = [];
  for (const file of await listEventLogs(workDir)) {
    const events = tryToRead(file);
    const start = events?.[0];
    if (events === null || start?.type !== "started") {
      const runId = basename(dirname(file));
      const says = "its log can't be read: it was changed by somebody else than the harness";
      findings.push({ kind: "scope", says, runId, threadId: runId, at: now.toISOString() });
      continue;
    }
    for (const event of events) {
      if (event.type === "egress" && event.status !== 403 && !isRecent(event)) known.add(event.host);
    }
    if (events.some(isRecent)) read.push({ start, events, file });
  }
  findings.push(...read.flatMap((thread) => RULES.flatMap((rule) => rule(thread, known))).filter(isRecent));
  findings.sort((a, b) => (a.at < b.at ? -1 : 1));
  return { since: since.toISOString(), read, findings };
}

function tryToRead(file: string): Event[] | null {
  try {
    return readEventLog(file);
  } catch (error) {
    if (error instanceof CentspanError) return null;
    throw error;
  }
}
