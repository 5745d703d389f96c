/** A call's prompt against that of the call before it: where the two part, and what of it was paid for again. */
import { z } from "zod";
import { PROVENANCES } from "./call.ts";
import { bucketsSchema, instant, money } from "./row-values.ts";
import { WASTE_CONFIDENCES } from "./waste.ts";

const provenance = z.enum(PROVENANCES);

const promptCallSchema = z.object({
  traceId: z.string(),
  spanId: z.string(),
  at: instant,
  model: z.string(),
  buckets: bucketsSchema,
  costUsd: money.nullable(),
  provenance,
});
export type PromptCall = z.infer<typeof promptCallSchema>;

/** Why text is shown, or is not. */
export const PROMPT_TEXT_STATES = ["shown", "same", "truncated", "not_recorded", "hidden"] as const;

export const promptComparisonSchema = z.object({
  call: promptCallSchema,
  before: promptCallSchema.nullable().describe("null where no earlier call is known"),
  kept: z.boolean().nullable().describe("whether the earlier prompt stayed as it was; null where nobody compared them"),
  section: z.string().describe("part of the prompt that differs first: system, tools, history or results"),
  path: z.string().describe("JSON path of the first difference in the request"),
  change: z.string().describe("what was different there: tool_order, key_order, clock, …"),
  reasons: z.array(z.string()).readonly().describe("what of the request a cache is likely to miss by"),
  sharedPieces: z.int().nullable().describe("leading system texts, tools and items that both have"),
  knownTokens: z.int().nullable().describe("tokens of the prompt that were there before"),
  repeatedTokens: z.int().describe("of them those that were paid for again"),
  idleSeconds: z.number().nullable().describe("from the end of the call before"),
  costUsd: money.describe("what paying for them again cost"),
  seconds: z.number(),
  causes: z.array(
    z.object({
      cause: z.string(),
      title: z.string(),
      costUsd: money,
      seconds: z.number(),
      provenance,
      confidence: z.enum(WASTE_CONFIDENCES),
    }),
  ),
  text: z.object({
    state: z.enum(PROMPT_TEXT_STATES),
    path: z.string().describe("of the first difference in what was recorded"),
    common: z.string().describe("the end of what both have before it"),
    before: z.string(),
    after: z.string(),
  }),
});
export type PromptComparison = z.infer<typeof promptComparisonSchema>;
