/**
 * What work on each branch, or for each pull request, cost, and what became of it. Nothing is counted in two rows. Spend of a
 * trace comes in one, but where parts of it are of different work, or after the first passing test run: there by seconds.
 */
import { countToDecimal, type Decimal, parseDecimal, sumDecimals } from "@centspan/base";
import type { Outcome, PlacedSpend, WorkCost, WorkFacts, WorkGroup, WorkMark, WorkState } from "@centspan/model";
import { groupBy } from "./group-by.ts";
import { createNameSets, createOutcomeNames, namesOfMark } from "./linking/name-sets.ts";
import { createWorkNames, keyOf, type WorkName, type WorkNames } from "./work-names.ts";

const TWO = countToDecimal(2);
/** Branches that all work goes to by their usual names: nobody abandons them. */
const TRUNKS: ReadonlySet<string> = new Set(["main", "master", "trunk", "develop"]);
const ABANDONED_AFTER_NS = 14n * 86_400_000_000_000n;

/** The dearest first. Spend of no known place is in no row. */
export function costByWork(
  facts: WorkFacts,
  by: WorkGroup,
  nowNs: bigint,
  { nameOf }: WorkNames = createWorkNames(facts.marks, by),
): WorkCost[] {
  const spend = groupNamed(facts.spend, ({ traceId, sessionId, atNs }) => nameOf(traceId, sessionId, atNs));
  const tests = groupTests(facts, nameOf);
  const marks = groupNamed(facts.marks, ({ traceId, sessionId, atNs }) => nameOf(traceId, sessionId, atNs));
  const judge = createJudge(facts);
  return [...spend.values()]
    .map(({ name, members }) => {
      const cost = sumSpend(name, members, tests.get(name.key)?.members ?? []);
      return { ...cost, state: judge(marks.get(name.key)?.members ?? [], name, by, nowNs - cost.lastNs) };
    })
    .sort((a, b) => b.costUsd.cmp(a.costUsd) || (a.group < b.group ? -1 : 1));
}

/** Traces whose spend is needed second by second: it is of different work, or goes on after the first passing test run. */
export function listCutTraces(
  facts: WorkFacts,
  by: WorkGroup,
  { nameOf, isOne }: WorkNames = createWorkNames(facts.marks, by),
): string[] {
  const tests = groupTests(facts, nameOf);
  const greens = new Map([...tests].map(([key, { members }]) => [key, findGreen(members)]));
  const isCut = (spend: PlacedSpend): boolean => {
    if (!isOne(spend)) return true;
    const name = nameOf(spend.traceId, spend.sessionId, spend.atNs);
    const greenNs = name && greens.get(name.key);
    return greenNs != null && spend.atNs <= greenNs && greenNs < spend.lastNs;
  };
  return [...new Set(facts.spend.filter(isCut).map(({ traceId }) => traceId))];
}

const groupTests = ({ outcomes }: WorkFacts, nameOf: WorkNames["nameOf"]) =>
  groupNamed(
    outcomes.filter(({ kind }) => kind === "tests"),
    ({ subject: { traceId, sessionId = "" }, evidence, atNs }) =>
      nameOf(traceId ?? String(evidence.traceId ?? ""), sessionId, atNs),
  );

function groupNamed<T>(members: readonly T[], nameOf: (one: T) => WorkName | null) {
  const groups = new Map<string, { name: WorkName; members: T[] }>();
  for (const one of members) {
    const name = nameOf(one);
    if (name === null) continue;
    const group = groups.get(name.key);
    if (group) group.members.push(one);
    else groups.set(name.key, { name, members: [one] });
  }
  return groups;
}

const earlier = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const later = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** When its first test run passed. */
const findGreen = (tests: readonly Outcome[]): bigint | null =>
  tests
    .filter(({ status }) => status === "passed")
    .reduce<bigint | null>((first, { atNs }) => (first === null ? atNs : earlier(first, atNs)), null);

function sumSpend({ group, repository }: WorkName, spend: readonly PlacedSpend[], tests: readonly Outcome[]) {
  const greenNs = findGreen(tests);
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
    firstNs: spend.reduce((first, { atNs }) => earlier(first, atNs), spend[0]?.atNs ?? 0n),
    lastNs: spend.reduce((last, { lastNs }) => later(last, lastNs), 0n),
    testRuns: tests.length,
    toGreenUsd,
    afterGreenUsd: toGreenUsd && costUsd.minus(toGreenUsd),
  };
}

/** By what is said of its commits, its changes and its request, each by its last word. */
function createJudge({ marks, outcomes }: WorkFacts) {
  const namesOf = createOutcomeNames(marks);
  const said = outcomes.filter(({ kind }) => kind !== "tests");
  const sets = createNameSets([...said.map(namesOf), ...marks.map(namesOfMark)]);
  const byName = groupBy(said, (outcome) => sets.find(namesOf(outcome)) ?? "");
  const byBranch = groupBy(said, ({ subject: { repository = "", branch = "" } }) => keyOf(repository, branch));
  return (own: readonly WorkMark[], name: WorkName, by: WorkGroup, idleNs: bigint): WorkState => {
    const names = new Set(own.flatMap((mark) => sets.find(namesOfMark(mark)) ?? []));
    const ofNames = [...names].flatMap((name) => byName.get(name) ?? []);
    const ofBranch = by === "branch" ? (byBranch.get(name.key) ?? []) : [];
    return readState([...new Set([...ofNames, ...ofBranch])], idleNs, by === "branch" && TRUNKS.has(name.group));
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
  sumDecimals(rows.filter(({ state }) => states.includes(state)).map(({ costUsd }) => costUsd));

/** Requests where they tell of at least half of what branches tell of, else branches. */
export const choosesRequests = (requests: { placedUsd: string }, branches: { placedUsd: string }): boolean =>
  parseDecimal(requests.placedUsd).times(TWO).gte(parseDecimal(branches.placedUsd));
