/** Spend without an outcome, outcomes without spend, what is parked or was refused; and links that a person makes. */
import { listOnBranch } from "@centspan/attribution";
import { CentspanError, formatDecimal, ratio } from "@centspan/base";
import { nameActor, type Outcome, type TaskMark, unlinkedSchema } from "@centspan/model";
import { z } from "zod";
import { text } from "../queries.ts";
import { defineRoute } from "../route.ts";
import { toOutcomeRow } from "../rows.ts";
import { cohortShape, toTaskQuestion } from "./outcome-cohorts.ts";

const FACTS_DAYS_NS = 90n * 86_400_000_000_000n;

export const listUnlinked = defineRoute({
  id: "listUnlinked",
  method: "GET",
  path: "/outcomes/unlinked",
  summary:
    "Spend without an outcome, most first, and outcomes of the last 90 days without spend, with suggestions; outcomes that contradict themselves, and reports that were refused",
  needs: "figures.read",
  query: z.strictObject({ ...cohortShape, limit: z.coerce.number().int().min(1).max(1000).default(100) }),
  body: z.undefined(),
  answer: unlinkedSchema,
  async run({ deps, caller, query: { limit, ...query } }) {
    const since = deps.clock.nowNs() - FACTS_DAYS_NS;
    const sinceNs = since > 0n ? since : 0n;
    const [open, unlinked, refused] = await Promise.all([
      deps.warehouse.listOpenSpend(caller.workspace, { ...toTaskQuestion(deps, query, "team"), limit }),
      deps.warehouse.listUnlinked(caller.workspace, { sinceNs, limit }),
      deps.control.listRefusals(caller.workspace),
    ]);
    const coverage = ratio(open.allUsd.minus(open.openUsd), open.allUsd);
    const marks = await deps.warehouse.listMarks(caller.workspace, {
      tasks: open.dearest.map(({ task }) => task),
      branches: unlinked.outcomes.flatMap(({ subject: { repository, branch } }) =>
        repository === undefined || branch === undefined ? [] : [{ repository, branch }],
      ),
      sinceNs,
    });
    return {
      coverage: coverage === null ? null : formatDecimal(coverage),
      spend: open.dearest.map(({ task, costUsd, calls }) => ({
        task,
        costUsd: formatDecimal(costUsd),
        calls,
        suggestions: suggestForTask(marks.filter((mark) => mark.task === task)),
      })),
      spendTotal: { tasks: open.openTasks, costUsd: formatDecimal(open.openUsd) },
      outcomes: unlinked.outcomes.map((outcome) => ({
        outcome: toOutcomeRow(outcome),
        suggestions: suggestForOutcome(outcome, marks),
      })),
      outcomesTotal: unlinked.outcomesTotal,
      parked: unlinked.parked.map(({ outcome, reason }) => ({ outcome: toOutcomeRow(outcome), reason })),
      refused: refused.map(({ firstAt, lastAt, ...refusal }) => ({
        ...refusal,
        firstAt: firstAt.toISOString(),
        lastAt: lastAt.toISOString(),
      })),
    };
  },
});

const MOST_SUGGESTIONS = 5;

function suggestForTask(marks: readonly TaskMark[]): string[] {
  const places = new Set(marks.map((mark) => mark.pullRequest || (mark.branch && `${mark.repository} ${mark.branch}`)));
  const named = [...places].filter((place) => place !== "").slice(0, MOST_SUGGESTIONS);
  if (named.length > 0) return named.map((place) => `worked on ${place}: no outcome of it has come`);
  return ["its spans name no branch, commit or pull request: set vcs.* attributes, or post an outcome of the task"];
}

function suggestForOutcome(outcome: Outcome, marks: readonly TaskMark[]): string[] {
  const near = listOnBranch(outcome, marks).slice(0, MOST_SUGGESTIONS);
  if (near.length > 0) return near.map((task) => `${task} worked on the branch in the week before`);
  const { task, runId, traceId, sessionId } = outcome.subject;
  if ((task ?? runId ?? traceId ?? sessionId) !== undefined)
    return ["nothing was spent on what it names: check the name, or link it to a task"];
  return ["no work was seen there: check that its agents send spans, with vcs.* attributes"];
}

export const linkOutcome = defineRoute({
  id: "linkOutcome",
  method: "POST",
  path: "/outcomes/{outcomeId}/link",
  summary: "Says which tasks an outcome is of, and stays: rules do not overrule it. Of none, it counts nowhere",
  needs: "outcomes.curate",
  query: z.strictObject({}),
  body: z.strictObject({ tasks: z.array(text).max(100) }),
  answer: z.object({
    outcomeId: z.string(),
    tasks: z.array(z.string()),
    linkedBy: z.literal("person"),
    decidedBy: z.string(),
  }),
  successStatus: 201,
  async run({ deps, caller, params: { outcomeId = "" }, body: { tasks } }) {
    const [outcome] = await deps.warehouse.listOutcomes(caller.workspace, { outcomeIds: [outcomeId] });
    if (outcome === undefined) throw new CentspanError("not_found", `There is no outcome ${outcomeId}.`);
    const decidedBy = nameActor(caller.principal);
    const link = { outcomeId, tasks: [...new Set(tasks)], linkedBy: "person" as const, reason: "", decidedBy };
    await deps.warehouse.insertOutcomeLinks(caller.workspace, [link]);
    await deps.control.writeAudit(caller.workspace, {
      actor: decidedBy,
      action: "outcome.linked",
      subject: outcomeId,
      details: { tasks: link.tasks.join(", ") },
    });
    return { outcomeId, tasks: link.tasks, linkedBy: "person" as const, decidedBy };
  },
});
