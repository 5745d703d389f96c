/** What was paid for twice: sums, what to fix first, the items that prove it, and one run's balance sheet. */
import { forecastSaving, wasteCauses } from "@centspan/attribution";
import { CentspanError, formatDecimal, formatInstant, sumDecimals } from "@centspan/base";
import {
  balanceSchema,
  resolveProvenance,
  WASTE_GROUPS,
  WASTE_LAYERS,
  type WasteCause,
  type WasteFix,
  type WasteFixRow,
  type WasteItem,
  type WasteTotals,
  wasteCauseRowSchema,
  wasteFixRowSchema,
  wasteItemRowSchema,
  wasteSchema,
} from "@centspan/model";
import { z } from "zod";
import { filterShape, readFilter, text, timeZoneParam } from "../queries.ts";
import { type ApiDeps, type Caller, defineRoute } from "../route.ts";

const LEVEL = 0.95;
const DAY_NS = 86_400_000_000_000n;
const MONTH_DAYS = 30.4375;

const causeOf = new Map<string, WasteCause>(wasteCauses.map((cause) => [cause.id, cause]));
/** Of a cause that is no longer known items may be left. */
const remedyOf = (cause: string): string => causeOf.get(cause)?.remedy ?? "";
export const titleOf = (cause: string): string => causeOf.get(cause)?.title ?? cause;

export const sumWaste = defineRoute({
  id: "sumWaste",
  method: "GET",
  path: "/waste",
  summary:
    "What was paid for twice, by cause, layer, key, team, task or day, and what of all spend that is. Causes take from a call one after the other, so they never add up to more than it cost.",
  needs: "figures.read",
  query: z.strictObject({
    ...filterShape,
    groupBy: z.enum(WASTE_GROUPS),
    cause: text.optional(),
    tz: timeZoneParam,
    limit: z.coerce
      .number("is not a number")
      .int()
      .min(1)
      .max(10_000)
      .optional()
      .describe("so many groups, the dearest first"),
  }),
  body: z.undefined(),
  answer: wasteSchema,
  async run({ deps: { warehouse }, caller: { workspace }, query: { groupBy, tz, cause, limit, ...shape } }) {
    const filter = readFilter(shape);
    const ofCause = { ...filter, ...(cause !== undefined && { cause }) };
    const [sums, totals] = await Promise.all([
      warehouse.sumWaste(workspace, { groupBy, filter: ofCause, timeZone: tz, limit }),
      warehouse.sumWasteTotals(workspace, filter),
    ]);
    return {
      data: sums.map(({ costUsd, byProvenance, ...sum }) => ({
        ...sum,
        costUsd: formatDecimal(costUsd),
        provenance: resolveProvenance(byProvenance),
      })),
      total: {
        spendUsd: formatDecimal(totals.spendUsd),
        wasteUsd: formatDecimal(totals.repeatedUsd),
        seconds: totals.seconds,
        ...toShares(totals),
      },
      nextCursor: null,
    };
  },
});

/** What is left of spend beside repeated work. */
const toShares = ({ spendUsd, repeatedUsd, failedUsd, notAnalysedUsd }: WasteTotals) => ({
  usefulUsd: formatDecimal(spendUsd.minus(repeatedUsd).minus(failedUsd).minus(notAnalysedUsd)),
  failedUsd: formatDecimal(failedUsd),
  notAnalysedUsd: formatDecimal(notAnalysedUsd),
});

export const listFixes = defineRoute({
  id: "listFixes",
  method: "GET",
  path: "/waste/top",
  summary:
    "The things to fix first: what each would save in a month, at its pace since the first call of the range (of all time unless said), with the runs that prove it",
  needs: "figures.read",
  query: z.strictObject({ ...filterShape, limit: z.coerce.number("is not a number").int().min(1).max(50).default(5) }),
  body: z.undefined(),
  answer: z.object({ data: z.array(wasteFixRowSchema), nextCursor: z.null() }),
  run: async ({ query, ...asked }) => ({ data: await readFixes(asked, query), nextCursor: null }),
});

type FixQuery = Omit<Parameters<typeof readFilter>[0], "cursor"> & { limit: number };

export async function readFixes(
  { deps: { warehouse, clock }, caller: { workspace } }: { deps: ApiDeps; caller: Caller },
  { limit, ...shape }: FixQuery,
): Promise<WasteFixRow[]> {
  const toNs = shape.to ?? clock.nowNs();
  const fixes = await warehouse.listFixes(workspace, readFilter({ ...shape, to: toNs }), limit);
  return fixes.map((fix) => toFixRow(fix, toNs));
}

function toFixRow(
  { costUsd, dailyUsd, byProvenance, seconds, firstNs, watchedFromNs, proof, ...fix }: WasteFix,
  toNs: bigint,
) {
  const days = Math.max(1, Math.ceil(Number(toNs - watchedFromNs) / Number(DAY_NS)));
  const { monthUsd, interval } = forecastSaving(dailyUsd, costUsd, days);
  return {
    ...fix,
    title: titleOf(fix.cause),
    remedy: remedyOf(fix.cause),
    since: formatInstant(firstNs),
    savingPerMonthUsd: formatDecimal(monthUsd),
    interval: interval && {
      lowUsd: formatDecimal(interval.lowUsd),
      highUsd: formatDecimal(interval.highUsd),
      level: LEVEL,
    },
    secondsPerMonth: (seconds / days) * MONTH_DAYS,
    proof: proof.map((one) => ({ ...one, costUsd: formatDecimal(one.costUsd) })),
    provenance: resolveProvenance(byProvenance),
  };
}

export const listWaste = defineRoute({
  id: "listWaste",
  method: "GET",
  path: "/waste/items",
  summary: "Single calls that paid for something twice, the dearest first, with what proves it",
  needs: "figures.read",
  query: z.strictObject({
    ...filterShape,
    cause: text.optional(),
    layer: z.enum(WASTE_LAYERS).optional(),
    spanId: text.optional(),
    limit: z.coerce.number("is not a number").int().min(1).max(1000).default(100),
  }),
  body: z.undefined(),
  answer: z.object({ data: z.array(wasteItemRowSchema), nextCursor: z.null() }),
  async run({ deps: { warehouse }, caller: { workspace }, query: { cause, layer, spanId, limit, ...shape } }) {
    const filter = {
      ...readFilter(shape),
      ...(cause !== undefined && { cause }),
      ...(layer !== undefined && { layer }),
      ...(spanId !== undefined && { spanId }),
    };
    const items = await warehouse.listWaste(workspace, filter, limit);
    return { data: items.map(toItemRow), nextCursor: null };
  },
});

function toItemRow({
  atNs,
  costUsd,
  runId: _run,
  keyId: _key,
  taskType: _type,
  repository: _at,
  provider: _by,
  ...same
}: WasteItem) {
  return { ...same, at: formatInstant(atNs), costUsd: formatDecimal(costUsd), remedy: remedyOf(same.cause) };
}

export const listWasteCauses = defineRoute({
  id: "listWasteCauses",
  method: "GET",
  path: "/waste/causes",
  summary: "The causes of waste that are looked for, in the order in which they take from a call",
  needs: "figures.read",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: z.object({ data: z.array(wasteCauseRowSchema), nextCursor: z.null() }),
  async run() {
    const inOrder = wasteCauses.toSorted((a, b) => a.rank - b.rank);
    const data = inOrder.map(({ id, title, describe, remedy, layer, kind }) => ({
      cause: id,
      title,
      describe,
      remedy,
      layer,
      kind,
    }));
    return { data, nextCursor: null };
  },
});

export const readBalance = defineRoute({
  id: "readBalance",
  method: "GET",
  path: "/traces/{traceId}/balance",
  summary: "One run's balance sheet: what it paid, of that useful, repeated and failed, by cause and by layer",
  needs: "figures.read",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: balanceSchema,
  async run({ deps: { warehouse }, caller: { workspace }, params: { traceId = "" } }) {
    const filter = { traceId };
    const [head, causes, totals] = await Promise.all([
      warehouse.readTraceHead(workspace, traceId),
      warehouse.sumWaste(workspace, { groupBy: "cause", filter, timeZone: "UTC" }),
      warehouse.sumWasteTotals(workspace, filter),
    ]);
    if (head === null) throw new CentspanError("not_found", `trace ${traceId}: not in this workspace`);
    const layers = WASTE_LAYERS.map((layer) => {
      const own = causes.filter((sum) => sum.layer === layer && sum.kind === "repeated");
      return {
        layer,
        costUsd: formatDecimal(sumDecimals(own.map((sum) => sum.costUsd))),
        seconds: own.reduce((sum, each) => sum + each.seconds, 0),
      };
    });
    return {
      paidUsd: formatDecimal(totals.spendUsd),
      repeatedUsd: formatDecimal(totals.repeatedUsd),
      repeatedSeconds: totals.seconds,
      ...toShares(totals),
      causes: causes.flatMap((sum) =>
        sum.layer === "" || sum.kind === ""
          ? []
          : [
              {
                cause: sum.group,
                title: titleOf(sum.group),
                layer: sum.layer,
                kind: sum.kind,
                costUsd: formatDecimal(sum.costUsd),
                seconds: sum.seconds,
                items: sum.calls,
                provenance: resolveProvenance(sum.byProvenance),
              },
            ],
      ),
      layers,
    };
  },
});
