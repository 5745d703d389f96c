/**
 * Keeps the summaries that lists of traces read up to date. How far it has come is recorded now and then: what is
 * worked out twice after a restart comes out the same.
 */
import type { JobStore, TraceSummaries } from "@centspan/model";

export const SUMMARY_JOB = "trace-summaries";

const RECORD_EVERY_NS = 10_000_000_000n;

type SummaryStores = { summaries: TraceSummaries; jobs: JobStore };
/** Null until the stores were asked. */
type SummaryState = { doneNs: bigint | null; recordedNs: bigint };

export const createSummaryState = (): SummaryState => ({ doneNs: null, recordedNs: 0n });

export async function runSummaryPass({ summaries, jobs }: SummaryStores, state: SummaryState): Promise<void> {
  if (state.doneNs === null) {
    state.recordedNs = (await jobs.readJob(SUMMARY_JOB))?.watermarkNs ?? 0n;
    state.doneNs = state.recordedNs;
  }
  const { asOfNs } = await summaries.refreshTraceSummaries(state.doneNs);
  state.doneNs = asOfNs;
  if (asOfNs < state.recordedNs + RECORD_EVERY_NS) return;
  await jobs.writeJob(SUMMARY_JOB, asOfNs);
  state.recordedNs = asOfNs;
}
