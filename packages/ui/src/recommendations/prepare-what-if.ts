/** Two simulations of the same calls beside each other, as rows of texts. Pure. */
import type { SimulationRecord } from "@centspan/model";
import { formatEffect } from "./prepare-recommendation.ts";

export const WHAT_IF_METRICS = ["hitRate", "ttft", "tpot", "tokensPerS", "perMillion"] as const;
export type WhatIfMetric = (typeof WHAT_IF_METRICS)[number];

export type ComparedRow = { metric: WhatIfMetric; now: string; after: string; change: string };
export type WhatIfView = {
  rows: ComparedRow[];
  /** What the second can't be trusted in, or why there is none. */
  refused: { reason: string; message: string; collect: string }[];
  requests: number;
};

type Result = NonNullable<SimulationRecord["result"]>;

const READ: Record<WhatIfMetric, (result: Result) => number | null> = {
  hitRate: ({ hitRate }) => hitRate,
  ttft: ({ ttftMs }) => ttftMs?.p90 ?? null,
  tpot: ({ tpotMs }) => tpotMs?.p90 ?? null,
  tokensPerS: ({ tokensPerS }) => tokensPerS,
  perMillion: ({ costPerMillionTokensUsd: usd }) => (usd === null ? null : Number(usd)),
};

const WRITE: Record<WhatIfMetric, (value: number) => string> = {
  hitRate: (value) => `${(100 * value).toFixed(1)}%`,
  ttft: (value) => `${value.toFixed(0)} ms`,
  tpot: (value) => `${value.toFixed(1)} ms`,
  tokensPerS: (value) => value.toFixed(value < 10 ? 1 : 0),
  perMillion: (value) => `$${value.toFixed(2)}`,
};

export function prepareWhatIf(now: SimulationRecord, then: SimulationRecord): WhatIfView {
  const { result: before } = now;
  const { result: after } = then;
  return {
    rows:
      before === null || after === null
        ? []
        : WHAT_IF_METRICS.map((metric) => {
            const [a, b] = [READ[metric](before), READ[metric](after)];
            const write = (value: number | null): string => (value === null ? "–" : WRITE[metric](value));
            return {
              metric,
              now: write(a),
              after: write(b),
              change: a === null || b === null || a === 0 ? "–" : formatEffect(b / a - 1),
            };
          }),
    refused: [...then.refused],
    requests: Number(now.workload.requests ?? 0),
  };
}
