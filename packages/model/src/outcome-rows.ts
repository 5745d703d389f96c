/** Rows of the Trace API about what outcomes cost: tasks one by one, cohorts side by side, further attempts, what is not linked. */
import { z } from "zod";
import { outcomeCostRowSchema, outcomeRowSchema, traceRowSchema } from "./api-rows.ts";
import { OUTCOME_STATUSES } from "./outcome.ts";
import { CONFIDENCES, LINKED_BY } from "./outcome-link.ts";
import { evaluationSetSchema } from "./outcome-stores.ts";
import { instant, money } from "./row-values.ts";

const share = z.string().describe("10 decimals");

/** Where an interval has no end on a side, null. */
const bounds = z.object({ low: share.nullable(), high: share.nullable() });

export const taskRowSchema = z.object({
  task: z.string(),
  group: z.string(),
  team: z.string(),
  firstCallAt: instant,
  attempts: z.int().describe("runs, or 1"),
  calls: z.int(),
  unpricedCalls: z.int(),
  costUsd: money,
  reviewMinutes: z.string(),
  reviewUsd: money.nullable().describe("null where minutes were spent and nobody said what an hour of the team costs"),
  status: z.enum([...OUTCOME_STATUSES, "pending"]),
  reverted: z.boolean(),
  outcomeId: z.string().nullable().describe("the outcome that decided"),
  source: z.string().nullable(),
  linkedBy: z.enum(LINKED_BY).nullable(),
  confidence: z.enum(CONFIDENCES).nullable(),
  decidedAt: instant.nullable(),
  accountable: z.string().nullable().describe("who approved or merged it"),
});
export type TaskRow = z.infer<typeof taskRowSchema>;

/** A task with its runs. */
export const taskRunsRowSchema = taskRowSchema.extend({
  title: z.string(),
  failedUsd: money.describe("what its runs cost whose outcome is failed"),
  runs: z.array(traceRowSchema).describe("the newest of its attempts, in the order in which they began"),
});
export type TaskRunsRow = z.infer<typeof taskRunsRowSchema>;

export const cohortRowSchema = outcomeCostRowSchema.extend({
  passRate: share.nullable(),
  passRateInterval: bounds.nullable().describe("Wilson, 95%"),
});
export type CohortRow = z.infer<typeof cohortRowSchema>;

const difference = z.object({ value: share, low: share.nullable(), high: share.nullable(), level: z.number() });

export const VERDICTS = ["b_lower", "b_higher", "not_shown", "no_data"] as const;

/**
 * B minus A, whatever comes of pending tasks. `moreTasks`, over both, are needed to say anything (`no_data`), or would show a difference
 * of this size, four times in five.
 */
export const comparisonSchema = z.object({
  a: cohortRowSchema,
  b: cohortRowSchema,
  costPerPass: difference.nullable(),
  passRate: difference.nullable(),
  reverted: difference.nullable().describe("of those that had ever passed"),
  verdict: z.enum(VERDICTS),
  passRateVerdict: z.enum(VERDICTS),
  moreTasks: z.int().nullable(),
  summary: z.string().describe("the verdict in words"),
});
export type Comparison = z.infer<typeof comparisonSchema>;

/** `byAttempt`: what each further attempt at tasks bought. `byGroup`: by spend per task, least first. */
export const returnsSchema = z.object({
  byAttempt: z.array(
    z.object({
      attempt: z.int().describe("5: and later"),
      tasks: z.int(),
      morePasses: z.int(),
      spendUsd: money,
      costPerFurtherPassUsd: money.nullable(),
    }),
  ),
  byGroup: z.array(
    z.object({
      group: z.string(),
      tasks: z.int(),
      passed: z.int(),
      spendUsd: money,
      spendPerTaskUsd: money,
      passRate: share,
      costPerPassUsd: money.nullable(),
      spendTimes: share.nullable().describe("spend per task as a multiple of the group that spends least"),
      passRateGain: share.describe("points of pass rate above that group, as a share"),
      costPerFurtherPassUsd: money.nullable().describe("null where more passes are not shown"),
      summary: z.string(),
    }),
  ),
});
export type Returns = z.infer<typeof returnsSchema>;

export const unlinkedSchema = z.object({
  coverage: share.nullable(),
  spend: z.array(z.object({ task: z.string(), costUsd: money, calls: z.int(), suggestions: z.array(z.string()) })),
  /** Over all of them, listed here or not. */
  spendTotal: z.object({ tasks: z.int(), costUsd: money }),
  outcomes: z.array(z.object({ outcome: outcomeRowSchema, suggestions: z.array(z.string()) })),
  outcomesTotal: z.int(),
  parked: z.array(z.object({ outcome: outcomeRowSchema, reason: z.string() })),
  refused: z.array(
    z.object({ source: z.string(), reason: z.string(), count: z.int(), firstAt: z.string(), lastAt: z.string() }),
  ),
});
export type Unlinked = z.infer<typeof unlinkedSchema>;

export const EVALUATION_VERDICTS = ["meets", "misses", "not_shown"] as const;
export type EvaluationVerdict = (typeof EVALUATION_VERDICTS)[number];

export const evaluationSchema = z.object({
  set: evaluationSetSchema,
  ways: z.array(
    z.object({
      way: z.string().describe("a model, with what was set otherwise"),
      cost: cohortRowSchema,
      verdict: z.enum(EVALUATION_VERDICTS),
      moreTasks: z.int().nullable(),
    }),
  ),
  cheapest: z.string().nullable().describe("of ways that meet the bar the one that is shown to cost least"),
  summary: z.string(),
});
export type Evaluation = z.infer<typeof evaluationSchema>;
