/** Tasks with their runs: which attempt passed, and what those cost that failed. */
import { formatDecimal, sumDecimals } from "@centspan/base";
import { may, type TaskRunsRow, type TraceSummary, taskRunsRowSchema } from "@centspan/model";
import { z } from "zod";
import { pageShape, statusParam } from "../queries.ts";
import { type ApiDeps, type Caller, defineRoute } from "../route.ts";
import { toTraceRow } from "../rows.ts";
import { pageTasks, toTaskRow } from "./list-tasks.ts";
import { cohortShape, readTasks } from "./outcome-cohorts.ts";

/** Of all tasks of a page together. */
const MOST_RUNS = 1000;

export const listTaskRuns = defineRoute({
  id: "listTaskRuns",
  method: "GET",
  path: "/tasks",
  summary:
    "Tasks with their runs, the newest first: which attempt passed, and what those cost that failed. Filters and range are of " +
    `a task's first call; all of its runs are told, of very many the newest ${MOST_RUNS} of a page.`,
  needs: "figures.read",
  query: z.strictObject({
    ...cohortShape,
    ...pageShape,
    limit: z.coerce.number("is not a number").int().min(1).max(200).default(50),
    status: statusParam,
  }),
  body: z.undefined(),
  answer: z.object({ data: z.array(taskRunsRowSchema), total: z.int(), nextCursor: z.string().nullable() }),
  async run({ deps, caller, query: { status, limit, cursor, ...query } }) {
    const { tasks, options } = await readTasks({ deps, caller }, query, "task");
    const { page, ...rest } = pageTasks(tasks, { status, limit, cursor });
    const runsOf = await readRuns(
      { deps, caller },
      page.map(({ task }) => task),
    );
    const data = page.map((one): TaskRunsRow => {
      const runs = runsOf.get(one.task) ?? [];
      const failed = runs.filter(({ summary }) => summary.outcome === "failed");
      return {
        ...toTaskRow(one, options.hourlyUsd),
        title: runs.find(({ row }) => row.title !== "")?.row.title ?? "",
        failedUsd: formatDecimal(sumDecimals(failed.flatMap(({ summary }) => summary.costUsd ?? []))),
        runs: runs.map(({ row }) => row),
      };
    });
    return { data, ...rest };
  },
});

type Run = { summary: TraceSummary; row: TaskRunsRow["runs"][number] };

/** By task, in the order in which they began. */
async function readRuns(
  { deps: { warehouse }, caller: { workspace, principal } }: { deps: ApiDeps; caller: Caller },
  tasks: readonly string[],
): Promise<Map<string, Run[]>> {
  if (tasks.length === 0) return new Map();
  const { data } = await warehouse.listTraces(workspace, { tasks, onlyRuns: true }, { limit: MOST_RUNS, cursor: null });
  const traceIds = data.map(({ traceId }) => traceId);
  const [waste, works] = await Promise.all([
    warehouse.sumTraceWaste(workspace, traceIds),
    warehouse.readWorkOfTraces(workspace, traceIds),
  ]);
  const runsOf = new Map<string, Run[]>(tasks.map((task) => [task, []]));
  for (const summary of data.toReversed()) {
    const besides = { wasteUsd: waste.get(summary.traceId) ?? null, work: works.get(summary.traceId) };
    const row = toTraceRow(summary, { ...besides, anomalies: [], showsContent: may(principal, "content.read") });
    runsOf.get(summary.task)?.push({ summary, row });
  }
  return runsOf;
}
