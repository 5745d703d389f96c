/** How long models that one runs oneself occupy their replicas, by what the engines say of their own time. */
import { z } from "zod";
import type { TimeRange } from "./filters.ts";
import { gpuHoursSchema } from "./price.ts";

/**
 * What the replicas of one service did in a time, all of them together. A step's time is shared by the tokens that were
 * computed in it, each an equal part; where an engine reports requests and no steps, the time in which at least one was
 * in the model, in the proportion of their prefills to their decodes.
 */
export type EngineTime = {
  service: string;
  basis: "measured" | "simulated";
  replicas: number;
  prefillNs: bigint;
  decodeNs: bigint;
  prefillTokens: number;
  decodeTokens: number;
};

/** One step of an engine, as its span has it. */
export type EngineStep = {
  service: string;
  replica: string;
  basis: EngineTime["basis"];
  startedAtNs: bigint;
  stepMs: number;
  decodeSequences: number;
  decodeContextTokens: number;
  prefillTokens: number;
  /** Null where prompts were computed and the engine does not say it. */
  prefillAttentionPairs: number | null;
  draftedTokens: number;
  acceptedTokens: number;
};

/** What engines of a service say of themselves. Lists have each value that was said, smallest first: more than one is a change. */
export type EngineFacts = {
  service: string;
  basis: EngineTime["basis"];
  replicas: number;
  requests: number;
  blockTokens: number[];
  capacityBlocks: number[];
  maxSequences: number[];
  tokenBudgets: number[];
  policies: string[];
  /** Prompts in whole blocks, from the shortest to the longest, in tokens. */
  promptTokens: [number, number];
};

export type EngineTimeReader = {
  /** About so many steps that began in the range, spread over all of them, in order of time; all where there are fewer. */
  listEngineSteps(workspace: string, range: TimeRange, most: number): Promise<EngineStep[]>;
  listEngineFacts(workspace: string, range: TimeRange): Promise<EngineFacts[]>;
  /** Of the spans that began in the range, by service. */
  sumEngineTime(workspace: string, range: TimeRange): Promise<EngineTime[]>;
};

export const occupancyRowSchema = z.object({
  service: z.string(),
  basis: gpuHoursSchema.shape.basis.describe("simulated where the engine says that its times are"),
  replicas: z.int(),
  busySeconds: z.string().describe("of all replicas together"),
  prefillTokens: z.int(),
  decodeTokens: z.int(),
  secondsPerMillion: gpuHoursSchema.shape.secondsPerMillion.describe(
    "for how long a million tokens occupy all replicas: the terms of a contract by the GPU-hour",
  ),
});
export type OccupancyRow = z.infer<typeof occupancyRowSchema>;
