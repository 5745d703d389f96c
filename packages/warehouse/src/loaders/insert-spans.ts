/** Stores spans as they came. An exact retry changes nothing; other content under the same ids is kept beside the first. */
import type { SpanRecord } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { toSpanRow } from "../rows/span-row.ts";

export async function insertSpans(
  connection: Connection,
  workspace: string,
  spans: readonly SpanRecord[],
): Promise<void> {
  await connection.insert(
    "spans",
    spans.map((span) => toSpanRow(workspace, span)),
  );
}
