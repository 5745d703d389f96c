/**
 * What an engine's work cost by what its spans say of each step, counted as the simulator counts it: how full the engine was kept
 * is no part of it. So a simulation can be held against what was measured, and what was measured after a change against before.
 */
import { buildCluster, type ServingRequest } from "@centspan/serving";
import { type Block, sumBlocks } from "../evaluation/evaluate.ts";
import { countWorkNs, describeFullEngine, type FullEngine } from "../evaluation/work.ts";
import type { Settings } from "../settings/knobs.ts";
import { cutWindow, type Traffic, type Window } from "../traffic/traffic.ts";
import type { DraftedStep } from "./fit-drafts.ts";

/** Accelerator time, and the tokens that were decoded with it: all of an answer but its first, which comes with the prompt. */
export type Cost = { costNs: number; tokens: number };

/** Of traffic all but the beginning, in which caches fill in a simulation, and were full already where it was measured. */
const WARM_UP = 0.1;

export const cutComparable = (traffic: Traffic): Window => cutWindow(traffic, WARM_UP, 1, WARM_UP);

/** The steps of that window, where the requests of the traffic came at these instants. */
export function cutComparableSteps(
  steps: readonly DraftedStep[],
  traffic: Traffic,
  arrivedAtNs: readonly bigint[],
): DraftedStep[] {
  const sinceNs = arrivedAtNs[cutComparable(traffic).uncounted] ?? 0n;
  return steps.filter(({ startNs }) => startNs >= sinceNs);
}

/** Of so many blocks of consecutive steps. */
export function cutMeasuredWork(steps: readonly DraftedStep[], full: FullEngine, blocks: number): Cost[] {
  const inOrder = steps.toSorted((a, b) => (a.startNs < b.startNs ? -1 : a.startNs > b.startNs ? 1 : 0));
  const size = Math.max(1, Math.ceil(inOrder.length / blocks));
  return Array.from({ length: Math.ceil(inOrder.length / size) }, (_, at) => {
    const part = inOrder.slice(at * size, (at + 1) * size);
    const sum = (read: (step: DraftedStep) => number): number => part.reduce((all, step) => all + read(step), 0);
    const sequenceSteps = sum((step) => step.decodeSequences);
    const busyNs = 1e6 * sum((step) => step.stepMs);
    const prefillTokens = sum((step) => step.prefillTokens);
    const costNs = countWorkNs({ busyNs, steps: part.length, prefillTokens, sequenceSteps }, full);
    return { costNs, tokens: sequenceSteps + sum((step) => step.acceptedTokens) };
  });
}

export const costOfBlock = ({ usedNs, outputTokens, requests }: Block): Cost => ({
  costNs: usedNs,
  tokens: outputTokens - requests,
});

/** One replica of what settings describe, for this traffic. */
export function describeFullReplica({ priorities: _, ...config }: Settings, traffic: Traffic): FullEngine | null {
  const [replica] = buildCluster({ ...config, engine: { ...config.engine, blockTokens: traffic.blockTokens } }).cluster
    .replicas;
  return replica === undefined ? null : describeFullEngine(replica, listRequests(traffic));
}

const listRequests = (traffic: Traffic): readonly Pick<ServingRequest, "promptTokens" | "outputTokens">[] =>
  traffic.kind === "open" ? traffic.requests : traffic.sessions.flatMap(({ thread }) => thread);

/** How far what settings take in a simulation is from what steps say, as a share; null where there is nothing to compare. */
export function measureModelError(simulated: readonly Block[], measured: readonly Cost[]): number | null {
  const modelled = costOfBlock(sumBlocks(simulated));
  const costNs = measured.reduce((sum, one) => sum + one.costNs, 0);
  const tokens = measured.reduce((sum, one) => sum + one.tokens, 0);
  if (costNs === 0 || tokens === 0 || modelled.tokens === 0) return null;
  return Math.abs(modelled.costNs / modelled.tokens / (costNs / tokens) - 1);
}
