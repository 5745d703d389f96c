/** What the Trace API knows of calls that have no price: how many, of which models, and why they were set aside. */
import type { ApiClient } from "@centspan/api";
import type { CallRow } from "@centspan/model";

export type CallSummary = {
  from: string;
  calls: number;
  unpriced: number;
  quarantined: number;
  /** Calls without a price, by model. */
  unpricedModels: Record<string, number>;
  /** Quarantined calls by reason, of the newest calls of each model that has any: of very many, not all are read. */
  quarantineReasons: Record<string, number>;
};

/** Newest calls that are looked through for reasons, for each model. */
const LOOKED_THROUGH = 2_000;
const ASKABLE_CHARACTERS = 500;

export async function summariseCalls(api: ApiClient, from: string): Promise<CallSummary> {
  const { data: models } = await api.cost({ groupBy: "model", from });
  const sum = (count: (row: (typeof models)[number]) => number): number =>
    models.reduce((total, row) => total + count(row), 0);
  const unpriced = models.filter(({ unpricedCalls }) => unpricedCalls > 0);
  const dubious = models.filter(({ quarantinedCalls }) => quarantinedCalls > 0);
  const newest = await Promise.all(dubious.map(({ group }) => listNewestCalls(api, from, group)));
  return {
    from,
    calls: sum(({ calls }) => calls),
    unpriced: sum(({ unpricedCalls }) => unpricedCalls),
    quarantined: sum(({ quarantinedCalls }) => quarantinedCalls),
    unpricedModels: Object.fromEntries(unpriced.map(({ group, unpricedCalls }) => [group, unpricedCalls])),
    quarantineReasons: countReasons(newest.flat()),
  };
}

async function listNewestCalls(api: ApiClient, from: string, model: string): Promise<CallRow[]> {
  const newest: CallRow[] = [];
  // Calls that name no model can't be asked for by it; nor can those whose model is a text that no address holds.
  const isAskable = model !== "" && model.length <= ASKABLE_CHARACTERS;
  const filter = { from, limit: "1000", ...(isAskable ? { model } : {}) };
  let cursor: string | null = null;
  do {
    const page = await api.calls({ ...filter, ...(cursor === null ? {} : { cursor }) });
    newest.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null && newest.length < LOOKED_THROUGH);
  return newest.filter((call) => call.model === model);
}

function countReasons(calls: readonly CallRow[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { costStatus, quarantineReason } of calls) {
    if (costStatus === "quarantined") counts[quarantineReason] = (counts[quarantineReason] ?? 0) + 1;
  }
  return counts;
}
