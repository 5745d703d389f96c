/** What those who rent models can change, each with its saving a month: from the waste ledger. */
import { recommendationInputSchema } from "@centspan/model";
import { adviseSpend } from "@centspan/optimizer";
import { z } from "zod";
import { defineRoute } from "../route.ts";
import { readFixes } from "./waste.ts";

const MOST_FIXES = 20;

export const listAdvice = defineRoute({
  id: "listAdvice",
  method: "GET",
  path: "/advice",
  summary:
    "What those who rent models can change, dearest first, each with its saving a month. A study of kind spend says the same, and can be filed",
  needs: "figures.read",
  query: z.strictObject({ subject: z.string().min(1).max(200).default("all keys") }),
  body: z.undefined(),
  answer: z.object({ data: z.array(recommendationInputSchema), nextCursor: z.null() }),
  run: async ({ deps, caller, query: { subject } }) => ({
    data: adviseSpend(await readFixes({ deps, caller }, { limit: MOST_FIXES }), subject),
    nextCursor: null,
  }),
});
