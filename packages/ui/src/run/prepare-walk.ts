/** Two runs turn by turn, beside each other: what each turn cost and which tools it called, where they part, where time went. */
import type { ComparedTurn, RunComparison } from "@centspan/model";
import { type Deviation, placeBar, widestOf } from "../chart/deviation.ts";
import { addDecimals, negate, toGeometry } from "../format/decimal-text.ts";
import { formatCount, formatSeconds } from "../format/format-quantity.ts";

export type Pair<T> = [a: T, b: T];

/** Where a run shows a figure: a panel of its page, or one of its spans. */
export type Place = { panel: "balance" | "context" | "waterfall" } | { spanId: string };

export type TurnSide = {
  number: string;
  spanId: string;
  cost: string | null;
  tokens: string;
  tools: { name: string; times: number }[];
  barPct: number;
};

export type TurnRow = { number: string; sides: Pair<TurnSide | null>; isParting: boolean };

export type ToolLine = {
  tool: string;
  calls: Pair<string>;
  failed: Pair<number>;
  seconds: Pair<string>;
  places: Pair<Place | null>;
};
export type TimeLine = {
  kind: Walked["time"][number]["kind"];
  seconds: Pair<string>;
  difference: string;
  bar: Deviation;
};

type Walked = NonNullable<RunComparison["walked"]>;
type PartingBy = NonNullable<Walked["parting"]>["by"];

export type Walk = {
  turns: TurnRow[];
  /** Turns of the longer run that are not listed. */
  notListed: number;
  parting: { turn: number; by: PartingBy; before: Pair<string>; from: Pair<string>; difference: string } | null;
  tools: ToolLine[];
  time: TimeLine[];
};

export const each = <T, U>([a, b]: readonly [T, T], read: (one: T) => U): Pair<U> => [read(a), read(b)];
export const subtract = ([a, b]: readonly [string, string]): string => addDecimals([b, negate(a)]);
export type Writers = Record<"write" | "writeDifference", (usd: string) => string>;

/** "+3", "−1.2 s", "0". */
export function formatSigned(value: number, write: (size: number) => string): string {
  if (value === 0) return "0";
  return `${value < 0 ? "−" : "+"}${write(Math.abs(value))}`;
}

export function prepareWalk(walked: Walked, { write, writeDifference }: Writers): Walk {
  const { parting, turns } = walked;
  const dearest = Math.max(0, ...turns.flatMap((pair) => pair.map((turn) => toGeometry(turn?.costUsd ?? "0"))));
  const longest = Math.max(...walked.turnCount);
  const widest = widestOf(walked.time.map(({ seconds }) => String(seconds[1] - seconds[0])));
  return {
    turns: turns.map((pair, n) => ({
      number: formatCount(walked.listedFrom + n + 1),
      sides: each(pair, (turn) => turn && describeTurn(turn, dearest, write)),
      isParting: parting?.at === walked.listedFrom + n,
    })),
    notListed: longest - turns.length,
    parting: parting && {
      turn: parting.at + 1,
      by: parting.by,
      before: each(parting.beforeUsd, write),
      from: each(parting.fromUsd, write),
      difference: writeDifference(subtract(parting.fromUsd)),
    },
    tools: walked.tools.map(({ tool, calls, failed, seconds, first }) => ({
      tool,
      calls: each(calls, formatCount),
      failed,
      seconds: each(seconds, (one) => (one === 0 ? "–" : formatSeconds(one))),
      places: each(first, (place) => place && { spanId: place.spanId }),
    })),
    time: walked.time.map(({ kind, seconds }) => ({
      kind,
      seconds: each(seconds, formatSeconds),
      difference: formatSigned(seconds[1] - seconds[0], formatSeconds),
      bar: placeBar((seconds[1] - seconds[0]).toFixed(9), widest),
    })),
  };
}

function describeTurn(turn: ComparedTurn, dearest: number, write: (usd: string) => string): TurnSide {
  const { number, spanId, costUsd, promptTokens, tools } = turn;
  const counts = new Map<string, number>();
  for (const tool of tools) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  return {
    number,
    spanId,
    cost: costUsd === null ? null : write(costUsd),
    tokens: formatCount(promptTokens),
    tools: [...counts].map(([name, times]) => ({ name, times })),
    barPct: dearest === 0 ? 0 : (toGeometry(costUsd ?? "0") / dearest) * 100,
  };
}
