/**
 * What the control plane keeps beside outcomes: what an hour of review costs, links for people to approve work by, rules
 * when a run counts as completed, reports that were refused, and sets of tasks to hold models against.
 */
import type { Decimal } from "@centspan/base";
import { z } from "zod";
import { OUTCOME_STATUSES, subjectSchema } from "./outcome.ts";
import { money } from "./row-values.ts";

const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, "must be lower-case letters, digits, dots, dashes; at most 63");

export const reviewRateSchema = z.strictObject({
  team: z.string().max(63).describe('"" for work of no team'),
  usdPerHour: money.refine((rate) => !rate.startsWith("-"), "must not be negative"),
});
export type ReviewRate = z.infer<typeof reviewRateSchema>;

export const approvalInputSchema = z.strictObject({
  subject: subjectSchema,
  question: z.string().min(1).max(2000).describe("what is to be approved, in words"),
  validHours: z.int().min(1).max(720).default(72),
  maxReviewMinutes: z.int().min(0).max(10_000).default(480).describe("most that whoever decides may say it took"),
});
export type ApprovalInput = z.output<typeof approvalInputSchema>;

export const approvalDecisionSchema = z.strictObject({
  isApproved: z.boolean(),
  by: z.string().trim().min(1, "must name who decides").max(100),
  reviewMinutes: z.number().min(0).default(0),
  note: z.string().max(2000).default(""),
});
export type ApprovalDecision = z.output<typeof approvalDecisionSchema>;

export const approvalRowSchema = z.object({
  approvalId: z.string(),
  subject: z.record(z.string(), z.string()),
  question: z.string(),
  validHours: z.int(),
  maxReviewMinutes: z.int(),
  askedBy: z.string(),
  expiresAt: z.string(),
  decidedAt: z.string().nullable(),
});
export type ApprovalRow = z.infer<typeof approvalRowSchema>;

export type Approval = ApprovalInput & {
  approvalId: string;
  workspace: string;
  askedBy: string;
  expiresAt: Date;
  decidedAt: Date | null;
};

export type ApprovalStore = {
  /** The token is seen this once; it is signed, and names its approval and its end. */
  createApproval(
    workspace: string,
    input: ApprovalInput,
    actor: string,
  ): Promise<{ approval: Approval; token: string }>;
  /** `not_found` for a token that is not ours, whatever is wrong with it. One that is over or used is found. */
  findApproval(token: string): Promise<Approval>;
  /** Once: `conflict` where it was decided, or its time is over. */
  decideApproval(token: string, decision: ApprovalDecision): Promise<Approval>;
};

export const COMPLETION_FACTS = [
  "finishReason",
  "httpStatus",
  "rootStatus",
  "errorType",
  "exitCode",
  "errors",
  "turns",
] as const;

/** All that are named have to hold of a finished run; `attribute:NAME` is of its root. */
export const completionRuleSchema = z.strictObject({
  name,
  taskType: z.string().min(1).max(200).optional().describe("only runs of it"),
  status: z.enum(OUTCOME_STATUSES).default("passed").describe("what a run is for which all conditions hold"),
  otherwise: z.enum(OUTCOME_STATUSES).optional().describe("and any other of its task type; nothing where absent"),
  when: z
    .array(
      z.strictObject({
        fact: z.union([z.enum(COMPLETION_FACTS), z.string().regex(/^attribute:.{1,200}$/, "is no fact of a run")]),
        is: z.enum(["equal", "not_equal", "at_most", "at_least", "absent"]),
        value: z.string().max(500).default(""),
      }),
    )
    .min(1)
    .max(20),
});
export type CompletionRule = z.output<typeof completionRuleSchema>;

/** What a finished run came to, as texts: "" or absent where it doesn't say. `attributes` are those of its root. */
export type FinishedRun = {
  traceId: string;
  task: string;
  taskType: string;
  endedAtNs: bigint;
  /** When its spans were summed up last: what differs from before has come since. */
  summedUpAtNs: bigint;
  facts: Readonly<Record<string, string>>;
  attributes: Readonly<Record<string, string>>;
};

/** In the warehouse. */
export type FinishedRunStore = {
  /** Runs whose summary was worked out since, and that have a root; to be asked from `asOfNs` the next time. */
  listFinishedRuns(workspace: string, sinceNs: bigint): Promise<{ runs: FinishedRun[]; asOfNs: bigint }>;
};

/** A report that was not taken: told once for all of the same source and reason. */
export type Refusal = { source: string; reason: string; count: number; firstAt: Date; lastAt: Date };

export const evaluationSetSchema = z.strictObject({
  name,
  tasks: z.array(z.string().min(1).max(300)).min(1).max(1000).describe("tasks of the harness, by name or folder"),
  minPassRate: z.number().min(0).max(1).describe("the bar, stated before anything is run"),
  maxCostPerPassUsd: money.optional(),
});
export type EvaluationSet = z.output<typeof evaluationSetSchema>;

/** Within one workspace each; changes are in the audit log, with their actor. */
export type OutcomeSettings = {
  listReviewRates(workspace: string): Promise<ReadonlyMap<string, Decimal>>;
  setReviewRate(workspace: string, rate: ReviewRate, actor: string): Promise<void>;
  listCompletionRules(workspace: string): Promise<CompletionRule[]>;
  /** Of all workspaces. */
  listAllCompletionRules(): Promise<{ workspace: string; rule: CompletionRule; createdAtNs: bigint }[]>;
  /** `conflict` where there is one of that name: a rule that decided something is not changed. */
  createCompletionRule(workspace: string, rule: CompletionRule, actor: string): Promise<void>;
  /** What it decided stays. `not_found`. */
  deleteCompletionRule(workspace: string, name: string, actor: string): Promise<void>;
  listEvaluationSets(workspace: string): Promise<EvaluationSet[]>;
  /** `conflict` where there is one of that name: a bar is not moved. */
  createEvaluationSet(workspace: string, set: EvaluationSet, actor: string): Promise<void>;
  noteRefusal(workspace: string, source: string, reason: string): Promise<void>;
  /** Newest first. */
  listRefusals(workspace: string): Promise<Refusal[]>;
};
