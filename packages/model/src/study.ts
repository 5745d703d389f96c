/**
 * A study: what the optimizer is asked and answers later, since it takes longer than a request may. A search for settings, with
 * its verdict on later traffic; the advice that the waste ledger gives; or what came of a recommendation that was applied.
 * Invariant: a study changes nothing that is in use. What it recommends is filed by whoever asks for that, and only a
 * verification takes a step, the one that nobody has to decide: applied → verified.
 */
import { parseInstant } from "@centspan/base";
import { z } from "zod";
import { PRIORITIES } from "./key-rules.ts";
import { name } from "./price-values.ts";
import { recommendationInputSchema } from "./recommendation.ts";
import { instant } from "./row-values.ts";

export const STUDY_STATES = ["waiting", "running", "done", "refused", "cancelled", "failed"] as const;
export type StudyState = (typeof STUDY_STATES)[number];

/** Nothing comes after these. */
export const isStudyOver = (state: StudyState): boolean => state !== "waiting" && state !== "running";

const moment = z
  .string()
  .refine((text) => parseInstant(text) !== null, "is no time; ISO 8601, such as 2026-11-29T00:00:00Z");
const period = z.strictObject({ from: moment.optional(), to: moment.optional() });

/** How long people may wait: "p99 of the time to the first token of interactive requests is at most 2,000 ms". */
export const waitLimitSchema = z.strictObject({
  priority: z.enum(PRIORITIES),
  metric: z.enum(["ttft", "tpot", "e2e"]),
  percentile: z.enum(["mean", "p50", "p90", "p99"]),
  ms: z.number().positive(),
});
export type WaitLimit = z.output<typeof waitLimitSchema>;

/** Paid: capacity by the hour, used or not. Used: what the work takes in full engines, which is worth something once others use the rest. */
export const COST_OBJECTIVES = ["paid", "used"] as const;
export type CostObjective = (typeof COST_OBJECTIVES)[number];

const settingValue = z.union([z.string(), z.number(), z.boolean()]);
/** Values to try by setting. */
export const settingSpaceSchema = z.partialRecord(z.string(), z.array(settingValue).min(1));

const searchSchema = z.strictObject({
  kind: z.literal("search"),
  subject: name.default("engine").describe("the pool that it is about"),
  service: name
    .optional()
    .describe("engine by whose spans traffic, settings and step times are known; without it, calls"),
  traffic: period
    .extend({ key: z.string().max(500).optional(), model: z.string().max(500).optional() })
    .prefault({})
    .describe("the time to choose and judge on; of calls those of a key or model"),
  machine: period
    .optional()
    .describe("another time of the same service, whose steps tell the step times: steps that draft tell none"),
  config: z.record(z.string(), z.unknown()).default({}).describe("what spans don't tell, as in simulateCalls"),
  space: settingSpaceSchema.optional().describe("values to try by setting; usual ones when absent"),
  concurrent: z.int().min(1).optional().describe("sessions of calls at a time; arrivals as they were when absent"),
  limits: z.array(waitLimitSchema).max(20).default([]),
  objective: z.enum(COST_OBJECTIVES).default("used"),
  candidates: z.int().min(1).max(10_000).default(400),
  seconds: z.int().min(1).max(3_600).default(60).describe("the search ends after so long with the best so far"),
  seed: z.int().min(0).default(1),
  beyondSupport: z.boolean().default(false).describe("answer outside of what was observed"),
});

const spendSchema = z.strictObject({ kind: z.literal("spend"), subject: name.default("all keys") });

const verificationSchema = z.strictObject({
  kind: z.literal("verification"),
  recommendation: z.string().max(100),
  after: period.prefault({}).describe("since it was applied when absent"),
});

export const studyInputSchema = z.discriminatedUnion("kind", [searchSchema, spendSchema, verificationSchema]);
export type StudyInput = z.output<typeof studyInputSchema>;
export type SearchInput = z.output<typeof searchSchema>;
export type VerificationInput = z.output<typeof verificationSchema>;

export const refusalSchema = z.object({ reason: z.string(), message: z.string(), collect: z.string() });

/** What came of it. A search that holds has one recommendation, advice several; a verification says what was realised. */
export const studyResultSchema = z.object({
  recommendations: z.array(recommendationInputSchema),
  refused: z.array(refusalSchema),
  /** What else there is to know: calibration, what was searched, the verdict of what was refused. */
  details: z.record(z.string(), z.unknown()),
});
export type StudyResult = z.output<typeof studyResultSchema>;

export const studySchema = z.object({
  id: z.string(),
  state: z.enum(STUDY_STATES),
  asked: studyInputSchema,
  askedBy: z.string().describe("the key that asked"),
  askedAt: instant,
  startedAt: instant.nullable(),
  endedAt: instant.nullable(),
  progress: z.string().describe("where it is, in words"),
  result: studyResultSchema.nullable(),
  /** Recommendations that were filed from it, by their place in the result. */
  filed: z.record(z.string(), z.string()),
});
export type Study = z.output<typeof studySchema>;

export type StudyEnd = {
  state: "done" | "refused" | "cancelled" | "failed";
  progress: string;
  result: StudyResult | null;
};

export type ClaimedStudy = Study & { workspace: string };

/** Who asks. */
export type StudyStore = {
  insertStudy(workspace: string, asked: StudyInput, actor: string): Promise<Study>;
  /** Newest first. */
  listStudies(workspace: string, most: number): Promise<Study[]>;
  /** `not_found`. */
  readStudy(workspace: string, id: string): Promise<Study>;
  /** One that waits ends; one that runs ends when its worker hears of it. `conflict` where it is over. */
  cancelStudy(workspace: string, id: string, actor: string): Promise<Study>;
  /** Files a recommendation of its result, once: asked again, it is the same one. `conflict` where there is none. */
  fileStudy(workspace: string, id: string, filing: StudyFiling): Promise<string>;
};

export type StudyFiling = { at: number; because: string; traceIds: readonly string[]; actor: string };

/** Who works on it. */
export type StudyQueue = {
  /** The oldest that waits, or whose worker has not been heard of for as long; null where there is none. */
  claimStudy(worker: string, silenceMs: number): Promise<ClaimedStudy | null>;
  /** Says where it is and that its worker lives. False where it is no longer wanted, or no longer this worker's. */
  reportStudy(worker: string, id: string, progress: string): Promise<boolean>;
  endStudy(worker: string, id: string, end: StudyEnd): Promise<void>;
};
