/**
 * The serving core: queue, scheduler and cache as one machine without a clock. Instants come in, steps and events go
 * out, and the same calls give the same answers.
 * Invariants: every accepted request finishes unless cancelled; a request that decodes gets one token a step.
 */
import { assert, CentspanError } from "@centspan/base";
import type { KvPolicyPlugin } from "@centspan/model";
import { countSharedBlocks, createKvCache } from "./kv-cache.ts";
import { countKnownTokens, planWork, releaseLease, type Schedule, type Sequence, type Work } from "./scheduler.ts";
import type { ServingConfig, ServingCore, ServingEvent, ServingRequest, Step } from "./serving-types.ts";
import type { StepTimeModel } from "./step-time.ts";

export type ServingCoreOptions = { config: ServingConfig; policy: KvPolicyPlugin; stepTime: StepTimeModel };

export function createServingCore({ config, policy, stepTime }: ServingCoreOptions): ServingCore {
  const { capacityBlocks, maxSequences, tokenBudget } = config;
  if (tokenBudget < maxSequences) {
    const message = `a token budget of ${tokenBudget} leaves ${maxSequences} sequences no token each`;
    throw new CentspanError("invalid_request", message, { field: "tokenBudget" });
  }
  const cache = createKvCache({ capacityBlocks, policy });
  const schedule: Schedule = { config, cache, waiting: [], running: [] };
  const sequences = new Map<string, Sequence>();
  let inFlight: Work[] | null = null;
  let steps = 0;

  const remove = (sequence: Sequence, atNs: number): void => {
    releaseLease(cache, sequence, atNs);
    if (!removeFrom(schedule.running, sequence)) removeFrom(schedule.waiting, sequence);
    sequences.delete(sequence.request.id);
  };

  const complete = ({ sequence, tokens }: Work, atNs: number): ServingEvent[] => {
    const { id, outputTokens } = sequence.request;
    // Cancelled while the step ran.
    if (sequences.get(id) !== sequence) return [];
    advance(schedule, sequence, tokens, atNs);
    if (sequence.phase === "prefill") return [];
    const token: ServingEvent = { type: "token", id, index: sequence.generatedTokens - 1, atNs };
    if (sequence.generatedTokens < outputTokens) return [token];
    remove(sequence, atNs);
    return [token, { type: "finished", id, atNs }];
  };

  return {
    submit(request) {
      assert(!sequences.has(request.id), `request ${request.id} is here already`);
      checkFits(config, request);
      const sequence = createSequence(request);
      sequences.set(request.id, sequence);
      schedule.waiting.push(sequence);
    },
    cancel(id, atNs) {
      const sequence = sequences.get(id);
      if (sequence) remove(sequence, atNs);
      return sequence !== undefined;
    },
    nextStep(nowNs) {
      assert(inFlight === null, "a step is under way");
      const step = createStep(steps + 1, nowNs);
      const work = planWork(schedule, step);
      if (work.length === 0) {
        assert(schedule.running.length === 0, "a running sequence always has something to compute");
        return null;
      }
      steps += 1;
      inFlight = work;
      return { ...step, ...timeStep(stepTime, step) };
    },
    completeStep(endNs) {
      assert(inFlight, "no step is under way");
      const work = inFlight;
      inFlight = null;
      return work.flatMap((one) => complete(one, endNs));
    },
    nextArrivalNs: () => schedule.waiting[0]?.request.arrivalNs ?? null,
    state: () => ({
      waiting: schedule.waiting.length,
      running: schedule.running.length,
      blocks: cache.counts(),
    }),
  };
}

/** Counts what a step computed, shares the blocks that became full, and samples a token where all before it is known. */
function advance({ config, cache }: Schedule, sequence: Sequence, tokens: number, atNs: number): void {
  const { lease, request } = sequence;
  assert(lease, "a running sequence holds a lease");
  sequence.computedTokens += tokens;
  const fullBlocks = Math.floor(sequence.computedTokens / config.blockTokens);
  for (const key of request.blockKeys.slice(countSharedBlocks(lease), fullBlocks)) cache.publish(lease, key, atNs);
  if (sequence.computedTokens < countKnownTokens(sequence)) return;
  sequence.phase = "decode";
  sequence.generatedTokens += 1;
}

function checkFits({ blockTokens, capacityBlocks }: ServingConfig, request: ServingRequest): void {
  const { promptTokens, outputTokens } = request;
  assert(promptTokens > 0 && outputTokens > 0, "a request has a prompt and an output");
  const tokens = promptTokens + outputTokens;
  if (Math.ceil(tokens / blockTokens) <= capacityBlocks) return;
  const most = capacityBlocks * blockTokens;
  throw new CentspanError("invalid_request", `${tokens} tokens of prompt and output; this engine holds ${most}`);
}

function timeStep(stepTime: StepTimeModel, step: Step): Pick<Step, "stepTimeMs" | "durationNs"> {
  const stepTimeMs = stepTime({
    decodeSequences: step.decodes.length,
    decodeContextTokens: step.decodeContextTokens,
    prefillTokens: step.prefillTokens,
    prefillAttentionPairs: step.prefills.reduce((sum, p) => sum + p.tokens * (p.startToken + p.tokens / 2), 0),
  });
  return { stepTimeMs, durationNs: Math.round(stepTimeMs * 1_000_000) };
}

/** Whether it was there. */
function removeFrom(list: Sequence[], sequence: Sequence): boolean {
  const index = list.indexOf(sequence);
  if (index >= 0) list.splice(index, 1);
  return index >= 0;
}

const createSequence = (request: ServingRequest): Sequence => ({
  request,
  lease: null,
  computedTokens: 0,
  generatedTokens: 0,
  phase: "prefill",
  wasPreempted: false,
});

const createStep = (number: number, startNs: number): Step => ({
  number,
  startNs,
  durationNs: 0,
  stepTimeMs: 0,
  decodes: [],
  prefills: [],
  admitted: [],
  preempted: [],
  evicted: [],
  decodeContextTokens: 0,
  prefillTokens: 0,
});
