import { CentspanError, type Decimal, formatDecimal, sumDecimals } from "@centspan/base";
import { buildSkeleton, encodeSkeleton, SKELETON_TYPE } from "@centspan/model";
import { z } from "zod";
import { defineRoute } from "../route.ts";
import { buildSpanTree } from "../span-tree.ts";
import { sumCostBySpan } from "../trace-rollups.ts";

export const readSkeleton = defineRoute({
  id: "readSkeleton",
  method: "GET",
  path: "/traces/{traceId}/skeleton",
  summary:
    "All spans of one run as columns, some twenty bytes each: tree, times, cost and what was paid twice at and below every " +
    "span; for a waterfall of any size. Its layout: docs/waterfall.md",
  needs: "figures.read",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: z.instanceof(Response),
  answerTypes: [SKELETON_TYPE],
  async run({ deps: { warehouse }, caller: { workspace }, params: { traceId = "" } }) {
    const [stored, spends, waste] = await Promise.all([
      warehouse.readSkeleton(workspace, traceId),
      warehouse.sumTraceCalls(workspace, traceId),
      warehouse.sumSpanWaste(workspace, traceId),
    ]);
    const { columns, conflictingSpanIds, links, turns } = stored;
    if (columns.spanIds.length === 0) {
      throw new CentspanError("not_found", `trace ${traceId}: not in this workspace`);
    }
    const tree = buildSpanTree(
      columns.spanIds.map((spanId, number) => ({ spanId, parentSpanId: columns.parentSpanIds[number] ?? "" })),
    );
    const wasted = [...waste].map(([spanId, costUsd]) => ({ spanId, costUsd }));
    const elsewhere = spends.flatMap(({ spanId, costUsd }) =>
      costUsd === null || tree.numberOf.has(spanId) ? [] : [costUsd],
    );
    const skeleton = buildSkeleton(traceId, columns, {
      links,
      turns,
      costUsd: writeAll(sumCostBySpan(tree, spends)),
      wasteUsd: writeAll(sumCostBySpan(tree, wasted)),
      wasted: [...waste.keys()],
      conflicts: conflictingSpanIds,
      elsewhereUsd: elsewhere.length === 0 ? null : formatDecimal(sumDecimals(elsewhere)),
    });
    const headers = { "content-type": SKELETON_TYPE, "cache-control": "no-store" };
    return new Response(encodeSkeleton(skeleton), { headers });
  },
});

const writeAll = (amounts: ReadonlyMap<string, Decimal>): Map<string, string> =>
  new Map([...amounts].map(([id, amount]) => [id, formatDecimal(amount)]));
