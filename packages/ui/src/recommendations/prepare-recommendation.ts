/** A recommendation as pages show it: effects, waits and what-ifs as texts, the held-out series as geometry. Pure. */
import { type Recommendation, type VerdictView, verdictViewSchema } from "@centspan/model";

type Effect = { share: number; low: number; high: number };

/** −7.9%, with a true minus. */
export const formatEffect = (share: number): string =>
  `${share < 0 ? "−" : share > 0 ? "+" : ""}${Math.abs(100 * share).toFixed(1)}%`;

export const formatRange = ({ low, high }: Effect): string => `${formatEffect(low)} – ${formatEffect(high)}`;

export type WaitRow = {
  id: string;
  metric: "ttft" | "tpot";
  percentile: string;
  now: string;
  proposed: string;
  change: string;
};
export type WhatIfRow = {
  factor: string;
  effect: string | null;
  range: string | null;
  isOver: boolean;
  refused: string | null;
};

export type HeldOutPlot = {
  width: number;
  height: number;
  zeroY: number;
  /** What the earlier traffic predicted. */
  band: { y: number; height: number } | null;
  judgedY: number | null;
  points: { x: number; y: number; text: string }[];
  ticks: { y: number; text: string }[];
};

export type RecommendationView = {
  effect: string | null;
  range: string | null;
  changes: { knob: string; now: string; proposed: string; effect: string; range: string }[];
  waits: WaitRow[];
  whatIf: WhatIfRow[];
  plot: HeldOutPlot | null;
  hitRates: { now: string; proposed: string; best: string } | null;
  /** Of the way from now to the best possible, what is left after the change. */
  leftPct: string | null;
};

export function prepareRecommendation(recommendation: Recommendation): RecommendationView {
  const { effect, changes, evidence } = recommendation;
  const parsed = verdictViewSchema.safeParse(evidence.verdict);
  const verdict = parsed.success ? parsed.data : null;
  return {
    effect: effect && formatEffect(effect.share),
    range: effect && formatRange(effect),
    changes: changes.map((change) => ({
      knob: change.knob,
      now: String(change.now),
      proposed: String(change.proposed),
      effect: change.effect === null ? "–" : formatEffect(change.effect.share),
      range: change.effect === null ? "–" : formatRange(change.effect),
    })),
    waits: verdict === null ? [] : listWaits(verdict),
    whatIf: (verdict?.whatIf ?? []).map((one) => ({
      factor: `× ${one.factor}`,
      effect: one.effect && formatEffect(one.effect.share),
      range: one.effect && formatRange(one.effect),
      isOver: one.breaches.length > 0,
      refused: one.refused,
    })),
    plot: verdict === null ? null : plotHeldOut(verdict),
    hitRates: readHitRates(verdict),
    leftPct: readLeft(verdict),
  };
}

const formatShare = (share: number): string => `${(100 * share).toFixed(1)}%`;
const formatMs = (ms: number): string => (ms >= 1_000 ? `${(ms / 1_000).toFixed(2)} s` : `${ms.toFixed(1)} ms`);

function listWaits({ before, after }: VerdictView): WaitRow[] {
  if (before === null || after === null) return [];
  return (["ttft", "tpot"] as const).flatMap((metric) => {
    const name = metric === "ttft" ? "ttftMs" : "tpotMs";
    const [now, then] = [before.waits.interactive[name], after.waits.interactive[name]];
    if (now === null || then === null) return [];
    return (["p50", "p90", "p99"] as const).map((percentile) => ({
      id: `${metric} ${percentile}`,
      metric,
      percentile,
      now: formatMs(now[percentile]),
      proposed: formatMs(then[percentile]),
      change: now[percentile] === 0 ? "–" : formatEffect(then[percentile] / now[percentile] - 1),
    }));
  });
}

const PLOT = { width: 640, height: 180, left: 48, right: 12, top: 12, bottom: 12 };

function plotHeldOut({ series, predicted, judged }: VerdictView): HeldOutPlot | null {
  if (series.length === 0) return null;
  const values = [...series, 0, ...(predicted ? [predicted.low, predicted.high] : [])];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const span = high - low || 1;
  const inner = PLOT.height - PLOT.top - PLOT.bottom;
  const toY = (share: number): number => PLOT.top + (inner * (high - share)) / span;
  const step = (PLOT.width - PLOT.left - PLOT.right) / series.length;
  const ticks = [...new Set([high, 0, low])].filter((share) => share === 0 || Math.abs(toY(share) - toY(0)) > 14);
  return {
    width: PLOT.width,
    height: PLOT.height,
    zeroY: toY(0),
    band: predicted && { y: toY(predicted.high), height: Math.max(1, toY(predicted.low) - toY(predicted.high)) },
    judgedY: judged && toY(judged.share),
    points: series.map((share, at) => ({ x: PLOT.left + step * (at + 0.5), y: toY(share), text: formatEffect(share) })),
    ticks: ticks.map((share) => ({ y: toY(share), text: formatEffect(share) })),
  };
}

function readHitRates(verdict: VerdictView | null): RecommendationView["hitRates"] {
  if (verdict === null || verdict.before === null || verdict.after === null) return null;
  const best = verdict.best === null ? "–" : formatShare(verdict.best.after.optimalHitRate);
  return { now: formatShare(verdict.before.hitRate), proposed: formatShare(verdict.after.hitRate), best };
}

function readLeft(verdict: VerdictView | null): string | null {
  if (verdict === null || verdict.best === null) return null;
  const { before, after } = verdict.best;
  // Other settings have another bound: the lower of the two is what either could come to.
  const boundGpuS = Math.min(before.boundGpuS, after.boundGpuS);
  const gap = before.usedGpuS - boundGpuS;
  return gap <= 0 ? null : formatShare((after.usedGpuS - boundGpuS) / gap);
}
