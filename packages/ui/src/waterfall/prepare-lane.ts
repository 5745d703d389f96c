/**
 * The engine steps that served one `inference.decode` span, as one lane of bars with its own axis:
 * hundreds of steps are one row. Steps live in their replica's trace and come as linked spans.
 * Bar height is the batch size, width the step's time; more bars than fit are merged by column, the fullest one shown.
 */
import type { SpanFacts } from "@centspan/model";
import { parseInstantNs } from "../format/format-instant.ts";
import { readCount, readMilliseconds } from "./read-fact.ts";

const MAX_BARS = 240;

export type LaneBar = { leftPct: number; widthPct: number; heightPct: number; mixed: boolean };

export type StepLane = {
  steps: number;
  /** Links whose step is not among the spans: dropped, or not arrived yet. */
  missing: number;
  startNs: bigint;
  endNs: bigint;
  /** The engine's own step time, before time scaling where it says so. */
  medianNs: bigint;
  longestNs: bigint;
  batch: { min: number; max: number } | null;
  /** Steps that also prefilled other requests. */
  mixedSteps: number;
  /** The longest steps, for the panel. */
  slowest: { traceId: string; spanId: string; timeNs: bigint }[];
  bars: LaneBar[];
};

type Step = { span: SpanFacts; startNs: bigint; endNs: bigint; timeNs: bigint; batch: number | null; mixed: boolean };

const stepKey = (link: { traceId: string; spanId: string }): string => `${link.traceId}:${link.spanId}`;

export const indexSteps = (spans: readonly SpanFacts[]): ReadonlyMap<string, SpanFacts> =>
  new Map(spans.filter((span) => span.linked).map((span) => [stepKey(span), span]));

/** The step that ends before decoding begins finished this request's own prefill: that is nobody else's interference. */
function readStep(span: SpanFacts, decodeStartNs: bigint): Step {
  const startNs = parseInstantNs(span.startedAt);
  const wallNs = BigInt(span.durationNs);
  const endNs = startNs + (wallNs < 0n ? 0n : wallNs);
  return {
    span,
    startNs,
    endNs,
    timeNs: readMilliseconds(span.facts, "centspan.step.time_ms") ?? wallNs,
    batch: readCount(span.facts, "centspan.step.batch_size"),
    mixed: endNs > decodeStartNs && (readCount(span.facts, "centspan.step.prefill_tokens") ?? 0) > 0,
  };
}

function drawBars(steps: readonly Step[], startNs: bigint, endNs: bigint, maxBatch: number): LaneBar[] {
  const spanNs = Number(endNs - startNs) || 1;
  const position = (atNs: bigint): number => (Number(atNs - startNs) / spanNs) * 100;
  const bars = steps.map((step) => ({
    leftPct: position(step.startNs),
    widthPct: position(step.endNs) - position(step.startNs),
    heightPct: maxBatch === 0 ? 50 : Math.max(8, ((step.batch ?? 0) / maxBatch) * 100),
    mixed: step.mixed,
  }));
  if (bars.length <= MAX_BARS) return bars;
  const columns = new Map<number, LaneBar>();
  for (const bar of bars) {
    const column = Math.min(MAX_BARS - 1, Math.floor((bar.leftPct / 100) * MAX_BARS));
    const before = columns.get(column);
    columns.set(column, {
      leftPct: (column / MAX_BARS) * 100,
      widthPct: 100 / MAX_BARS,
      heightPct: Math.max(bar.heightPct, before?.heightPct ?? 0),
      mixed: bar.mixed || (before?.mixed ?? false),
    });
  }
  return [...columns.values()];
}

const compareBigint = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** Null when the span is no `inference.decode`, or links to no step that is there. */
export function prepareLane(decode: SpanFacts, stepsByKey: ReadonlyMap<string, SpanFacts>): StepLane | null {
  if (decode.name !== "inference.decode") return null;
  const decodeStartNs = parseInstantNs(decode.startedAt);
  const links = [...new Set(decode.links.map(stepKey))];
  const steps = links
    .flatMap((key) => stepsByKey.get(key) ?? [])
    .filter((span) => span.name === "inference.decode.step")
    .map((span) => readStep(span, decodeStartNs))
    .sort((a, b) => compareBigint(a.startNs, b.startNs));
  const [first] = steps;
  if (first === undefined) return null;
  const endNs = steps.toSorted((a, b) => compareBigint(b.endNs, a.endNs))[0]?.endNs ?? first.endNs;
  const bySize = steps.toSorted((a, b) => compareBigint(b.timeNs, a.timeNs));
  const batches = steps.flatMap((step) => step.batch ?? []).sort((a, b) => a - b);
  const [min] = batches;
  const batch = min === undefined ? null : { min, max: batches.at(-1) ?? min };
  return {
    steps: steps.length,
    missing: links.length - steps.length,
    startNs: first.startNs,
    endNs,
    medianNs: bySize[Math.floor(bySize.length / 2)]?.timeNs ?? 0n,
    longestNs: bySize[0]?.timeNs ?? 0n,
    batch,
    mixedSteps: steps.filter((step) => step.mixed).length,
    slowest: bySize.slice(0, 5).map((step) => ({ ...pickId(step.span), timeNs: step.timeNs })),
    bars: drawBars(steps, first.startNs, endNs, batch?.max ?? 0),
  };
}

const pickId = (span: SpanFacts): { traceId: string; spanId: string } => ({
  traceId: span.traceId,
  spanId: span.spanId,
});
