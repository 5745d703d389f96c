/** Tasks of a cohort with where they stand, and what their review costs: what every answer about outcomes begins with. */
import type { Decimal } from "@centspan/base";
import type { OutcomeGroup, TaskSpend } from "@centspan/model";
import { z } from "zod";
import { filterShape, readFilter, timeZoneParam } from "../queries.ts";
import type { ApiDeps, Caller } from "../route.ts";

const DAY_NS = 86_400_000_000_000n;

export const cohortShape = {
  ...filterShape,
  tz: timeZoneParam,
  maturityDays: z.coerce
    .number("is not a number")
    .int()
    .min(1)
    .max(365)
    .optional()
    .describe("only outcomes in so many days after a task's first call count, and tasks younger than that are pending"),
};
export type CohortQuery = z.output<z.ZodObject<typeof cohortShape>>;

export type Cohort = {
  tasks: TaskSpend[];
  options: { level: number; seed: number; resamples: number; hourlyUsd: ReadonlyMap<string, Decimal> };
};

export async function readCohort(
  { deps, caller }: { deps: ApiDeps; caller: Caller },
  { tz, maturityDays, ...query }: CohortQuery,
  groupBy: OutcomeGroup,
  inFull = false,
): Promise<Cohort> {
  const filter = readFilter(query);
  const maturityNs = maturityDays === undefined ? undefined : BigInt(maturityDays) * DAY_NS;
  const [spend, hourlyUsd] = await Promise.all([
    deps.warehouse.listTaskSpend(caller.workspace, { groupBy, filter, timeZone: tz, maturityNs, inFull }),
    deps.control.listReviewRates(caller.workspace),
  ]);
  const matureFromNs = maturityNs === undefined ? null : deps.clock.nowNs() - maturityNs;
  // What has passed may still be reverted.
  const tasks = spend.map((task) =>
    matureFromNs !== null && task.firstCallAtNs > matureFromNs ? { ...task, status: null, isReverted: false } : task,
  );
  return { tasks, options: { level: 0.95, seed: 1, resamples: 2000, hourlyUsd } };
}
