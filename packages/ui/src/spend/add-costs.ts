/** Rows of spend added up to one, exactly. Of rows that count a call more than once (by meter) the calls are no sum. */
import { type CostRow, EMPTY_BUCKETS } from "@centspan/model";
import { addDecimals } from "../format/decimal-text.ts";
import { mergeSplits, resolveProvenance } from "../ledger/resolve-provenance.ts";

export function addCosts(group: string, rows: readonly CostRow[]): CostRow {
  const sum = (pick: (row: CostRow) => number): number => rows.reduce((all, row) => all + pick(row), 0);
  const byProvenance = mergeSplits(rows.map((row) => row.byProvenance));
  return {
    group,
    costUsd: addDecimals(rows.map(({ costUsd }) => costUsd)),
    calls: sum(({ calls }) => calls),
    requests: sum(({ requests }) => requests),
    pricedRequests: sum(({ pricedRequests }) => pricedRequests),
    buckets: rows.reduce((all, { buckets }) => addTokens(all, buckets), EMPTY_BUCKETS),
    unpricedCalls: sum(({ unpricedCalls }) => unpricedCalls),
    quarantinedCalls: sum(({ quarantinedCalls }) => quarantinedCalls),
    provenance: resolveProvenance(byProvenance),
    byProvenance,
  };
}

const addTokens = (a: CostRow["buckets"], b: CostRow["buckets"]): CostRow["buckets"] => ({
  input: a.input + b.input,
  cacheRead: a.cacheRead + b.cacheRead,
  cacheWrite5m: a.cacheWrite5m + b.cacheWrite5m,
  cacheWrite1h: a.cacheWrite1h + b.cacheWrite1h,
  outputText: a.outputText + b.outputText,
  outputReasoning: a.outputReasoning + b.outputReasoning,
  webSearches: a.webSearches + b.webSearches,
});
