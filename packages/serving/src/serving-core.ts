/**
 * The serving core: a queue in order of arrival, continuous batching within a token budget, chunked prefill, and
 * preemption by recomputation when decoding runs out of blocks. A machine without a clock: instants come in, steps and
 * events go out, and the same calls give the same answers.
 * Invariants: every accepted request finishes unless cancelled; each decoding request gets one token a step; the request
 * admitted first is never preempted for one admitted later.
 */
import { assert, CentspanError } from "@centspan/base";
import type { KvPolicyPlugin } from "@centspan/model";
import { createKvCache, type KvLease } from "./kv-cache.ts";
import type { ServingConfig, ServingCore, ServingEvent, ServingRequest, Step } from "./serving-types.ts";
import type { StepTimeModel } from "./step-time.ts";

type Sequence = {
  request: ServingRequest;
  lease: KvLease | null;
  /** Tokens whose keys and values are in the cache. */
  computedTokens: number;
  generatedTokens: number;
  /** Prefill ends when everything before the next token is computed. */
  phase: "prefill" | "decode";
  wasPreempted: boolean;
};

type Work = { sequence: Sequence; tokens: number };

export type ServingCoreOptions = { config: ServingConfig; policy: KvPolicyPlugin; stepTime: StepTimeModel };

export function createServingCore({ config, policy, stepTime }: ServingCoreOptions): ServingCore {
  const { blockTokens, capacityBlocks, maxSequences, tokenBudget } = config;
  assert(tokenBudget >= maxSequences, "the token budget must leave each sequence of a batch its token");
  const cache = createKvCache({ capacityBlocks, policy });
  const sequences = new Map<string, Sequence>();
  const waiting: Sequence[] = [];
  /** In order of admission. */
  const running: Sequence[] = [];
  let inFlight: Work[] | null = null;
  let steps = 0;

  const knownTokens = (s: Sequence): number => s.request.promptTokens + s.generatedTokens;
  const blocksFor = (tokens: number): number => Math.ceil(tokens / blockTokens);

  const releaseLease = (sequence: Sequence, atNs: bigint): void => {
    if (sequence.lease) cache.close(sequence.lease, atNs);
    sequence.lease = null;
  };

  const removeFrom = (list: Sequence[], sequence: Sequence): void => {
    const index = list.indexOf(sequence);
    if (index >= 0) list.splice(index, 1);
  };

  const preemptLast = (step: Step): Sequence => {
    const victim = running.pop();
    assert(victim, "a batch without sequences needs no blocks");
    releaseLease(victim, step.startNs);
    victim.computedTokens = 0;
    victim.phase = "prefill";
    victim.wasPreempted = true;
    waiting.unshift(victim);
    step.preempted.push(victim.request.id);
    return victim;
  };

  /** Makes room for the token that the sequence computes next; false when it had to give way itself. */
  const reserveToken = (sequence: Sequence, step: Step): boolean => {
    const lease = sequence.lease;
    assert(lease, "a running sequence holds a lease");
    const missing = blocksFor(sequence.computedTokens + 1) - lease.chain.length - lease.exclusiveBlocks;
    if (missing <= 0) return true;
    for (;;) {
      const evicted = cache.grow(lease, missing);
      if (evicted) {
        step.evicted.push(...evicted);
        return true;
      }
      if (preemptLast(step) === sequence) return false;
    }
  };

  const planDecodes = (step: Step): Work[] => {
    const work: Work[] = [];
    // Those admitted first go first; a preemption only ever removes one that has not had its turn.
    for (const sequence of running.filter((s) => s.phase === "decode")) {
      if (sequence.phase !== "decode" || !reserveToken(sequence, step)) continue;
      work.push({ sequence, tokens: 1 });
      step.decodes.push({ id: sequence.request.id, contextTokens: knownTokens(sequence) });
      step.decodeContextTokens += knownTokens(sequence);
    }
    return work;
  };

  const planPrefill = (sequence: Sequence, step: Step, budgetTokens: number): Work => {
    const tokens = Math.min(knownTokens(sequence) - sequence.computedTokens, budgetTokens);
    step.prefills.push({ id: sequence.request.id, startToken: sequence.computedTokens, tokens });
    step.prefillTokens += tokens;
    return { sequence, tokens };
  };

  /** Gives the sequence its blocks for everything known so far; the last token is always computed, never looked up. */
  const admit = (sequence: Sequence, step: Step): boolean => {
    const tokens = knownTokens(sequence);
    const opened = cache.open({
      keys: sequence.request.blockKeys,
      maxHitBlocks: Math.floor((tokens - 1) / blockTokens),
      totalBlocks: blocksFor(tokens),
      atNs: step.startNs,
    });
    if (!opened) return false;
    sequence.lease = opened.lease;
    sequence.computedTokens = opened.hitBlocks * blockTokens;
    running.push(sequence);
    step.evicted.push(...opened.evicted);
    step.admitted.push({
      id: sequence.request.id,
      hitBlocks: opened.hitBlocks,
      missBlocks: blocksFor(tokens) - opened.hitBlocks,
      hitTokens: sequence.computedTokens,
      recomputed: sequence.wasPreempted,
    });
    return true;
  };

  const planPrefills = (step: Step, budgetTokens: number): Work[] => {
    const work: Work[] = [];
    let left = budgetTokens;
    const plan = (sequence: Sequence): void => {
      const planned = planPrefill(sequence, step, left);
      left -= planned.tokens;
      work.push(planned);
    };
    for (const sequence of running) if (left > 0 && sequence.phase === "prefill") plan(sequence);
    // Who was just preempted would take the blocks back that were missing.
    if (step.preempted.length > 0) return work;
    for (let head = waiting[0]; head && left > 0 && running.length < maxSequences; head = waiting[0]) {
      if (head.request.arrivalNs > step.startNs || !admit(head, step)) break;
      waiting.shift();
      plan(head);
    }
    return work;
  };

  const share = (sequence: Sequence, atNs: bigint): void => {
    const lease = sequence.lease;
    assert(lease, "a running sequence holds a lease");
    const full = Math.min(Math.floor(sequence.computedTokens / blockTokens), sequence.request.blockKeys.length);
    for (const key of sequence.request.blockKeys.slice(lease.chain.length, full)) cache.publish(lease, key, atNs);
  };

  const advance = ({ sequence, tokens }: Work, atNs: bigint): ServingEvent[] => {
    const { id, outputTokens } = sequence.request;
    // Cancelled while the step ran.
    if (sequences.get(id) !== sequence) return [];
    sequence.computedTokens += tokens;
    share(sequence, atNs);
    if (sequence.computedTokens < knownTokens(sequence)) return [];
    sequence.phase = "decode";
    sequence.generatedTokens += 1;
    const token: ServingEvent = { type: "token", id, index: sequence.generatedTokens - 1, atNs };
    if (sequence.generatedTokens < outputTokens) return [token];
    releaseLease(sequence, atNs);
    removeFrom(running, sequence);
    sequences.delete(id);
    return [token, { type: "finished", id, atNs }];
  };

  const submit = (request: ServingRequest): void => {
    assert(!sequences.has(request.id), `request ${request.id} is here already`);
    assert(request.promptTokens > 0 && request.outputTokens > 0, "a request has a prompt and an output");
    const tokens = request.promptTokens + request.outputTokens;
    if (blocksFor(tokens) > capacityBlocks) {
      const most = capacityBlocks * blockTokens;
      throw new CentspanError("invalid_request", `${tokens} tokens of prompt and output; this engine holds ${most}`);
    }
    const sequence = createSequence(request);
    sequences.set(request.id, sequence);
    waiting.push(sequence);
  };

  return {
    submit,
    cancel(id, atNs) {
      const sequence = sequences.get(id);
      if (!sequence) return false;
      releaseLease(sequence, atNs);
      removeFrom(running, sequence);
      removeFrom(waiting, sequence);
      return sequences.delete(id);
    },
    nextStep(nowNs) {
      assert(inFlight === null, "a step is under way");
      const step = createStep(steps + 1, nowNs);
      const decodes = planDecodes(step);
      const work = [...decodes, ...planPrefills(step, tokenBudget - decodes.length)];
      if (work.length === 0) {
        assert(running.length === 0, "a running sequence always has something to compute");
        return null;
      }
      steps += 1;
      inFlight = work;
      step.stepTimeMs = stepTime({
        decodeSequences: step.decodes.length,
        decodeContextTokens: step.decodeContextTokens,
        prefillTokens: step.prefillTokens,
        prefillAttentionPairs: step.prefills.reduce((sum, p) => sum + p.tokens * (p.startToken + p.tokens / 2), 0),
      });
      step.durationNs = BigInt(Math.round(step.stepTimeMs * 1_000_000));
      return step;
    },
    completeStep(endNs) {
      assert(inFlight, "no step is under way");
      const work = inFlight;
      inFlight = null;
      return work.flatMap((one) => advance(one, endNs));
    },
    nextArrivalNs: () => waiting[0]?.request.arrivalNs ?? null,
    state: () => ({ waiting: waiting.length, running: running.length, blocks: cache.counts() }),
  };
}

const createSequence = (request: ServingRequest): Sequence => ({
  request,
  lease: null,
  computedTokens: 0,
  generatedTokens: 0,
  phase: "prefill",
  wasPreempted: false,
});

function createStep(number: number, startNs: bigint): Step {
  return {
    number,
    startNs,
    durationNs: 0n,
    stepTimeMs: 0,
    decodes: [],
    prefills: [],
    admitted: [],
    preempted: [],
    evicted: [],
    decodeContextTokens: 0,
    prefillTokens: 0,
  };
}
