/**
 * Two runs side by side, as the Trace API tells it: of each figure the first run's and the second's, and what the second has
 * more. Turns stand beside each other by their order; `walked` is null where a run is too large to be gone through.
 */
import { z } from "zod";
import { traceRowSchema } from "./api-rows.ts";
import { METERS } from "./call.ts";
import { bucketsSchema, money } from "./row-values.ts";
import { WASTE_KINDS, WASTE_LAYERS } from "./waste.ts";

const pair = <T extends z.ZodType>(value: T) => z.tuple([value, value]);
const place = z.object({ traceId: z.string(), spanId: z.string() });
const differenceUsd = money.describe("the second less the first");

/** Where the time of a run went: at each moment the deepest of what was at work counts. */
export const WORK_KINDS = ["inference", "api", "tools", "harness", "other"] as const;
export type WorkKind = (typeof WORK_KINDS)[number];

/** What sets two turns apart: what the model was asked, or what it asked for. */
export const PARTINGS = [
  "model",
  "system",
  "tools",
  "conversation",
  "context",
  "called",
  "arguments",
  "ended_first",
  "ended_second",
] as const;
export type Parting = (typeof PARTINGS)[number];

const turnSchema = z.object({
  number: z.string().describe("as the harness counted it; the place in the order of calls where it did not"),
  ...place.shape,
  costUsd: money.nullable().describe("null where no call of it has a price"),
  promptTokens: z.int(),
  outputTokens: z.int(),
  calls: z.int(),
  tools: z.array(z.string()).readonly().describe("that it called, in order"),
});
export type ComparedTurn = z.infer<typeof turnSchema>;

const walkedSchema = z.object({
  turnCount: pair(z.int()),
  turns: z.array(pair(turnSchema.nullable())).readonly().describe("of very many those around the parting"),
  listedFrom: z.int().describe("place of the first that is listed in the order of turns, from 0"),
  parting: z
    .object({
      at: z.int().describe("place in the order of turns, from 0"),
      by: z.array(z.enum(PARTINGS)).readonly(),
      beforeUsd: pair(money).describe("what the turns before it cost"),
      fromUsd: pair(money).describe("what it and the turns after it cost"),
    })
    .nullable()
    .describe("the first turn at which the two differ; null where they never do"),
  time: z.array(z.object({ kind: z.enum(WORK_KINDS), seconds: pair(z.number()) })).readonly(),
  tools: z
    .array(
      z.object({
        tool: z.string(),
        calls: pair(z.int()),
        failed: pair(z.int()),
        seconds: pair(z.number()),
        first: pair(place.nullable()).describe("its first call"),
      }),
    )
    .readonly(),
});

export const runComparisonSchema = z.object({
  runs: pair(traceRowSchema),
  differenceUsd: money.nullable().describe("the second less the first; null where one of them has no cost"),
  buckets: pair(bucketsSchema),
  meters: z.array(z.object({ meter: z.enum(METERS), costUsd: pair(money), differenceUsd })),
  models: z.array(z.object({ model: z.string(), calls: pair(z.int()), costUsd: pair(money), differenceUsd })),
  causes: z.array(
    z.object({
      cause: z.string(),
      title: z.string(),
      layer: z.enum(WASTE_LAYERS),
      kind: z.enum(WASTE_KINDS),
      costUsd: pair(money),
      differenceUsd,
      seconds: pair(z.number()),
      calls: pair(z.int()),
      proof: pair(place.nullable()).describe("the dearest item's call"),
    }),
  ),
  walked: walkedSchema.nullable(),
});
export type RunComparison = z.infer<typeof runComparisonSchema>;
