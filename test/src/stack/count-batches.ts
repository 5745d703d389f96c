/** Looks for every span of the batches that were acknowledged, and for what is there more than once. */
import { prefixOf, SPANS_PER_BATCH } from "../otlp/span-batch.ts";
import { type IngestStack, WORKSPACE } from "./ingest-stack.ts";

export type BatchCount = {
  /** Spans of the batches that are not there. */
  lost: number;
  /** Rows beyond one for a span: merging takes them away, and readers do not see them. */
  rawDuplicates: number;
  /** Spans stored with two contents. */
  conflicts: number;
};

export async function countBatches(stack: IngestStack, batches: readonly number[]): Promise<BatchCount> {
  const rows = await stack.query<{ prefix: string; spans: number; copies: number; conflicts: number }>(
    `SELECT prefix, toUInt32(count()) AS spans, toUInt32(sum(rows)) AS copies, toUInt32(countIf(contents > 1)) AS conflicts
     FROM (
       SELECT substring(span_id, 1, 8) AS prefix, count() AS rows, uniqExact(content_hash) AS contents
       FROM spans WHERE workspace = '${WORKSPACE}' GROUP BY workspace, trace_id, span_id
     )
     GROUP BY prefix SETTINGS optimize_aggregation_in_order = 1`,
  );
  const spansOf = new Map(rows.map(({ prefix, spans }) => [prefix, spans]));
  const sum = (of: (row: (typeof rows)[number]) => number): number => rows.reduce((total, row) => total + of(row), 0);
  return {
    lost: batches.reduce((total, batch) => total + SPANS_PER_BATCH - (spansOf.get(prefixOf(batch)) ?? 0), 0),
    rawDuplicates: sum(({ copies, spans }) => copies - spans),
    conflicts: sum(({ conflicts }) => conflicts),
  };
}
