/** What pages read of a verdict that is kept with a recommendation. What is not there is not shown; nothing else is needed. */
import { z } from "zod";
import { effectSchema } from "./recommendation.ts";

const range = effectSchema.extend({ blocks: z.number().optional() });
const distribution = z.object({ p50: z.number(), p90: z.number(), p99: z.number() }).nullable();
const waits = z.object({ requests: z.number(), ttftMs: distribution, tpotMs: distribution });
const side = z.object({
  hitRate: z.number(),
  largestBatch: z.number(),
  waits: z.object({ interactive: waits, batch: waits }),
});
const best = z.object({
  usedGpuS: z.number(),
  boundGpuS: z.number(),
  hitRate: z.number(),
  optimalHitRate: z.number(),
});

export const verdictViewSchema = z.object({
  predicted: range.nullable(),
  judged: range.nullable(),
  series: z.array(z.number()),
  before: side.nullable(),
  after: side.nullable(),
  best: z.object({ before: best, after: best }).nullable(),
  whatIf: z.array(
    z.object({
      factor: z.number(),
      effect: range.nullable(),
      breaches: z.array(z.unknown()),
      refused: z.string().nullable(),
    }),
  ),
  worth: z.object({ freedAccelerators: z.number() }).optional(),
});
export type VerdictView = z.infer<typeof verdictViewSchema>;
