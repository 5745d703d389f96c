/** Rows of the routes that say what was paid for twice. */
import { z } from "zod";
import { PROVENANCES } from "./call.ts";
import { instant, money } from "./row-values.ts";
import { WASTE_CONFIDENCES, WASTE_KINDS, WASTE_LAYERS } from "./waste.ts";

const layer = z.enum(WASTE_LAYERS);
const provenance = z.enum(PROVENANCES);
const place = z.object({ traceId: z.string(), spanId: z.string() });
const seconds = z.number().describe("time lost");
const remedy = z.string().describe("what ends it");

export const wasteRowSchema = z.object({
  group: z.string(),
  layer: z.enum([...WASTE_LAYERS, ""]).describe("of the cause that is the group"),
  kind: z.enum([...WASTE_KINDS, ""]).describe("of the cause that is the group: repeated work, or work that failed"),
  costUsd: money,
  seconds,
  calls: z.int(),
  runs: z.int(),
  topEvidence: place.nullable().describe("the dearest item's call"),
  provenance: provenance.nullable(),
});
export type WasteRow = z.infer<typeof wasteRowSchema>;

/** Useful + repeated + failed + not analysed = spend, exactly. */
export const wasteTotalsSchema = z.object({
  spendUsd: money,
  usefulUsd: money.describe("what is left of it: not repeated, and not known to have failed"),
  wasteUsd: money.describe("what was paid for twice"),
  failedUsd: money.describe("spent on work that came to nothing"),
  notAnalysedUsd: money.describe("spent on calls that no gateway of ours saw, or that are of traces too large to read"),
  seconds,
});
export const wasteSchema = z.object({ data: z.array(wasteRowSchema), total: wasteTotalsSchema, nextCursor: z.null() });
export type WasteAnswer = z.infer<typeof wasteSchema>;

export const wasteEvidenceSchema = z
  .object({
    section: z.string().describe("part of the prompt: system, tools, history or results"),
    path: z.string().describe("JSON path of the first difference"),
    change: z.string().describe("what was different there: tool_order, key_order, clock, …"),
    reasons: z.array(z.string()).readonly(),
    previousSpanId: z.string().describe("of the call that it is compared with"),
    requestId: z.string().describe("what the provider calls the request, or else its response"),
    previousRequestId: z.string().describe("the same of the call that it is compared with"),
    turn: z.int().describe("number of the agent loop's turn"),
    sinceAt: instant.describe("since when it is so within its run"),
    knownTokens: z.int().describe("tokens of the prompt that were there before"),
    cachedTokens: z.int().describe("of them those that a cache served"),
    repeatedTokens: z.int().describe("of them those that were paid for again"),
    tools: z.array(z.string()).readonly(),
    spanIds: z.array(z.string()).readonly(),
    from: z.string(),
    to: z.string(),
    idleSeconds: z.number(),
  })
  .partial();

export const wasteItemRowSchema = z.object({
  itemId: z.string(),
  cause: z.string(),
  layer,
  kind: z.enum(WASTE_KINDS),
  ...place.shape,
  callId: z.string(),
  at: instant,
  key: z.string(),
  team: z.string(),
  task: z.string(),
  model: z.string(),
  costUsd: money,
  seconds,
  confidence: z.enum(WASTE_CONFIDENCES),
  evidence: wasteEvidenceSchema,
  remedy,
  provenance,
});
export type WasteItemRow = z.infer<typeof wasteItemRowSchema>;

export const wasteFixRowSchema = z.object({
  cause: z.string(),
  layer,
  title: z.string(),
  remedy,
  section: z.string(),
  path: z.string(),
  change: z.string(),
  since: instant.describe("the first call that it is known of"),
  savingPerMonthUsd: money,
  interval: z
    .object({ lowUsd: money, highUsd: money, level: z.number() })
    .nullable()
    .describe("of the saving, by how days differ; null where fewer than seven are known"),
  secondsPerMonth: z.number(),
  calls: z.int(),
  runs: z.int(),
  keys: z.array(z.string()).readonly(),
  teams: z.array(z.string()).readonly(),
  proof: z.array(place.extend({ task: z.string(), costUsd: money })).describe("of the runs that lost most by it"),
  provenance: provenance.nullable(),
});
export type WasteFixRow = z.infer<typeof wasteFixRowSchema>;

export const wasteCauseRowSchema = z.object({
  cause: z.string(),
  title: z.string(),
  describe: z.string(),
  remedy,
  layer,
  kind: z.enum(WASTE_KINDS),
});

/** Of one trace: useful + repeated + failed + not analysed = paid, exactly. */
export const balanceSchema = z.object({
  paidUsd: money,
  usefulUsd: money,
  repeatedUsd: money,
  failedUsd: money,
  notAnalysedUsd: money,
  repeatedSeconds: z.number(),
  causes: z.array(
    z.object({
      cause: z.string(),
      title: z.string(),
      layer,
      kind: z.enum(WASTE_KINDS),
      costUsd: money,
      seconds,
      items: z.int(),
      provenance: provenance.nullable(),
    }),
  ),
  layers: z.array(z.object({ layer, costUsd: money, seconds })),
});
export type BalanceRow = z.infer<typeof balanceSchema>;
