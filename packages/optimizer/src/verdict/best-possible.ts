/**
 * How much better anything could be, in accelerator seconds: what the offline optimum would have found in a cache of this
 * size (Belady), and what the traffic takes when every step is as full as the settings let it be (a roofline of the same
 * step-time model). Neither can be reached; both say when to stop looking.
 */
import { findKvPolicy } from "@centspan/policies";
import { type Prompt, type ReplicaSpec, replayChains, type StepTimeCoefficients } from "@centspan/serving";
import { type SimulatedWindow, simulateWindow } from "../evaluation/simulate-window.ts";
import { measureWork } from "../evaluation/work.ts";
import type { Settings } from "../settings/knobs.ts";
import type { Window } from "../traffic/traffic.ts";

export type BestPossible = {
  /** What these settings take, and what no settings could go below. */
  usedGpuS: number;
  boundGpuS: number;
  /** Prompt tokens found by these settings, and by the optimum in one cache as large as all of theirs. */
  hitRate: number;
  optimalHitRate: number;
  /** What computing the difference costs. */
  cacheGapGpuS: number;
};

const MS_PER_S = 1_000;

/**
 * The window's warming up counts here too: the optimum has the same past. `most`: the largest batch whose step times are known.
 */
export function findBestPossible(settings: Settings, window: Window, most = Number.POSITIVE_INFINITY): BestPossible {
  const { blockTokens } = window.traffic;
  const simulated = simulateWindow(settings, window);
  const { run, cluster, seen, coefficients, acceleratorsEach: each } = simulated;
  const prompts = [...seen]
    .sort((a, b) => a.arrivalNs - b.arrivalNs)
    .map(({ blockKeys, arrivalNs }): Prompt => ({ keys: blockKeys, atNs: arrivalNs }));
  const capacityBlocks = cluster.replicas.reduce((sum, replica) => sum + countBlocks(replica), 0);
  const policy = findKvPolicy("belady");
  const { hits } = replayChains(prompts, { capacityBlocks, policy, foresight: true, mayBypass: true });
  const promptTokens = run.requests.reduce((sum, one) => sum + one.promptTokens, 0);
  const hitTokens = run.requests.reduce((sum, one) => sum + one.hitTokens, 0);
  // Keys that name more blocks than are full, or a run that had its blocks twice, don't make the optimum worse than it.
  const optimalHitTokens = Math.max(hitTokens, Math.min(promptTokens, hits * blockTokens));
  const [usedNs = 0] = measureWork(simulated, [0], most);
  return {
    usedGpuS: usedNs / 1e9,
    boundGpuS: (each * boundMs(simulated, settings, { c: coefficients, optimalHitTokens, most })) / MS_PER_S,
    hitRate: promptTokens === 0 ? 0 : hitTokens / promptTokens,
    optimalHitRate: promptTokens === 0 ? 0 : optimalHitTokens / promptTokens,
    cacheGapGpuS: (each * (optimalHitTokens - hitTokens) * coefficients.prefillTokenMs) / MS_PER_S,
  };
}

function countBlocks({ config, tiers }: ReplicaSpec): number {
  const lower = (tiers?.lowerTiers ?? []).reduce((sum, tier) => sum + tier.capacityBlocks, 0);
  return config.capacityBlocks + lower;
}

/** Every prompt token that no cache could hold, and every output token in a batch as large as is allowed. */
function boundMs(
  { seen }: SimulatedWindow,
  { engine, speculation, pipelineParallel }: Settings,
  { c, optimalHitTokens, most }: { c: StepTimeCoefficients; optimalHitTokens: number; most: number },
): number {
  const longestDraft = Math.max(0, ...(speculation?.drafts ?? []).map(({ acceptance }) => acceptance.length));
  let [promptTokens, decodedTokens, contextTokens] = [0, 0, 0];
  for (const { promptTokens: prompt, outputTokens } of seen) {
    promptTokens += prompt;
    decodedTokens += outputTokens - 1;
    contextTokens += (outputTokens - 1) * prompt;
  }
  const prefillMs = Math.max(0, promptTokens - optimalHitTokens) * c.prefillTokenMs;
  const stepsMs = (decodedTokens / Math.min(most, engine.maxSequences)) * c.stepMs;
  const decodeMs = decodedTokens * c.decodeSequenceMs + (contextTokens / 1_000) * c.per1000ContextTokensMs;
  return (prefillMs + (stepsMs + decodeMs) / (1 + longestDraft)) / pipelineParallel;
}
