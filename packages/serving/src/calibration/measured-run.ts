/** What was measured of a served workload, and the engine it ran on. Input of calibration; instants are nanoseconds. */
import type { ServedModel } from "../machine/models.ts";
import type { ServingConfig, ServingRequest } from "../serving-types.ts";

export type MeasuredRequest = ServingRequest & { firstTokenNs: number; finishedNs: number };

export type MeasuredRun = {
  /** In order of arrival. */
  requests: readonly MeasuredRequest[];
  /** The engine's own limits: they come from its configuration, never from the fit. */
  config: ServingConfig;
  engine: { kind: ServedModel["kind"]; dataParallel: number };
};

export const METRICS = ["ttft", "tpot", "e2e"] as const;
export type Metric = (typeof METRICS)[number];

type Course = { arrivalNs: number; firstTokenNs: number; finishedNs: number; outputTokens: number };

/** Time to first token, per token after it (NaN when there is none), and to the last. */
export const READ_NS: Record<Metric, (course: Course) => number> = {
  ttft: ({ arrivalNs, firstTokenNs }) => firstTokenNs - arrivalNs,
  tpot: ({ firstTokenNs, finishedNs, outputTokens }) =>
    outputTokens > 1 ? (finishedNs - firstTokenNs) / (outputTokens - 1) : Number.NaN,
  e2e: ({ arrivalNs, finishedNs }) => finishedNs - arrivalNs,
};
