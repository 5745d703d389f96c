/**
 * What work on a branch, or for a pull request, cost: calls by the place that their trace was at, and what became of it. Which
 * call is of which work is a rule (packages/attribution); the store tells what was seen.
 */
import type { Decimal } from "@centspan/base";
import { z } from "zod";
import type { TimeRange } from "./filters.ts";
import type { Outcome } from "./outcome.ts";
import type { WorkMark } from "./outcome-link.ts";
import { instant, money } from "./row-values.ts";

export const WORK_GROUPS = ["pullRequest", "branch"] as const;
export type WorkGroup = (typeof WORK_GROUPS)[number];

/** Calls of a trace and a session, from the first to the last of them. */
export type PlacedSpend = {
  traceId: string;
  sessionId: string;
  atNs: bigint;
  lastNs: bigint;
  costUsd: Decimal;
  calls: number;
  unpricedCalls: number;
};

export type WorkFacts = { spend: PlacedSpend[]; marks: WorkMark[]; outcomes: Outcome[] };

/** `merged`: its request was; `taken`: its commits are on the main branch; `abandoned`: nothing of it for two weeks. */
export const WORK_STATES = ["merged", "taken", "partly_reverted", "reverted", "refused", "open", "abandoned"] as const;
export type WorkState = (typeof WORK_STATES)[number];

export type WorkCost = {
  group: string;
  repository: string;
  state: WorkState;
  costUsd: Decimal;
  calls: number;
  unpricedCalls: number;
  sessions: number;
  firstNs: bigint;
  lastNs: bigint;
  /** Test runs that were seen; how each came out is derived where their evidence says so. */
  testRuns: number;
  /** Spend up to the first passing test run, and after it; null where none passed. */
  toGreenUsd: Decimal | null;
  afterGreenUsd: Decimal | null;
};

/** Where a run worked, and for which request; "" where that is not known. */
export type WorkOfTrace = Pick<WorkMark, "repository" | "branch" | "pullRequest">;

export type WorkCostStore = {
  readWorkOfTraces(workspace: string, traceIds: readonly string[]): Promise<Map<string, WorkOfTrace>>;
  /** Spend of the range of which a place is known, all places of its traces, and outcomes that may be of them. */
  /** With all spend of a trace and a session in one. */
  readWorkFacts(workspace: string, range: TimeRange | undefined): Promise<WorkFacts>;
  /** Spend of these traces second by second. */
  listWorkSeconds(workspace: string, range: TimeRange | undefined, traceIds: readonly string[]): Promise<PlacedSpend[]>;
};

export const workRowSchema = z.object({
  group: z.string(),
  repository: z.string(),
  state: z.enum(WORK_STATES),
  costUsd: money,
  calls: z.int(),
  unpricedCalls: z.int(),
  sessions: z.int(),
  firstAt: instant,
  lastAt: instant,
  testRuns: z.int().describe("that were seen"),
  toGreenUsd: money.nullable().describe("spend up to the first passing test run; null where none passed"),
  afterGreenUsd: money.nullable().describe("spend after it"),
});
export type WorkRow = z.infer<typeof workRowSchema>;

export const workAnswerSchema = z.object({
  data: z.array(workRowSchema),
  total: z.object({
    spendUsd: money.describe("of the range, wherever it was"),
    placedUsd: money.describe("of it what is at a known branch, or for a known request"),
    groups: z.int().describe("of which the dearest are the rows"),
    revertedUsd: money,
    abandonedUsd: money,
    coverage: z.string().nullable().describe("placed ÷ all spend, 10 decimals"),
    testedCoverage: z.string().nullable().describe("spend of rows with a test run ÷ placed spend"),
  }),
  method: z.string().describe("how it is known"),
  nextCursor: z.null(),
});
export type WorkAnswer = z.infer<typeof workAnswerSchema>;
