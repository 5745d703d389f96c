/**
 * Stores whole spans by the way that exported ones take: as an OTLP body, then a block of columns. An exact retry
 * changes nothing; other content under the same ids is kept beside the first. Whoever stores whole spans lists them next,
 * so their traces are summarised at once.
 */
import { CentspanError, createId } from "@centspan/base";
import { createBlockBuilder, encodeSpans } from "@centspan/ingest";
import type { SpanRecord } from "@centspan/model";
import { runInChunks } from "../chunks.ts";
import type { Connection } from "../connection.ts";
import { requireInstant } from "../instants.ts";
import { insertBlock } from "./insert-block.ts";
import { summariseTraces } from "./refresh-trace-summaries.ts";

const SPANS_PER_BLOCK = 10_000;

export async function insertSpans(
  connection: Connection,
  workspace: string,
  spans: readonly SpanRecord[],
): Promise<void> {
  for (const { startedAtNs, endedAtNs, events } of spans) {
    requireInstant(startedAtNs, "startedAtNs");
    requireInstant(endedAtNs, "endedAtNs");
    for (const { atNs } of events) requireInstant(atNs, "atNs");
  }
  for (let start = 0; start < spans.length; start += SPANS_PER_BLOCK) {
    const builder = createBlockBuilder("spans");
    const part = spans.slice(start, start + SPANS_PER_BLOCK);
    for (const isTrusted of [true, false]) {
      const alike = part.filter(({ trusted }) => trusted === isTrusted);
      const { rejected, reasons } = builder.add(workspace, encodeSpans(alike), isTrusted);
      const [reason] = reasons;
      if (reason) throw new CentspanError("invalid_request", `${rejected} spans can't be stored: ${reason.message}`);
    }
    await insertBlock(connection, "spans", builder.take(), createId("spans"));
  }
  const ids = new Set(spans.map(({ traceId }) => traceId));
  await runInChunks([...ids], (traceIds) =>
    summariseTraces(connection, {
      sql: ["workspace = {workspace:String}", "trace_id IN {traceIds:Array(String)}"],
      params: { workspace, traceIds },
    }),
  );
}
