/** One page of a trace's log records, in the order in which they happened. */
import type { LogRow } from "@centspan/model";
import type { Page } from "../page/page.ts";

export type RunLogs = { records: LogRow[]; olderCursor: string | null; isNewest: boolean };

const RECORDS_PER_PAGE = 200;

export async function loadLogs({ api, params }: Page, traceId: string): Promise<RunLogs> {
  const query = { traceId, limit: String(RECORDS_PER_PAGE), cursor: params.logs };
  const { data, nextCursor } = await api.logs(query);
  return { records: data.toReversed(), olderCursor: nextCursor, isNewest: params.logs === undefined };
}
