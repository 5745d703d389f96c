/** Studies: asked, looked at, waited for, given up, and what they recommend filed. Working on them is the worker's. */
import { setTimeout as sleep } from "node:timers/promises";
import { isStudyOver, nameActor, recommendationSchema, studyInputSchema, studySchema } from "@centspan/model";
import { z } from "zod";
import { requirePermission } from "../require-permission.ts";
import { defineRoute } from "../route.ts";

const MOST_WAIT_S = 50;
const LOOK_EVERY_MS = 200;

export const startStudy = defineRoute({
  id: "startStudy",
  method: "POST",
  mcp: "write",
  path: "/studies",
  summary:
    "Asks the optimizer: search (settings for an engine or recorded calls, judged on later traffic), spend (what the waste ledger advises) or verification (what came of an applied recommendation). Read it with readStudy",
  needs: "simulations.run",
  query: z.strictObject({}),
  body: z.strictObject({ study: studyInputSchema }),
  answer: studySchema,
  successStatus: 201,
  async run({ deps, caller: { workspace, principal }, body: { study } }) {
    // It takes a step of the recommendation when it is done.
    if (study.kind === "verification") requirePermission(principal, "recommendations.write");
    return deps.control.insertStudy(workspace, study, nameActor(principal));
  },
});

export const listStudies = defineRoute({
  id: "listStudies",
  method: "GET",
  path: "/studies",
  summary: "Studies, newest first, with where they are",
  needs: "figures.read",
  query: z.strictObject({ limit: z.coerce.number("is not a number").int().min(1).max(1000).default(100) }),
  body: z.undefined(),
  answer: z.object({ data: z.array(studySchema), nextCursor: z.null() }),
  run: async ({ deps, caller, query: { limit } }) => ({
    data: await deps.control.listStudies(caller.workspace, limit),
    nextCursor: null,
  }),
});

export const readStudy = defineRoute({
  id: "readStudy",
  method: "GET",
  path: "/studies/{id}",
  summary: "A study: where it is, and what it recommends or why it recommends nothing",
  needs: "figures.read",
  query: z.strictObject({
    waitS: z.coerce
      .number("is not a number")
      .min(0)
      .max(MOST_WAIT_S)
      .default(0)
      .describe("answer only once it is over, or after so long"),
  }),
  body: z.undefined(),
  answer: studySchema,
  async run({ deps, caller, params: { id = "" }, query: { waitS } }) {
    const untilNs = deps.clock.nowNs() + BigInt(Math.round(waitS * 1e9));
    for (;;) {
      const study = await deps.control.readStudy(caller.workspace, id);
      if (isStudyOver(study.state) || deps.clock.nowNs() >= untilNs) return study;
      await sleep(LOOK_EVERY_MS);
    }
  },
});

export const cancelStudy = defineRoute({
  id: "cancelStudy",
  method: "POST",
  mcp: "write",
  path: "/studies/{id}/cancel",
  summary: "Gives a study up that is not over",
  needs: "simulations.run",
  query: z.strictObject({}),
  body: z.strictObject({}).prefault({}),
  answer: studySchema,
  run: ({ deps, caller, params: { id = "" } }) =>
    deps.control.cancelStudy(caller.workspace, id, nameActor(caller.principal)),
});

export const fileStudy = defineRoute({
  id: "fileStudy",
  method: "POST",
  mcp: "write",
  path: "/studies/{id}/file",
  summary:
    "Files what a study recommends, with its evidence as it was found; nothing is applied by it. Filed again, it is the same recommendation",
  needs: "recommendations.write",
  query: z.strictObject({}),
  body: z.strictObject({
    at: z.int().min(0).default(0).describe("which of its recommendations"),
    because: z.string().max(4_000).default("").describe("why it was looked for"),
    traceIds: z
      .array(z.string().regex(/^[0-9a-f]{32}$/))
      .max(50)
      .default([])
      .describe("runs that show it"),
  }),
  answer: recommendationSchema,
  successStatus: 201,
  async run({ deps, caller, params: { id = "" }, body }) {
    const filing = { ...body, actor: nameActor(caller.principal) };
    const recommendation = await deps.control.fileStudy(caller.workspace, id, filing);
    return deps.control.readRecommendation(caller.workspace, recommendation);
  },
});
