/**
 * Recommendations on their way: filed, accepted by a person with a name, applied, verified. A key says it; who answers for it
 * is the person who is named, and both are kept.
 */
import {
  nameActor,
  RECOMMENDATION_STATES,
  realisedSchema,
  recommendationInputSchema,
  recommendationSchema,
  stepInputSchema,
  type TakenStep,
} from "@centspan/model";
import { z } from "zod";
import { type ApiDeps, type Caller, defineRoute, type Route } from "../route.ts";

export const listRecommendations = defineRoute({
  id: "listRecommendations",
  method: "GET",
  path: "/recommendations",
  summary: "Recommendations, newest first, with where they stand",
  needs: "figures.read",
  query: z.strictObject({
    state: z.enum(RECOMMENDATION_STATES).optional(),
    limit: z.coerce.number("is not a number").int().min(1).max(1000).default(100),
  }),
  body: z.undefined(),
  answer: z.object({ data: z.array(recommendationSchema), nextCursor: z.null() }),
  run: async ({ deps, caller, query: { state, limit } }) => ({
    data: await deps.control.listRecommendations(caller.workspace, state ?? null, limit),
    nextCursor: null,
  }),
});

export const readRecommendation = defineRoute({
  id: "readRecommendation",
  method: "GET",
  path: "/recommendations/{id}",
  summary:
    "A recommendation whole: effect with its interval, evidence, risks, how to apply and undo, and its way so far",
  needs: "figures.read",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: recommendationSchema,
  run: ({ deps, caller, params: { id = "" } }) => deps.control.readRecommendation(caller.workspace, id),
});

export const proposeRecommendation = defineRoute({
  id: "proposeRecommendation",
  method: "POST",
  mcp: "write",
  path: "/recommendations",
  summary: "Files a recommendation; nothing is applied by it",
  needs: "recommendations.write",
  query: z.strictObject({}),
  body: recommendationInputSchema,
  answer: recommendationSchema,
  successStatus: 201,
  run: ({ deps, caller, body }) =>
    deps.control.proposeRecommendation(caller.workspace, body, nameActor(caller.principal)),
});

type Scope = { deps: ApiDeps; caller: Caller; params: Record<string, string> };

const take = ({ deps, caller, params: { id = "" } }: Scope, step: Parameters<typeof withActor>[1]) =>
  deps.control.stepRecommendation(caller.workspace, id, withActor(caller, step));

type Said = { by: string; note: string };
type Unsigned = Said &
  ({ step: "accept" | "reject" | "applied" | "withdraw" } | Omit<Extract<TakenStep, { step: "verified" }>, "actor">);

const withActor = ({ principal }: Caller, step: Unsigned): TakenStep => ({ ...step, actor: nameActor(principal) });

/** An agent may say that it applied what was accepted, or take back what it filed; to decide is for people. */
const OF_AGENTS: readonly string[] = ["applied", "withdraw"];

const defineStep = (step: "accept" | "reject" | "applied" | "withdraw", summary: string): Route =>
  defineRoute({
    id: step === "applied" ? "applyRecommendation" : `${step}Recommendation`,
    method: "POST",
    ...(OF_AGENTS.includes(step) ? { mcp: "write" } : {}),
    path: `/recommendations/{id}/${step}`,
    summary,
    needs: OF_AGENTS.includes(step) ? "recommendations.write" : "recommendations.decide",
    query: z.strictObject({}),
    body: stepInputSchema,
    answer: recommendationSchema,
    run: ({ body, ...scope }) => take(scope, { step, ...body }),
  });

export const recommendationSteps: readonly Route[] = [
  defineStep("accept", "A person says that it may be applied"),
  defineStep("reject", "A person says that it is not to be applied"),
  defineStep("applied", "It has been applied; only what was accepted can be"),
  defineStep("withdraw", "It is no longer proposed, before it was applied"),
];

export const verifyRecommendation = defineRoute({
  id: "verifyRecommendation",
  method: "POST",
  mcp: "write",
  path: "/recommendations/{id}/verified",
  summary: "What came of it after it was applied, beside what was predicted",
  needs: "recommendations.write",
  query: z.strictObject({}),
  body: stepInputSchema.extend({ realised: realisedSchema }),
  answer: recommendationSchema,
  run: ({ body: { realised, ...said }, ...scope }) => take(scope, { step: "verified", ...said, realised }),
});
