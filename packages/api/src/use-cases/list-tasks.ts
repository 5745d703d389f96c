import { priceReview } from "@centspan/attribution";
import { type Decimal, formatDecimal, formatInstant } from "@centspan/base";
import { confidenceOf, OUTCOME_GROUPS, type TaskRow, type TaskSpend, taskRowSchema } from "@centspan/model";
import { z } from "zod";
import { pageShape, statusParam } from "../queries.ts";
import { defineRoute } from "../route.ts";
import { cohortShape, readTasks } from "./outcome-cohorts.ts";

export const listTasks = defineRoute({
  id: "listTasks",
  method: "GET",
  path: "/outcomes/tasks",
  summary:
    "Tasks with what was spent on them, where they stand, by which outcome, and who answers for it; the newest first",
  needs: "figures.read",
  query: z.strictObject({
    ...cohortShape,
    ...pageShape,
    groupBy: z.enum(OUTCOME_GROUPS).default("team"),
    group: z.string().max(500).optional().describe("only tasks of this group"),
    status: statusParam,
  }),
  body: z.undefined(),
  answer: z.object({ data: z.array(taskRowSchema), total: z.int(), nextCursor: z.string().nullable() }),
  async run({ deps, caller, query: { groupBy, group, status, limit, cursor, ...query } }) {
    const { tasks, options } = await readTasks({ deps, caller }, query, groupBy);
    const { page, ...rest } = pageTasks(
      tasks.filter((one) => group === undefined || one.group === group),
      { status, limit, cursor },
    );
    return { data: page.map((one) => toTaskRow(one, options.hourlyUsd)), ...rest };
  },
});

type PageOfTasks = { status?: TaskRow["status"] | undefined; limit: number; cursor?: string | undefined };

/** The newest first. What was spent on no task is none. */
export function pageTasks(tasks: readonly TaskSpend[], { status, limit, cursor }: PageOfTasks) {
  const chosen = tasks
    .filter((one) => one.task !== "" && (status === undefined || (one.status ?? "pending") === status))
    .sort((a, b) => (placeOf(a) < placeOf(b) ? 1 : -1));
  const rest = cursor === undefined ? chosen : chosen.filter((one) => placeOf(one) < cursor);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return { page, total: chosen.length, nextCursor: last !== undefined && rest.length > limit ? placeOf(last) : null };
}

/** Orders by time, then by name. */
const placeOf = ({ firstCallAtNs, task }: TaskSpend): string => `${firstCallAtNs.toString().padStart(19, "0")} ${task}`;

export function toTaskRow(task: TaskSpend, hourlyUsd: ReadonlyMap<string, Decimal>): TaskRow {
  const { decision, status, decidedAtNs } = task;
  const reviewUsd = priceReview(task, hourlyUsd);
  return {
    task: task.task,
    group: task.group,
    team: task.team,
    firstCallAt: formatInstant(task.firstCallAtNs),
    attempts: task.attempts,
    calls: task.calls,
    unpricedCalls: task.unpricedCalls,
    costUsd: formatDecimal(task.costUsd),
    reviewMinutes: formatDecimal(task.reviewMinutes),
    reviewUsd: reviewUsd === null ? null : formatDecimal(reviewUsd),
    status: status ?? "pending",
    reverted: task.isReverted,
    outcomeId: decision?.outcomeId ?? null,
    source: decision?.source ?? null,
    linkedBy: decision?.linkedBy ?? null,
    confidence: decision ? confidenceOf(decision.linkedBy) : null,
    decidedAt: decidedAtNs === null ? null : formatInstant(decidedAtNs),
    accountable: decision?.accountable || null,
  };
}
