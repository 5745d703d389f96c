/** Two runs turn by turn: where they part, what each cost before and from there, which tools they called, where time went. */
import { type Decimal, formatDecimal, sumDecimals } from "@centspan/base";
import { type ComparedTurn, type RunComparison, type SpanPlace, WORK_KINDS } from "@centspan/model";
import { findParting } from "./find-parting.ts";
import { listTurns, nameTool, type TraceFacts, type Turn } from "./list-turns.ts";
import { sumWorkTime } from "./sum-work-time.ts";

type Walked = NonNullable<RunComparison["walked"]>;
type Pair<T> = [first: T, second: T];

const each = <T, U>([first, second]: Pair<T>, read: (one: T) => U): Pair<U> => [read(first), read(second)];

/** Turns that are listed; counts and costs are of all. */
const MOST_TURNS = 500;
/** Of them those that are listed before the parting, where it is too far from the first. */
const TURNS_BEFORE = 50;

const chooseFirst = (parting: number, longest: number): number =>
  parting < MOST_TURNS ? 0 : Math.max(0, Math.min(parting - TURNS_BEFORE, longest - MOST_TURNS));

export function compareRuns(runs: Pair<TraceFacts>): Walked {
  const turns = each(runs, listTurns);
  const [first, second] = turns;
  const found = findParting(first, second);
  const longest = Math.max(first.length, second.length);
  const listedFrom = chooseFirst(found?.at ?? 0, longest);
  const listed = Math.min(MOST_TURNS, longest - listedFrom);
  return {
    turnCount: each(turns, ({ length }) => length),
    turns: Array.from({ length: listed }, (_, n) => each(turns, (own) => describeTurn(own[listedFrom + n]))),
    listedFrom,
    parting: found && {
      ...found,
      beforeUsd: each(turns, (own) => writeCost(own.slice(0, found.at))),
      fromUsd: each(turns, (own) => writeCost(own.slice(found.at))),
    },
    time: compareTime(runs),
    tools: compareTools(turns),
  };
}

const listCosts = (turns: readonly Turn[]): Decimal[] =>
  turns.flatMap(({ calls }) => calls.flatMap(({ costUsd }) => costUsd ?? []));
const writeCost = (turns: readonly Turn[]): string => formatDecimal(sumDecimals(listCosts(turns)));

function describeTurn(turn: Turn | undefined): ComparedTurn | null {
  if (turn === undefined) return null;
  const { number, place, calls, tools } = turn;
  const sum = (read: (buckets: Turn["calls"][number]["buckets"]) => number): number =>
    calls.reduce((total, { buckets }) => total + read(buckets), 0);
  return {
    number,
    ...place,
    costUsd: listCosts([turn]).length === 0 ? null : writeCost([turn]),
    promptTokens: sum(
      ({ input, cacheRead, cacheWrite5m, cacheWrite1h }) => input + cacheRead + cacheWrite5m + cacheWrite1h,
    ),
    outputTokens: sum(({ outputText, outputReasoning }) => outputText + outputReasoning),
    calls: calls.length,
    tools: tools.map(nameTool),
  };
}

function compareTime(runs: Pair<TraceFacts>): Walked["time"] {
  const spent = each(runs, sumWorkTime);
  return WORK_KINDS.map((kind) => ({ kind, seconds: each(spent, (own) => own.get(kind) ?? 0) })).filter(({ seconds }) =>
    seconds.some((one) => one > 0),
  );
}

type ToolUse = { calls: number; failed: number; seconds: number; first: SpanPlace | null };
const UNUSED: ToolUse = { calls: 0, failed: 0, seconds: 0, first: null };

function sumTools(turns: readonly Turn[]): Map<string, ToolUse> {
  const uses = new Map<string, ToolUse>();
  for (const span of turns.flatMap(({ tools }) => tools)) {
    const { traceId, spanId, startedAtNs, endedAtNs, status } = span;
    const known = uses.get(nameTool(span)) ?? { ...UNUSED, first: { traceId, spanId } };
    uses.set(nameTool(span), {
      ...known,
      calls: known.calls + 1,
      failed: known.failed + (status === "error" ? 1 : 0),
      seconds: known.seconds + Math.max(0, Number(endedAtNs - startedAtNs) / 1e9),
    });
  }
  return uses;
}

/** Those first that the two called most unequally often. */
function compareTools(turns: Pair<Turn[]>): Walked["tools"] {
  const uses = each(turns, sumTools);
  const names = [...new Set(uses.flatMap((own) => [...own.keys()]))];
  const rows = names.map((tool) => {
    const own = each(uses, (all) => all.get(tool) ?? UNUSED);
    return {
      tool,
      calls: each(own, ({ calls }) => calls),
      failed: each(own, ({ failed }) => failed),
      seconds: each(own, ({ seconds }) => seconds),
      first: each(own, ({ first }) => first),
    };
  });
  const gap = ([first, second]: Pair<number>): number => Math.abs(second - first);
  return rows.sort((a, b) => gap(b.calls) - gap(a.calls) || b.calls[0] - a.calls[0] || (a.tool < b.tool ? -1 : 1));
}
