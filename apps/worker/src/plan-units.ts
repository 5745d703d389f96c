/**
 * News → what is to be rated, each unit once, so that progress can be recorded after any of them: everything of a later
 * unit was received after everything of an earlier one, or will be listed again with the news that it goes with.
 */
import type { UsageChange, UsageUnit } from "@centspan/model";

export type PlannedUnit = {
  workspace: string;
  unit: UsageUnit;
  /** Once this and all units before it are rated, whatever was received until then is. */
  receivedAtNs: bigint;
  changes: UsageChange[];
};

/** Records of a session so close in time are read together, as what belongs to them is mostly the same; up to a length. */
const GAP_NS = 30_000_000_000n;
const LONGEST_NS = 120_000_000_000n;

export function planUnits(changes: readonly UsageChange[]): PlannedUnit[] {
  const traces = new Map<string, PlannedUnit>();
  const records = new Map<string, PlannedUnit[]>();
  for (const change of changes) {
    const { workspace, unit, receivedAtNs } = change;
    const planned = { workspace, unit, receivedAtNs, changes: [change] };
    if (unit.kind === "trace") {
      const key = JSON.stringify([workspace, unit.traceId]);
      const before = traces.get(key);
      traces.set(key, before ? joinUnits(before, planned) : planned);
    } else {
      const key = JSON.stringify([workspace, unit.sessionId]);
      records.set(key, [...(records.get(key) ?? []), planned]);
    }
  }
  const stretches = [...records.values()].flatMap(joinStretches);
  return [...traces.values(), ...stretches].sort((a, b) => compare(a.receivedAtNs, b.receivedAtNs));
}

const joinUnits = (a: PlannedUnit, b: PlannedUnit): PlannedUnit => ({
  ...a,
  receivedAtNs: earlier(a.receivedAtNs, b.receivedAtNs),
  changes: [...a.changes, ...b.changes],
});

/** Of one session. */
function joinStretches(units: readonly PlannedUnit[]): PlannedUnit[] {
  const joined: PlannedUnit[] = [];
  for (const next of units.toSorted((a, b) => compare(startOf(a), startOf(b)))) {
    const last = joined.at(-1);
    const stretch = last && joinStretch(last.unit, next.unit);
    if (last && stretch) joined[joined.length - 1] = { ...joinUnits(last, next), unit: stretch };
    else joined.push(next);
  }
  return joined;
}

/** Null where the two are better read apart. */
function joinStretch(a: UsageUnit, b: UsageUnit): UsageUnit | null {
  if (a.kind !== "session" || b.kind !== "session") return null;
  const toNs = later(a.toNs, b.toNs);
  return b.fromNs - a.toNs > GAP_NS || toNs - a.fromNs > LONGEST_NS ? null : { ...a, toNs };
}

const startOf = ({ unit }: PlannedUnit): bigint => (unit.kind === "session" ? unit.fromNs : 0n);

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
const earlier = (a: bigint, b: bigint): bigint => (compare(a, b) <= 0 ? a : b);
const later = (a: bigint, b: bigint): bigint => (compare(a, b) >= 0 ? a : b);
