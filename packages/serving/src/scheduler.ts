/**
 * Which requests compute what in the next step: those that decode first, each its one token; then prefill in chunks
 * with what is left of the token budget, in order of admission; then who waits, first come, first served.
 * When decoding needs a block and none can be had, the request admitted last gives its blocks back, waits at the head of
 * the queue and recomputes. So the request admitted first always goes on.
 */
import { assert } from "@centspan/base";
import { countHeldBlocks, type KvCache, type KvLease } from "./kv-cache.ts";
import type { ServingConfig, ServingRequest, Step } from "./serving-types.ts";

export type Sequence = {
  request: ServingRequest;
  lease: KvLease | null;
  /** Tokens whose keys and values are in the cache. */
  computedTokens: number;
  generatedTokens: number;
  /** Prefill ends when everything before the next token is computed. */
  phase: "prefill" | "decode";
  wasPreempted: boolean;
};

export type Work = { sequence: Sequence; tokens: number };

export type Schedule = {
  config: ServingConfig;
  cache: KvCache;
  waiting: Sequence[];
  /** In order of admission. */
  running: Sequence[];
};

export const countKnownTokens = ({ request, generatedTokens }: Sequence): number =>
  request.promptTokens + generatedTokens;

export function releaseLease(cache: KvCache, sequence: Sequence, atNs: number): void {
  if (sequence.lease) cache.close(sequence.lease, atNs);
  sequence.lease = null;
}

/** Fills in the step's plan and returns the work behind it. */
export function planWork(schedule: Schedule, step: Step): Work[] {
  const decodes = planDecodes(schedule, step);
  return [...decodes, ...planPrefills(schedule, step, schedule.config.tokenBudget - decodes.length)];
}

function planDecodes(schedule: Schedule, step: Step): Work[] {
  const work: Work[] = [];
  for (const sequence of [...schedule.running]) {
    // One that was preempted meanwhile is in prefill again; it has not had its turn, since it stood further back.
    if (sequence.phase !== "decode" || !reserveToken(schedule, sequence, step)) continue;
    const contextTokens = countKnownTokens(sequence);
    work.push({ sequence, tokens: 1 });
    step.decodes.push({ id: sequence.request.id, contextTokens });
    step.decodeContextTokens += contextTokens;
  }
  return work;
}

/** Makes room for the token that the sequence computes next; false when it had to give way itself. */
function reserveToken(schedule: Schedule, sequence: Sequence, step: Step): boolean {
  const { cache, config } = schedule;
  const lease = sequence.lease;
  assert(lease, "a running sequence holds a lease");
  const missing = Math.ceil((sequence.computedTokens + 1) / config.blockTokens) - countHeldBlocks(lease);
  if (missing <= 0) return true;
  for (;;) {
    const evicted = cache.grow(lease, missing, step.startNs);
    if (evicted) {
      step.evicted.push(...evicted);
      return true;
    }
    if (preemptLast(schedule, step) === sequence) return false;
  }
}

function preemptLast({ cache, waiting, running }: Schedule, step: Step): Sequence {
  const victim = running.pop();
  assert(victim, "a batch without sequences needs no blocks");
  releaseLease(cache, victim, step.startNs);
  victim.computedTokens = 0;
  victim.phase = "prefill";
  victim.wasPreempted = true;
  waiting.unshift(victim);
  step.preempted.push(victim.request.id);
  return victim;
}

function planPrefills(schedule: Schedule, step: Step, budgetTokens: number): Work[] {
  const { config, waiting, running } = schedule;
  const work: Work[] = [];
  let leftTokens = budgetTokens;
  const planChunk = (sequence: Sequence): void => {
    const tokens = Math.min(countKnownTokens(sequence) - sequence.computedTokens, leftTokens);
    leftTokens -= tokens;
    work.push({ sequence, tokens });
    step.prefills.push({ id: sequence.request.id, startToken: sequence.computedTokens, tokens });
    step.prefillTokens += tokens;
  };
  for (const sequence of running) if (leftTokens > 0 && sequence.phase === "prefill") planChunk(sequence);
  // Blocks that somebody just gave up are not handed out again in the same step, least of all to the same sequence.
  if (step.preempted.length > 0) return work;
  for (let head = waiting[0]; head && leftTokens > 0 && running.length < config.maxSequences; head = waiting[0]) {
    if (head.request.arrivalNs > step.startNs || !admit(schedule, head, step)) break;
    waiting.shift();
    planChunk(head);
  }
  return work;
}

/** Gives the sequence its blocks for everything known so far; the last token is always computed, never looked up. */
function admit({ config, cache, running }: Schedule, sequence: Sequence, step: Step): boolean {
  const tokens = countKnownTokens(sequence);
  const totalBlocks = Math.ceil(tokens / config.blockTokens);
  const opened = cache.open({
    keys: sequence.request.blockKeys,
    maxHitBlocks: Math.floor((tokens - 1) / config.blockTokens),
    totalBlocks,
    atNs: step.startNs,
  });
  if (!opened) return false;
  sequence.lease = opened.lease;
  sequence.computedTokens = opened.hitBlocks * config.blockTokens;
  running.push(sequence);
  step.evicted.push(...opened.evicted);
  step.admitted.push({
    id: sequence.request.id,
    hitBlocks: opened.hitBlocks,
    missBlocks: totalBlocks - opened.hitBlocks,
    hitTokens: sequence.computedTokens,
    recomputed: sequence.wasPreempted,
  });
  return true;
}
