/** Sets of tasks that ways to work are held against: a bar that is stated first, and who meets it for the least money. */
import { type EvaluatedWay, judgeEvaluation } from "@centspan/attribution";
import { CentspanError, parseDecimal } from "@centspan/base";
import {
  type EvaluationSet,
  evaluationSchema,
  evaluationSetSchema,
  nameActor,
  readEvaluationTask,
} from "@centspan/model";
import { z } from "zod";
import { type ApiDeps, type Caller, defineRoute } from "../route.ts";
import { toCohortRow } from "./compare-outcomes.ts";
import { type CohortQuery, cohortShape, readTasks } from "./outcome-cohorts.ts";

const setList = z.object({ data: z.array(evaluationSetSchema), nextCursor: z.null() });

export const listEvaluations = defineRoute({
  id: "listEvaluations",
  method: "GET",
  path: "/evaluations",
  summary: "Evaluation sets with their bars",
  needs: "figures.read",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: setList,
  run: async ({ deps, caller }) => ({
    data: await deps.control.listEvaluationSets(caller.workspace),
    nextCursor: null,
  }),
});

export const createEvaluation = defineRoute({
  id: "createEvaluation",
  method: "POST",
  path: "/evaluations",
  summary: "Makes an evaluation set; its bar is not moved afterwards",
  needs: "outcomes.curate",
  query: z.strictObject({}),
  body: evaluationSetSchema,
  answer: evaluationSetSchema,
  successStatus: 201,
  async run({ deps, caller, body }) {
    await deps.control.createEvaluationSet(caller.workspace, body, nameActor(caller.principal));
    return body;
  },
});

export const readEvaluation = defineRoute({
  id: "readEvaluation",
  method: "GET",
  path: "/evaluations/{name}",
  summary: "What each way that was tried passes, and for how much; the cheapest that is shown to meet the bar",
  needs: "figures.read",
  query: z.strictObject(cohortShape),
  body: z.undefined(),
  answer: evaluationSchema,
  async run({ deps, caller, params: { name = "" }, query }) {
    const set = (await deps.control.listEvaluationSets(caller.workspace)).find((one) => one.name === name);
    if (set === undefined) throw new CentspanError("not_found", `There is no evaluation set named ${name}.`);
    return evaluateSet({ deps, caller }, set, query);
  },
});

export async function evaluateSet(
  scope: { deps: ApiDeps; caller: Caller },
  set: EvaluationSet,
  query: CohortQuery,
): Promise<z.input<typeof evaluationSchema>> {
  const { tasks, options } = await readTasks(scope, query, "task");
  const tried = tasks.flatMap((task) => {
    const of = readEvaluationTask(task.task);
    return of?.set === set.name ? [{ ...task, group: of.way, setTask: of.task }] : [];
  });
  const { maxCostPerPassUsd } = set;
  const most = maxCostPerPassUsd === undefined ? null : parseDecimal(maxCostPerPassUsd);
  const { ways, cheapest } = judgeEvaluation(tried, { ...set, maxCostPerPassUsd: most }, options);
  return {
    set,
    ways: ways.map((way) => ({ ...way, cost: toCohortRow(way.cost) })),
    cheapest,
    summary: summarise(set, ways, cheapest),
  };
}

function summarise(
  { name, minPassRate }: EvaluationSet,
  ways: readonly EvaluatedWay[],
  cheapest: string | null,
): string {
  const bar = `${(minPassRate * 100).toFixed(1)}% of ${name}`;
  if (cheapest !== null) return `${cheapest} is the cheapest that is shown to pass ${bar}.`;
  const meeting = ways.filter(({ verdict }) => verdict === "meets").map(({ way }) => way);
  if (meeting.length > 0)
    return `${meeting.join(", ")} are shown to pass ${bar}; which of them costs least can't be told yet.`;
  const open = ways.filter(({ verdict }) => verdict === "not_shown");
  if (open.length === 0) return ways.length === 0 ? `Nothing was run of ${name} yet.` : `None passes ${bar}.`;
  const next = open.map(
    ({ way, moreTasks }) => `${way} needs ${moreTasks === null ? "" : `about ${moreTasks} `}more tasks`,
  );
  return `None is shown yet to pass ${bar}: ${next.join(", ")}.`;
}
