/** Tasks of a cohort with where they stand, and what their review costs: what every answer about outcomes begins with. */
import { MOST_RESAMPLED } from "@centspan/attribution";
import type { Decimal } from "@centspan/base";
import type { OutcomeGroup, TaskQuestion, TaskSlice } from "@centspan/model";
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

const OPTIONS = { level: 0.95, seed: 1, resamples: 2000 };

type Asked = { deps: ApiDeps; caller: Caller };
type Options = typeof OPTIONS & { hourlyUsd: ReadonlyMap<string, Decimal> };

/** What a cohort is asked of the store as. */
export function toTaskQuestion(
  { clock }: ApiDeps,
  { tz, maturityDays, ...query }: CohortQuery,
  groupBy: OutcomeGroup,
): TaskQuestion {
  const question = { groupBy, filter: readFilter(query), timeZone: tz };
  if (maturityDays === undefined) return question;
  const maturityNs = BigInt(maturityDays) * DAY_NS;
  return { ...question, maturityNs, matureFromNs: clock.nowNs() - maturityNs };
}

/** All of its tasks by themselves, however many. */
export async function readTasks({ deps, caller: { workspace } }: Asked, query: CohortQuery, groupBy: OutcomeGroup) {
  const [tasks, hourlyUsd] = await Promise.all([
    deps.warehouse.listTaskSpend(workspace, toTaskQuestion(deps, query, groupBy)),
    deps.control.listReviewRates(workspace),
  ]);
  return { tasks, options: { ...OPTIONS, hourlyUsd } };
}

/** Its tasks by themselves where they are few enough to be resampled, else added up; `groups`: of these alone. */
export async function readCohort(
  { deps, caller: { workspace } }: Asked,
  query: CohortQuery,
  groupBy: OutcomeGroup,
  groups?: readonly string[],
): Promise<{ slices: TaskSlice[]; options: Options }> {
  const [slices, hourlyUsd] = await Promise.all([
    deps.warehouse.sliceTasks(workspace, {
      ...toTaskQuestion(deps, query, groupBy),
      groups,
      mostSingle: MOST_RESAMPLED * Math.max(1, groups?.length ?? 1),
    }),
    deps.control.listReviewRates(workspace),
  ]);
  return { slices, options: { ...OPTIONS, hourlyUsd } };
}
