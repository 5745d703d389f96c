/** What a run's page asks for beside itself, by name: their shapes, as both ends know them. */
import { callRowSchema, logRowSchema, spanDetailSchema, spanFactsSchema, wasteItemRowSchema } from "@centspan/model";
import { z } from "zod";

const laneSchema = z.object({
  startNs: z.string(),
  endNs: z.string(),
  text: z.string(),
  bars: z.array(z.object({ leftPct: z.number(), widthPct: z.number(), heightPct: z.number(), mixed: z.boolean() })),
  steps: z.array(z.object({ traceId: z.string(), spanId: z.string(), startNs: z.string(), endNs: z.string() })),
});

export const PART_SCHEMAS = {
  /** By span id what its row says. */
  notes: z.record(z.string(), z.object({ text: z.string(), attention: z.boolean() })),
  /** Engine steps that a span links to; null where none is there. */
  steps: laneSchema.nullable(),
  context: z.object({
    calls: z.array(callRowSchema),
    areAll: z.boolean(),
    turns: z.array(spanFactsSchema),
    waste: z.array(wasteItemRowSchema),
  }),
  span: z.object({
    span: spanDetailSchema,
    calls: z.array(callRowSchema),
    waste: z.array(wasteItemRowSchema),
    words: z.record(z.string(), z.object({ title: z.string(), describe: z.string(), remedy: z.string() })),
  }),
  logs: z.array(logRowSchema),
};

export type PartName = keyof typeof PART_SCHEMAS;
export type Part<Name extends PartName> = z.infer<(typeof PART_SCHEMAS)[Name]>;
export type Lane = z.infer<typeof laneSchema>;
