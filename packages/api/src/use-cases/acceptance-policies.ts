/** What may be applied without a person's word: nothing, unless a policy names it. */
import { acceptancePolicySchema, nameActor } from "@centspan/model";
import { z } from "zod";
import { defineRoute, parseInput } from "../route.ts";

export const listAcceptancePolicies = defineRoute({
  id: "listAcceptancePolicies",
  method: "GET",
  path: "/acceptance-policies",
  summary: "What may be applied without a person's word, by knob; none unless somebody made one",
  needs: "figures.read",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: z.object({ data: z.array(acceptancePolicySchema), nextCursor: z.null() }),
  run: async ({ deps, caller }) => ({
    data: await deps.control.listAcceptancePolicies(caller.workspace),
    nextCursor: null,
  }),
});

export const setAcceptancePolicy = defineRoute({
  id: "setAcceptancePolicy",
  method: "PUT",
  path: "/acceptance-policies/{name}",
  summary:
    "Makes a policy, or replaces it: what is filed from now on and changes no other knobs is accepted in its name",
  needs: "recommendations.decide",
  query: z.strictObject({}),
  body: acceptancePolicySchema.omit({ name: true }),
  answer: acceptancePolicySchema,
  async run({ deps, caller, params: { name = "" }, body }) {
    const policy = parseInput(acceptancePolicySchema, { ...body, name }, "");
    await deps.control.setAcceptancePolicy(caller.workspace, policy, nameActor(caller.principal));
    return policy;
  },
});

export const deleteAcceptancePolicy = defineRoute({
  id: "deleteAcceptancePolicy",
  method: "DELETE",
  path: "/acceptance-policies/{name}",
  summary: "Ends a policy; what it accepted stays accepted",
  needs: "recommendations.decide",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: z.object({ name: z.string() }),
  async run({ deps, caller, params: { name = "" } }) {
    await deps.control.deleteAcceptancePolicy(caller.workspace, name, nameActor(caller.principal));
    return { name };
  },
});
