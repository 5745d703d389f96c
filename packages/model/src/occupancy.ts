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
  /** By position, the first one first: how often it was accepted, and how often the first to be rejected. Empty where not said. */
  acceptedAt: readonly number[];
  rejectedAt: readonly number[];
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
  routers: string[];
  /** Counts as texts, or "auto". */
  draftTokens: string[];
  chunkedPrefill: boolean[];
  /** Prompts in whole blocks, from the shortest to the longest, in tokens. */
  promptTokens: [number, number];
};

/** A time in which the engines of a service kept their settings, by what they say with each request. Empty or 0: not said. */
export type EngineSpell = {
  service: string;
  basis: EngineTime["basis"];
  fromNs: bigint;
  toNs: bigint;
  requests: number;
  replicas: number;
  policy: string;
  router: string;
  draftTokens: string;
  chunkedPrefill: string;
  maxSequences: number;
  tokenBudget: number;
  capacityBlocks: number;
};

/** One request of an engine, as its spans have it. */
export type EngineRequest = {
  service: string;
  traceId: string;
  arrivedAtNs: bigint;
  /** Null where it did not end, or the engine does not say. */
  endedAtNs: bigint | null;
  /** Wall time ÷ model time of an engine that runs faster or slower than what it models; else 1. */
  timeScale: number;
  promptTokens: number;
  outputTokens: number;
  /** As `writeBlockKeys` of serving has them; no keys where nothing is said. */
  knownBlocks: number;
  blockKeys: string;
  priority: "interactive" | "batch";
  /** Whose requests follow each other; "" where nobody says. */
  thread: string;
};

/**
 * One request of an engine that reports requests and no steps (vLLM, SGLang), with what the gateway that asked it knows of its prompt;
 * keys are of the gateway's blocks.
 */
export type ServedRequest = EngineRequest & {
  replica: string;
  /** By the clock of the gateway; null where it was not asked by one. */
  askedAtNs: bigint | null;
  firstTokenAtNs: bigint;
  endedAtNs: bigint;
};

export type AskedFilter = { range: TimeRange; key?: string; model?: string };

export type EngineTimeReader = {
  /** Those of a service that came into a batch in the range, in order of arrival: the first so many. */
  listEngineRequests(workspace: string, service: string, range: TimeRange, most: number): Promise<EngineRequest[]>;
  /** Likewise of one that reports whole requests, with their times. */
  listServedRequests(workspace: string, service: string, range: TimeRange, most: number): Promise<ServedRequest[]>;
  /** Calls through our gateway, whoever answered them; keys are of its blocks. In order of time: the last so many. */
  listAskedRequests(workspace: string, filter: AskedFilter, most: number): Promise<EngineRequest[]>;
  /** About so many steps that began in the range, spread over all of them, in order of time; all where there are fewer. */
  listEngineSteps(workspace: string, range: TimeRange, most: number): Promise<EngineStep[]>;
  /** Newest first. */
  listEngineSpells(workspace: string, range: TimeRange): Promise<EngineSpell[]>;
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

export const engineSpellRowSchema = z.object({
  service: z.string(),
  basis: gpuHoursSchema.shape.basis.describe("simulated where the engine says that its times are"),
  from: z.string().describe("the first request with these settings; ISO 8601, UTC, nanoseconds"),
  to: z.string().describe("the last one"),
  requests: z.int(),
  replicas: z.int(),
  settings: z.object({
    policy: z.string(),
    router: z.string(),
    draftTokens: z.string(),
    chunkedPrefill: z.string(),
    maxSequences: z.int(),
    tokenBudget: z.int(),
    capacityBlocks: z.int(),
  }),
});
export type EngineSpellRow = z.infer<typeof engineSpellRowSchema>;
