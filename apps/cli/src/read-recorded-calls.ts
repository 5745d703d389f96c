/** The calls of a workspace and period as a workload: read page by page, of which one is in memory. */
import type { ApiClient } from "@centspan/api";
import { CentspanError, parseInstant } from "@centspan/base";
import type { CallRow } from "@centspan/model";
import { type RecordedCall, type RecordedCalls, readCalls } from "@centspan/serving";
import { locateStores } from "./connection.ts";
import { openStores, requireWorkspace } from "./stores.ts";

export type CallsQuery = {
  data: string;
  workspace: string;
  from?: string;
  to?: string;
  key?: string;
  model?: string;
};

const PAGE_CALLS = "1000";

/** Throws `not_found` where no request can be made of what there is. */
export async function readRecordedCalls(
  { data, workspace, ...filter }: CallsQuery,
  { blockTokens, say }: { blockTokens: number; say: (text: string) => void },
): Promise<RecordedCalls> {
  const stores = openStores(locateStores(data));
  try {
    await requireWorkspace(stores, workspace);
    const recorded = await readCalls(listRecordedCalls(stores.apiFor(workspace), filter, say), { blockTokens });
    if (recorded.requests.length > 0) return recorded;
    const { aggregates, withoutUsage, quarantined } = recorded.leftOut;
    const why = `${aggregates} stand for several requests, ${withoutUsage} have no usage, ${quarantined} are quarantined`;
    throw new CentspanError("not_found", `--calls: nothing to simulate in workspace ${workspace}: of its calls ${why}`);
  } finally {
    await stores.close();
  }
}

/** All calls that the filter means, newest first. */
export async function* listRecordedCalls(
  api: Pick<ApiClient, "calls">,
  { from, to, key, model }: Omit<CallsQuery, "data" | "workspace">,
  say: (text: string) => void,
): AsyncGenerator<RecordedCall> {
  let read = 0;
  let cursor: string | undefined;
  do {
    const page = await api.calls({ from, to, key, model, cursor, limit: PAGE_CALLS });
    for (const row of page.data) yield toRecordedCall(row);
    read += page.data.length;
    say(`reading calls: ${read}`);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** Of calls without a session those of one run are taken for one. */
function toRecordedCall(row: CallRow): RecordedCall {
  const { callId, at, durationNs, sessionId, runId, model, requests, buckets, quarantineReason, provenance } = row;
  const atNs = parseInstant(at);
  if (atNs === null)
    throw new CentspanError("invalid_request", `call ${callId}: at is no time: ${at}`, { field: "at" });
  return {
    callId,
    atNs,
    durationNs: BigInt(durationNs),
    sessionId: sessionId || runId,
    model,
    requests,
    buckets,
    quarantineReason,
    provenance,
  };
}
