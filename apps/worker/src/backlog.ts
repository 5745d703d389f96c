/**
 * What waits apart from the rest, so that it does not hold up the others: units of which very much is new, those that
 * are very large, which rest after each rating, and those that failed, which are tried again with growing pauses. The
 * backlog keeps their news, in memory only: whoever records progress must not record past `sinceNs`, unless the news is
 * of what is kept as unrated, from which it can be taken up again.
 */
import type { UsageChange } from "@centspan/model";
import type { PlannedUnit } from "./plan-units.ts";

/** As many records as a unit may have to be rated in line with others. */
export const LARGE_RECORDS = 20_000;
/** A large unit takes at most half of the time, however it grows. */
const REST = 1;
const FIRST_PAUSE_MS = 10_000;
const MAX_PAUSE_MS = 600_000;

export type Backlog = {
  /** To be planned together with what is new. */
  listChanges(): UsageChange[];
  /** Parts a plan: what can be rated in line, and what is kept, of which some is due. */
  part(plan: readonly PlannedUnit[]): { inLine: PlannedUnit[]; due: PlannedUnit[] };
  /** It is in work: its further news waits. */
  begin(planned: PlannedUnit): void;
  /** It is no longer in work, and due again. */
  abandon(planned: PlannedUnit): void;
  /** It was rated. */
  finish(planned: PlannedUnit, cost: { records: number; tookMs: number }): void;
  /** It failed, and is tried again; `isKept` where it is not only here that it is known. */
  postpone(planned: PlannedUnit, isKept: boolean): void;
  /** What is kept elsewhere, as unrated, is due. */
  resume(changes: readonly UsageChange[]): void;
  /** When the oldest of what waits only here was received. */
  sinceNs(): bigint | null;
};

/** A trace or session that had its turn and is not to have the next at once. */
type Pause = { failures: number; untilMs: number };

export function createBacklog(nowMs: () => number): Backlog {
  const held = new Set<UsageChange>();
  const keptElsewhere = new WeakSet<UsageChange>();
  const pauses = new Map<string, Pause>();
  const keep = ({ changes }: PlannedUnit): void => {
    for (const change of changes) held.add(change);
  };
  const pauseUntil = (planned: PlannedUnit, untilMs: number): void => {
    const subject = subjectOf(planned);
    pauses.set(subject, { failures: pauses.get(subject)?.failures ?? 0, untilMs });
  };
  /** Whatever keeps its size shows it again with its next news. */
  const forgetRested = (): void => {
    for (const [subject, { failures, untilMs }] of pauses)
      if (failures === 0 && untilMs + MAX_PAUSE_MS <= nowMs()) pauses.delete(subject);
  };
  return {
    listChanges: () => [...held],
    part(plan) {
      const inLine: PlannedUnit[] = [];
      const due: PlannedUnit[] = [];
      forgetRested();
      for (const planned of plan) {
        const pause = pauses.get(subjectOf(planned));
        if (!pause && countRecords(planned) <= LARGE_RECORDS) {
          inLine.push(planned);
          continue;
        }
        keep(planned);
        if (!pause || pause.untilMs <= nowMs()) due.push(planned);
      }
      return { inLine, due };
    },
    begin: (planned) => pauseUntil(planned, Number.POSITIVE_INFINITY),
    abandon: (planned) => pauseUntil(planned, nowMs()),
    finish(planned, { records, tookMs }) {
      for (const change of planned.changes) held.delete(change);
      const subject = subjectOf(planned);
      if (records > LARGE_RECORDS) pauses.set(subject, { failures: 0, untilMs: nowMs() + REST * tookMs });
      else pauses.delete(subject);
    },
    postpone(planned, isKept) {
      keep(planned);
      if (isKept) for (const change of planned.changes) keptElsewhere.add(change);
      const subject = subjectOf(planned);
      const failures = (pauses.get(subject)?.failures ?? 0) + 1;
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), MAX_PAUSE_MS);
      pauses.set(subject, { failures, untilMs: nowMs() + pauseMs });
    },
    sinceNs() {
      let sinceNs: bigint | null = null;
      for (const change of held)
        if (!keptElsewhere.has(change) && (sinceNs === null || change.receivedAtNs < sinceNs))
          sinceNs = change.receivedAtNs;
      return sinceNs;
    },
    resume(changes) {
      for (const change of changes) {
        held.add(change);
        keptElsewhere.add(change);
      }
    },
  };
}

export const countRecords = ({ changes }: PlannedUnit): number =>
  changes.reduce((sum, { records }) => sum + records, 0);

/** All stretches of a session share one, as they grow together and apart. */
const subjectOf = ({ workspace, unit }: PlannedUnit): string =>
  JSON.stringify(unit.kind === "trace" ? [workspace, unit.traceId] : [workspace, "session", unit.sessionId]);
