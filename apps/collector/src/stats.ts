/** What the collector counts: requests by how they ended, records by signal and by why they were refused. */
import type { Admission } from "@centspan/ingest";
import { SIGNALS, type Signal } from "@centspan/model";

/** Counts by name; a name that never came has none. */
export type Counts = Record<string, number>;

export type Stats = {
  /** By signal: `ok`, or the code of the error that a request was answered with. */
  readonly requests: Readonly<Record<Signal, Counts>>;
  /** Records that are durable, by signal; retries count again. */
  readonly accepted: Readonly<Record<Signal, number>>;
  /** Records that were refused within a request that was taken, by signal and code. */
  readonly rejected: Readonly<Record<Signal, Counts>>;
  countRequest(signal: Signal, outcome: string): void;
  countAccepted(signal: Signal, records: number): void;
  countRejected(signal: Signal, by: Admission["rejectedBy"]): void;
};

export function createStats(): Stats {
  const requests = mapSignals<Counts>(() => ({}));
  const rejected = mapSignals<Counts>(() => ({}));
  const accepted = mapSignals(() => 0);
  return {
    requests,
    accepted,
    rejected,
    countRequest: (signal, outcome) => count(requests[signal], outcome, 1),
    countAccepted(signal, records) {
      accepted[signal] += records;
    },
    countRejected(signal, by) {
      for (const [code, records] of Object.entries(by)) count(rejected[signal], code, records);
    },
  };
}

export function mapSignals<T>(value: (signal: Signal) => T): Record<Signal, T> {
  const [traces, logs, metrics] = SIGNALS;
  return { [traces]: value(traces), [logs]: value(logs), [metrics]: value(metrics) };
}

function count(counts: Counts, name: string, by: number): void {
  counts[name] = (counts[name] ?? 0) + by;
}
