/**
 * Two runs side by side: of each figure what it is in A and in B and what B has more, and of the difference in cost what it is
 * made of. Where a figure stands in its run is told with it.
 */
import { BUCKET_OF_METER, type RunComparison, type TraceRow } from "@centspan/model";
import { type Deviation, placeBar, widestOf } from "../chart/deviation.ts";
import { addDecimals, isNegative, isZero } from "../format/decimal-text.ts";
import { columnDecimals, formatDifference, formatMoney } from "../format/format-money.ts";
import { formatCount, formatGrowth, formatSeconds, formatShare } from "../format/format-quantity.ts";
import {
  each,
  formatSigned,
  type Pair,
  type Place,
  prepareWalk,
  subtract,
  type Walk,
  type Writers,
} from "./prepare-walk.ts";

export type ComparedFigure = {
  id: "cost" | "repeated" | "failed" | "calls" | "turns" | "duration" | "prompt" | "cached" | "output" | "toolCalls";
  /** Null of calls that have no price. */
  values: Pair<string | null>;
  /** Null where there is nothing to be told of it. */
  difference: string | null;
  places: Pair<Place>;
};

export type ComparedMeter = {
  meter: RunComparison["meters"][number]["meter"];
  tokens: Pair<string>;
  costs: Pair<string>;
  difference: string;
  bar: Deviation;
};

export type ComparedCause = Pick<RunComparison["causes"][number], "cause" | "layer"> & {
  costs: Pair<string>;
  times: Pair<string | null>;
  difference: string;
  bar: Deviation;
  places: Pair<Place | null>;
};

export type RunComparisonView = {
  /** Of B against A. `unknown` where a cost is not known. */
  sense: "more" | "less" | "same" | "unknown";
  /** Without a sign, and as a share of A. */
  size: string;
  growth: string | null;
  difference: string | null;
  figures: ComparedFigure[];
  meters: ComparedMeter[];
  models: { model: string; calls: Pair<string>; costs: Pair<string>; difference: string }[];
  causes: ComparedCause[];
  /** Null where a run is too large for it. */
  walk: Walk | null;
};

/** A run's cost has as many decimals as make its calls different. */
const decimalsOf = (amounts: readonly (string | null)[]): number => Math.max(4, columnDecimals(amounts));

export function prepareRunComparison(comparison: RunComparison): RunComparisonView {
  const { runs, differenceUsd, walked } = comparison;
  const decimals = decimalsOf(runs.map(({ costUsd }) => costUsd));
  const write = (usd: string): string => formatMoney(usd, decimals);
  const writeDifference = (usd: string): string => formatDifference(usd, decimals);
  const widest = widestOf([...comparison.meters, ...comparison.causes].map((line) => line.differenceUsd));
  const size = differenceUsd?.replace("-", "") ?? "0";
  return {
    sense:
      differenceUsd === null ? "unknown" : isZero(differenceUsd) ? "same" : isNegative(differenceUsd) ? "less" : "more",
    size: write(size),
    growth: differenceUsd === null ? null : formatGrowth(differenceUsd, runs[0].costUsd ?? "0"),
    difference: differenceUsd === null ? null : writeDifference(differenceUsd),
    figures: listFigures(comparison, { write, writeDifference }),
    meters: comparison.meters.map(({ meter, costUsd, differenceUsd: own }) => ({
      meter,
      tokens: each(comparison.buckets, (buckets) => formatCount(buckets[BUCKET_OF_METER[meter]])),
      costs: each(costUsd, write),
      difference: writeDifference(own),
      bar: placeBar(own, widest),
    })),
    models: comparison.models.map(({ model, calls, costUsd, differenceUsd: own }) => ({
      model,
      calls: each(calls, formatCount),
      costs: each(costUsd, write),
      difference: writeDifference(own),
    })),
    causes: comparison.causes.map(({ cause, layer, costUsd, differenceUsd: own, seconds, proof }) => ({
      cause,
      layer,
      costs: each(costUsd, write),
      times: each(seconds, (one) => (one === 0 ? null : formatSeconds(one))),
      difference: writeDifference(own),
      bar: placeBar(own, widest),
      places: each(proof, (place) => place && { spanId: place.spanId }),
    })),
    walk: walked && prepareWalk(walked, { write, writeDifference }),
  };
}

type Panel = Exclude<Place, { spanId: string }>["panel"];

function listFigures({ runs, buckets, causes, walked }: RunComparison, { write, writeDifference }: Writers) {
  const figure = (
    id: ComparedFigure["id"],
    panel: Panel,
    values: ComparedFigure["values"],
    difference: string | null,
  ): ComparedFigure => ({ id, values, difference, places: [{ panel }, { panel }] });
  const count = (
    id: ComparedFigure["id"],
    panel: Panel,
    counts: Pair<number>,
    format: (count: number) => string = formatCount,
  ): ComparedFigure => figure(id, panel, each(counts, format), formatSigned(counts[1] - counts[0], format));
  const money = (id: ComparedFigure["id"], [a, b]: Pair<string | null>): ComparedFigure => {
    const say = (usd: string | null, { calls }: TraceRow): string | null =>
      usd !== null ? write(usd) : id === "cost" && calls > 0 ? null : "–";
    const difference = a === null || b === null ? null : writeDifference(subtract([a, b]));
    return figure(id, "balance", [say(a, runs[0]), say(b, runs[1])], difference);
  };
  const failed = causes.filter(({ kind }) => kind === "failed").map(({ costUsd }) => costUsd);
  const seconds = each(runs, ({ durationNs }) => Number(durationNs) / 1e9);
  const prompts = each(buckets, (one) => one.input + one.cacheRead + one.cacheWrite5m + one.cacheWrite1h);
  const share = (at: 0 | 1): string => formatShare(buckets[at].cacheRead, prompts[at]) ?? "–";
  const sumTools = (at: 0 | 1): number => walked?.tools.reduce((sum, { calls }) => sum + calls[at], 0) ?? 0;
  return [
    money(
      "cost",
      each(runs, ({ costUsd }) => costUsd),
    ),
    money(
      "repeated",
      each(runs, ({ wasteUsd }) => wasteUsd),
    ),
    ...(failed.length === 0
      ? []
      : [money("failed", [addDecimals(failed.map(([a]) => a)), addDecimals(failed.map(([, b]) => b))])]),
    count(
      "calls",
      "context",
      each(runs, ({ calls }) => calls),
    ),
    ...(walked === null ? [] : [count("turns", "context", walked.turnCount)]),
    ...(walked === null || walked.tools.length === 0
      ? []
      : [count("toolCalls", "waterfall", [sumTools(0), sumTools(1)])]),
    // One that says no end took no time that is known.
    ...(seconds.some((one) => one < 0) ? [] : [count("duration", "waterfall", seconds, formatSeconds)]),
    count("prompt", "context", prompts),
    figure("cached", "context", [share(0), share(1)], null),
    count(
      "output",
      "context",
      each(buckets, ({ outputText, outputReasoning }) => outputText + outputReasoning),
    ),
  ];
}
