/**
 * What work on each branch, or for each pull request, cost, and what became of it. A call is at the place that its trace was
 * at last before it; worktrees of one repository are that repository. A pull request has all that its branch cost before it
 * was opened too. Nothing is counted in two rows.
 */
import { countToDecimal, type Decimal, parseDecimal, sumDecimals, ZERO } from "@centspan/base";
import type { Outcome, PlacedSpend, WorkCost, WorkFacts, WorkGroup, WorkMark, WorkState } from "@centspan/model";
import { groupBy } from "./group-by.ts";
import { createNameSets, createOutcomeNames, namesOfMark } from "./linking/name-sets.ts";

const TWO = countToDecimal(2);
/** Branches that all work goes to by their usual names: nobody abandons them. */
const TRUNKS: ReadonlySet<string> = new Set(["main", "master", "trunk", "develop"]);
const ABANDONED_AFTER_NS = 14n * 86_400_000_000_000n;

type Mark = WorkMark & { task: string; isSession: boolean };

/** The dearest first. Spend of no known place is in no row. */
export function costByWork(facts: WorkFacts, by: WorkGroup, nowNs: bigint): WorkCost[] {
  const placeOf = createPlaces(facts.marks);
  const requestOf = createRequests(facts.marks);
  const nameOf = (traceId: string, sessionId: string, atNs: bigint): { group: string; repository: string } | null => {
    const place = placeOf(traceId, atNs);
    const request = requestOf(place, sessionId, atNs);
    if (by === "pullRequest") return request === "" ? null : { group: request, repository: place?.repository ?? "" };
    return place === null || place.branch === "" ? null : { group: place.branch, repository: place.repository };
  };
  const spend = groupNamed(facts.spend, ({ traceId, sessionId, atNs }) => nameOf(traceId, sessionId, atNs));
  const tests = groupNamed(
    facts.outcomes.filter(({ kind }) => kind === "tests"),
    ({ subject: { traceId, sessionId = "" }, evidence, atNs }) =>
      nameOf(traceId ?? String(evidence.traceId ?? ""), sessionId, atNs),
  );
  const marks = groupNamed(facts.marks, ({ traceId, sessionId, atNs }) => nameOf(traceId, sessionId, atNs));
  const judge = createJudge(facts);
  return [...spend.values()]
    .map(({ name, members }) => {
      const key = keyOf(name);
      const cost = sumSpend(name, members, tests.get(key)?.members ?? []);
      return { ...cost, state: judge(marks.get(key)?.members ?? [], name, by, nowNs - cost.lastNs) };
    })
    .sort((a, b) => b.costUsd.cmp(a.costUsd) || (a.group < b.group ? -1 : 1));
}

type Name = { group: string; repository: string };
const keyOf = ({ repository, group }: Name): string => `${repository} ${group}`;

function groupNamed<T>(members: readonly T[], nameOf: (one: T) => Name | null) {
  const groups = new Map<string, { name: Name; members: T[] }>();
  for (const one of members) {
    const name = nameOf(one);
    if (name === null) continue;
    const group = groups.get(keyOf(name)) ?? { name, members: [] };
    group.members.push(one);
    groups.set(keyOf(name), group);
  }
  return groups;
}

/** The last place with a branch that the trace was at by then; before all of them the first. */
function createPlaces(marks: readonly WorkMark[]): (traceId: string, atNs: bigint) => WorkMark | null {
  const placed = groupBy(
    marks.filter(({ branch, traceId }) => branch !== "" && traceId !== "").toSorted(compareTime),
    ({ traceId }) => traceId,
  );
  return (traceId, atNs) => {
    const own = placed.get(traceId) ?? [];
    return own.findLast((mark) => mark.atNs <= atNs) ?? own[0] ?? null;
  };
}

/** Of several requests of one branch, or session, the next to be opened; after all of them the last. */
function createRequests(marks: readonly WorkMark[]) {
  const told = marks.filter(({ pullRequest }) => pullRequest !== "").toSorted(compareTime);
  const ofBranch = groupBy(
    told.filter(({ branch }) => branch !== ""),
    ({ repository, branch }) => `${repository} ${branch}`,
  );
  const ofSession = groupBy(
    told.filter(({ branch }) => branch === ""),
    ({ sessionId }) => sessionId,
  );
  return (place: WorkMark | null, sessionId: string, atNs: bigint): string => {
    const own =
      (place && ofBranch.get(`${place.repository} ${place.branch}`)) ?? (sessionId && ofSession.get(sessionId)) ?? [];
    const list = own === "" ? [] : own;
    return (list.find((mark) => mark.atNs >= atNs) ?? list.at(-1))?.pullRequest ?? "";
  };
}

const compareTime = (a: WorkMark, b: WorkMark): number => (a.atNs < b.atNs ? -1 : a.atNs > b.atNs ? 1 : 0);

const sortTimes = (rows: readonly { atNs: bigint }[]): bigint[] =>
  rows.map(({ atNs }) => atNs).sort((a, b) => (a < b ? -1 : 1));

function sumSpend({ group, repository }: Name, spend: readonly PlacedSpend[], tests: readonly Outcome[]) {
  const [greenNs = null] = sortTimes(tests.filter(({ status }) => status === "passed"));
  const times = sortTimes(spend);
  const sum = (rows: readonly PlacedSpend[]): Decimal => sumDecimals(rows.map(({ costUsd }) => costUsd));
  const costUsd = sum(spend);
  const toGreenUsd = greenNs === null ? null : sum(spend.filter(({ atNs }) => atNs <= greenNs));
  return {
    group,
    repository,
    costUsd,
    calls: spend.reduce((all, { calls }) => all + calls, 0),
    unpricedCalls: spend.reduce((all, { unpricedCalls }) => all + unpricedCalls, 0),
    sessions: new Set(spend.map(({ sessionId, traceId }) => sessionId || traceId)).size,
    firstNs: times[0] ?? 0n,
    lastNs: times.at(-1) ?? 0n,
    testRuns: tests.length,
    toGreenUsd,
    afterGreenUsd: toGreenUsd && costUsd.minus(toGreenUsd),
  };
}

/** By what is said of its commits, its changes and its request, each by its last word. */
function createJudge({ marks, outcomes }: WorkFacts) {
  const tasked: Mark[] = marks.map((mark) => ({ ...mark, task: mark.sessionId, isSession: true }));
  const namesOf = createOutcomeNames(tasked);
  const said = outcomes.filter(({ kind }) => kind !== "tests");
  const sets = createNameSets([...said.map(namesOf), ...tasked.map(namesOfMark)]);
  const byName = groupBy(said, (outcome) => sets.find(namesOf(outcome)) ?? "");
  return (own: readonly WorkMark[], { group, repository }: Name, by: WorkGroup, idleNs: bigint): WorkState => {
    const names = new Set(own.flatMap((mark) => sets.find(namesOfMark({ ...mark, task: "", isSession: true })) ?? []));
    const ofNames = [...names].flatMap((name) => byName.get(name) ?? []);
    const ofBranch =
      by === "branch"
        ? said.filter(({ subject }) => subject.repository === repository && subject.branch === group)
        : [];
    return readState([...new Set([...ofNames, ...ofBranch])], idleNs, by === "branch" && TRUNKS.has(group));
  };
}

function readState(said: readonly Outcome[], idleNs: bigint, isTrunk: boolean): WorkState {
  const last = new Map<string, Outcome>();
  for (const outcome of said.toSorted((a, b) => (a.atNs < b.atNs ? -1 : 1)))
    last.set(outcome.subject.pullRequest ?? outcome.subject.commit ?? outcome.subject.patchId ?? "", outcome);
  const words = [...last.values()];
  const isGood = ({ status }: Outcome): boolean => status === "passed";
  const bad = words.filter((outcome) => !isGood(outcome));
  const wasTaken = said.some(isGood);
  if (bad.length > 0) {
    if (!wasTaken) return "refused";
    return words.some((one) => isGood(one) && one.subject.pullRequest === undefined) ? "partly_reverted" : "reverted";
  }
  if (words.some(({ kind }) => kind === "approved")) return "merged";
  if (words.length > 0) return "taken";
  return idleNs > ABANDONED_AFTER_NS && !isTrunk ? "abandoned" : "open";
}

export const sumStates = (rows: readonly WorkCost[], states: readonly WorkState[]): Decimal =>
  rows.filter(({ state }) => states.includes(state)).reduce((sum, { costUsd }) => sum.plus(costUsd), ZERO);

/** Requests where they tell of at least half of what branches tell of, else branches. */
export const choosesRequests = (requests: { placedUsd: string }, branches: { placedUsd: string }): boolean =>
  parseDecimal(requests.placedUsd).times(TWO).gte(parseDecimal(branches.placedUsd));
