/** What rules say of tasks that are told one by one. */
import type { TaskSpend } from "@centspan/model";
import { compareCohorts } from "../compare-cohorts.ts";
import { type CostPerOutcomeOptions, costPerOutcome, sliceTask } from "../cost-per-outcome.ts";

export const costOfTasks = (tasks: readonly TaskSpend[], options: CostPerOutcomeOptions) =>
  costPerOutcome(tasks.map(sliceTask), options);

export const compareTasks = (a: readonly TaskSpend[], b: readonly TaskSpend[], options: CostPerOutcomeOptions) =>
  compareCohorts(a.map(sliceTask), b.map(sliceTask), options);
