/** Tasks, and what rules say of them where they are told one by one. */
import { parseDecimal } from "@centspan/base";
import { EMPTY_TASK_SPEND, type OutcomeStatus, type TaskSpend } from "@centspan/model";
import { compareCohorts } from "../compare-cohorts.ts";
import { type CostPerOutcomeOptions, costPerOutcome, type OutcomeCost, sliceTask } from "../cost-per-outcome.ts";

export const task = (
  name: string,
  costUsd: string,
  status: OutcomeStatus | null,
  facts: Partial<TaskSpend> = {},
): TaskSpend => ({
  ...EMPTY_TASK_SPEND,
  task: name,
  group: "g",
  costUsd: parseDecimal(costUsd),
  calls: 1,
  status,
  ...facts,
});

/** Decimals as text, for comparison. */
export const show = (row: OutcomeCost) => JSON.parse(JSON.stringify(row));

export const costOfTasks = (tasks: readonly TaskSpend[], options: CostPerOutcomeOptions) =>
  costPerOutcome(tasks.map(sliceTask), options);

export const compareTasks = (a: readonly TaskSpend[], b: readonly TaskSpend[], options: CostPerOutcomeOptions) =>
  compareCohorts(a.map(sliceTask), b.map(sliceTask), options);
