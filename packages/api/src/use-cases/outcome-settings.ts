/** What a workspace says of outcomes: what review costs, and when a run counts as completed. */
import { formatDecimal } from "@centspan/base";
import { completionRuleSchema, nameActor, reviewRateSchema } from "@centspan/model";
import { z } from "zod";
import { type ApiDeps, type Caller, defineRoute } from "../route.ts";

const rateList = z.object({ data: z.array(reviewRateSchema), nextCursor: z.null() });
const ruleList = z.object({ data: z.array(completionRuleSchema), nextCursor: z.null() });

type Asked = { deps: ApiDeps; caller: Caller };

const readRates = async ({ deps, caller }: Asked): Promise<z.input<typeof rateList>> => ({
  data: [...(await deps.control.listReviewRates(caller.workspace))].map(([team, rate]) => ({
    team,
    usdPerHour: formatDecimal(rate),
  })),
  nextCursor: null,
});

const readRules = async ({ deps, caller }: Asked): Promise<z.input<typeof ruleList>> => ({
  data: await deps.control.listCompletionRules(caller.workspace),
  nextCursor: null,
});

export const listReviewRates = defineRoute({
  id: "listReviewRates",
  method: "GET",
  path: "/review-rates",
  summary: "What an hour of review costs, by team",
  needs: "figures.read",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: rateList,
  run: readRates,
});

export const setReviewRate = defineRoute({
  id: "setReviewRate",
  method: "PUT",
  path: "/review-rates",
  summary: "Says what an hour of a team's review costs, of the past too",
  needs: "prices.write",
  query: z.strictObject({}),
  body: reviewRateSchema,
  answer: rateList,
  async run({ deps, caller, body }) {
    await deps.control.setReviewRate(caller.workspace, body, nameActor(caller.principal));
    return readRates({ deps, caller });
  },
});

export const listCompletionRules = defineRoute({
  id: "listCompletionRules",
  method: "GET",
  path: "/completion-rules",
  summary: "Rules by which a finished run counts as completed",
  needs: "figures.read",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: ruleList,
  run: readRules,
});

export const createCompletionRule = defineRoute({
  id: "createCompletionRule",
  method: "POST",
  path: "/completion-rules",
  summary: "Makes a rule; runs that there are get an outcome by it too",
  needs: "outcomes.curate",
  query: z.strictObject({}),
  body: completionRuleSchema,
  answer: ruleList,
  successStatus: 201,
  async run({ deps, caller, body }) {
    await deps.control.createCompletionRule(caller.workspace, body, nameActor(caller.principal));
    return readRules({ deps, caller });
  },
});

export const deleteCompletionRule = defineRoute({
  id: "deleteCompletionRule",
  method: "DELETE",
  path: "/completion-rules/{name}",
  summary: "Ends a rule; outcomes that it made stay",
  needs: "outcomes.curate",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: ruleList,
  async run({ deps, caller, params: { name = "" } }) {
    await deps.control.deleteCompletionRule(caller.workspace, name, nameActor(caller.principal));
    return readRules({ deps, caller });
  },
});
