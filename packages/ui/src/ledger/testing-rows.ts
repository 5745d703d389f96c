/** Invented rows of the Trace API for tests. */
import { type CostRow, EMPTY_BUCKETS, type OutcomeCostRow, type TraceRow } from "@centspan/model";

export const makeOutcomeRow = (group: string, rest: Partial<OutcomeCostRow> = {}): OutcomeCostRow => ({
  group,
  spendUsd: "10",
  allSpendUsd: rest.spendUsd ?? "10",
  failedSpendUsd: "2.5",
  tasks: 8,
  passed: 5,
  failed: 3,
  unknown: 0,
  pending: 0,
  costPerPassUsd: "2",
  interval: { lowUsd: "1.5", highUsd: "3", level: 0.95, method: "bootstrap" },
  pendingBounds: null,
  coverage: "1",
  simulatedShare: "0",
  ...rest,
});

export const makeCostRow = (group: string, rest: Partial<CostRow> = {}): CostRow => ({
  group,
  costUsd: "10",
  calls: 40,
  requests: 40,
  buckets: EMPTY_BUCKETS,
  unpricedCalls: 0,
  quarantinedCalls: 0,
  provenance: "measured",
  byProvenance: { measured: "10" },
  ...rest,
});

export const makeTraceRow = (traceId: string, rest: Partial<TraceRow> = {}): TraceRow => ({
  traceId,
  runId: `run_${traceId}`,
  name: "invoke_agent a",
  title: "A task",
  task: "task-1",
  taskType: "bug",
  key: "agents",
  team: "payments",
  model: "m",
  startedAt: "2026-11-29T18:00:00.000000000Z",
  durationNs: "1000",
  spans: 3,
  calls: 2,
  errors: 0,
  costUsd: "1",
  wasteUsd: null,
  provenance: "measured",
  outcome: "passed",
  anomalies: [],
  ...rest,
});
