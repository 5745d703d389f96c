/**
 * Finds what runs paid for twice, again whenever something of them has come. What is found is a function of what is stored,
 * and takes the place of what was found before: so a pass may be repeated, and is, since stores have several clocks.
 */
import { findWaste, wasteAttributes } from "@centspan/attribution";
import type { ChangedRun, JobStore, RunFacts, WasteItem, WasteStore } from "@centspan/model";
import { rateCall } from "@centspan/pricing";
import type { PricedBy } from "./price-books.ts";

export const WASTE_JOB = "waste";

const OVERLAP_NS = 30_000_000_000n;
const RUNS_AT_ONCE = 50;
const RECORD_EVERY_NS = 1_000_000_000n;

type WasteStores = {
  waste: Pick<WasteStore, "listChangedRuns" | "readRuns" | "replaceWaste">;
  jobs: JobStore;
  readPrices(workspace: string): Promise<PricedBy>;
};

/** Null until the stores were asked. `seen`: up to when each run that may be listed again was looked at. */
type WasteState = { doneNs: bigint | null; recordedNs: bigint; seen: Map<string, bigint> };

export const createWasteState = (): WasteState => ({ doneNs: null, recordedNs: 0n, seen: new Map() });

/** Resolves with how many runs had news. */
export async function runWastePass(stores: WasteStores, state: WasteState): Promise<number> {
  state.doneNs ??= (await stores.jobs.readJob(WASTE_JOB))?.watermarkNs ?? 0n;
  const sinceNs = state.doneNs > OVERLAP_NS ? state.doneNs - OVERLAP_NS : 0n;
  const { asOfNs, runs } = await stores.waste.listChangedRuns(sinceNs);
  const news = runs.filter((run) => run.seenNs > (state.seen.get(keyOf(run)) ?? -1n));
  for (const [workspace, own] of groupByWorkspace(news)) {
    for (let at = 0; at < own.length; at += RUNS_AT_ONCE) {
      const part = own.slice(at, at + RUNS_AT_ONCE);
      await findAgain(stores, workspace, part);
      for (const run of part) state.seen.set(keyOf(run), run.seenNs);
    }
  }
  for (const [key, seenNs] of state.seen) if (seenNs < asOfNs - OVERLAP_NS) state.seen.delete(key);
  state.doneNs = asOfNs;
  if (asOfNs >= state.recordedNs + RECORD_EVERY_NS) {
    await stores.jobs.writeJob(WASTE_JOB, asOfNs);
    state.recordedNs = asOfNs;
  }
  return news.length;
}

async function findAgain({ waste, readPrices }: WasteStores, workspace: string, runs: readonly ChangedRun[]) {
  const { book, ratingRunId } = await readPrices(workspace);
  const facts = await waste.readRuns(workspace, runs, wasteAttributes);
  const find = (run: RunFacts): WasteItem[] => findWaste(run, (call) => rateCall(call, book, ratingRunId).costUsd);
  const items = runs.map(({ run }) => {
    const known = facts.get(run);
    return [run, known === undefined ? [] : find(known)] as const;
  });
  await waste.replaceWaste(workspace, new Map(items));
}

function groupByWorkspace(runs: readonly ChangedRun[]): Map<string, ChangedRun[]> {
  const groups = new Map<string, ChangedRun[]>();
  for (const run of runs) groups.set(run.workspace, [...(groups.get(run.workspace) ?? []), run]);
  return groups;
}

const keyOf = ({ workspace, run }: ChangedRun): string => JSON.stringify([workspace, run]);
