/**
 * Continuous batching as a machine without a clock: instants come in, what a step computes and how long it takes goes out.
 * Two faces stand on it: the serving core, with a step object and an event per token, for the engine; and the virtual
 * replica of the simulator, which asks for milestones only.
 * Invariants: every accepted request finishes unless cancelled; `repeat` leaves exactly what single steps would.
 */
import { assert, createRandom, type Random } from "@centspan/base";
import type { ReplicaView } from "@centspan/model";
import { createKvCache } from "../kv-cache.ts";
import type { Admission, ServingOptions, ServingRequest, WorkTotals } from "../serving-types.ts";
import { addVerification, createDraftPlanner, sampleAccepted, timeDrafts } from "../speculative/drafting.ts";
import { toNs } from "../step-time.ts";
import { checkConfig, checkRequest } from "./check-config.ts";
import { type Batch, planStep, publishFullBlocks, type StepPlan } from "./plan-step.ts";
import { repeatDecodes } from "./repeat-decodes.ts";
import { countKnownTokens, createSequence, type Sequence } from "./sequence.ts";
import { createWaitingLine } from "./waiting-line.ts";

export type BatchListener = {
  onAdmitted(admission: Admission): void;
  /** `count` tokens of the sequence's answer have come, the first of them with that index. Within `repeat` nobody is told. */
  onTokens(sequence: Sequence, firstIndex: number, count: number, atNs: number): void;
  onFinished(sequence: Sequence, atNs: number): void;
};

export type TimedPlan = StepPlan & { stepTimeMs: number; durationNs: number };

export type BatchMachine = {
  readonly batch: Batch;
  readonly totals: Readonly<WorkTotals>;
  /** Queues a request. Throws `invalid_request` when it could never fit. */
  submit(request: ServingRequest): void;
  /** Forgets a request and gives its blocks back; whether it was there. */
  cancel(id: string, atNs: number): boolean;
  /** Forms the next step; null when there is nothing to do yet. */
  plan(nowNs: number): TimedPlan | null;
  /** The step planned last is done. */
  complete(endNs: number): void;
  /** Goes on decoding in whole steps that end by `untilNs` and in which nothing but decoding happens; when it stopped. */
  repeat(nowNs: number, untilNs: number): number;
  /** What a router may ask. */
  view(speed: number): ReplicaView;
};

export function createBatchMachine(options: ServingOptions, listener: BatchListener): BatchMachine {
  const batch = createBatch(options);
  const { running, waiting, config } = batch;
  const random = createRandom(options.seed ?? 0);
  const sequences = new Map<string, Sequence>();
  const totals = createTotals();
  let inFlight: TimedPlan | null = null;
  /** The last step was decoding alone and changed nobody's place. */
  let isSteady = false;
  /** Somebody came who has not been considered for a place yet. */
  let hasArrivals = false;

  const finish = (sequence: Sequence, atNs: number): void => {
    sequences.delete(sequence.request.id);
    closeLease(batch, sequence, atNs);
    listener.onFinished(sequence, atNs);
  };

  return {
    batch,
    totals,
    submit(request) {
      checkRequest(config, request);
      assert(!sequences.has(request.id), `request ${request.id} is here already`);
      const sequence = createSequence(request);
      sequences.set(request.id, sequence);
      waiting.add(sequence);
      hasArrivals = true;
    },
    cancel(id, atNs) {
      const sequence = sequences.get(id);
      if (sequence === undefined) return false;
      sequences.delete(id);
      const index = running.indexOf(sequence);
      if (index >= 0) running.splice(index, 1);
      else waiting.remove(sequence);
      closeLease(batch, sequence, atNs);
      isSteady = false;
      return true;
    },
    plan(nowNs) {
      assert(inFlight === null, "a step is under way");
      isSteady = false;
      hasArrivals = false;
      const plan = planStep(batch, nowNs);
      if (plan === null) {
        assert(running.length === 0, "a running sequence always has something to compute");
        return null;
      }
      const { load, draftedTokens, drafts } = plan;
      const stepTimeMs =
        batch.stepTime(addVerification(load, draftedTokens)) + timeDrafts(drafts, load.decodeSequences);
      inFlight = { ...plan, stepTimeMs, durationNs: toNs(stepTimeMs) };
      totals.preemptions += plan.preempted.length;
      plan.admitted.forEach(listener.onAdmitted);
      return inFlight;
    },
    complete(endNs) {
      assert(inFlight, "no step is under way");
      const plan = inFlight;
      inFlight = null;
      totals.steps += 1;
      totals.busyNs += endNs - plan.startNs;
      const before = running.length;
      completeStep(batch, { plan, totals, random, listener, finish }, endNs);
      isSteady = plan.isSteady && running.length === before;
    },
    repeat(nowNs, untilNs) {
      assert(inFlight === null, "a step is under way");
      return isSteady && !hasArrivals ? repeatDecodes(batch, totals, nowNs, untilNs) : nowNs;
    },
    view: (speed) => viewBatch(batch, speed),
  };
}

function createBatch({ config, policy, stepTime, speculation }: ServingOptions): Batch {
  checkConfig(config);
  return {
    config,
    cache: createKvCache({ capacityBlocks: config.capacityBlocks, policy }),
    stepTime,
    planDrafts: speculation ? createDraftPlanner(speculation) : null,
    waiting: createWaitingLine(),
    running: [],
  };
}

const createTotals = (): WorkTotals => ({
  steps: 0,
  busyNs: 0,
  prefillTokens: 0,
  recomputedTokens: 0,
  preemptions: 0,
  draftedTokens: 0,
  acceptedTokens: 0,
});

function viewBatch({ cache, running, waiting }: Batch, speed: number): ReplicaView {
  return {
    speed,
    waiting: waiting.length,
    running: () => running.length,
    queuedTokens() {
      let tokens = waiting.tokens();
      for (const one of running) if (!one.isDecoding) tokens += countKnownTokens(one) - one.computedTokens;
      return tokens;
    },
    activeBlocks() {
      const { exclusive, pinned } = cache.counts();
      return exclusive + pinned;
    },
    countHits: (keys) => cache.countHits(keys),
  };
}

function closeLease({ cache }: Batch, sequence: Sequence, atNs: number): void {
  if (sequence.lease) cache.close(sequence.lease, atNs);
  sequence.lease = null;
}

type Completion = {
  plan: TimedPlan;
  totals: WorkTotals;
  random: Random;
  listener: BatchListener;
  finish(sequence: Sequence, atNs: number): void;
};

function completeStep(batch: Batch, completion: Completion, endNs: number): void {
  const { running } = batch;
  let kept = 0;
  for (let at = 0; at < running.length; at++) {
    const sequence = running[at];
    if (sequence === undefined) break;
    if (sequence.stepTokens > 0) advance(batch, completion, sequence, endNs);
    if (sequence.generatedTokens >= sequence.outputTokens) completion.finish(sequence, endNs);
    else {
      running[kept] = sequence;
      kept += 1;
    }
  }
  running.length = kept;
}

/** Counts what the step computed, shares the blocks that became full, and samples where all before it is known. */
function advance({ cache, config }: Batch, completion: Completion, sequence: Sequence, endNs: number): void {
  const { plan, totals, random, listener } = completion;
  const tokens = sequence.stepTokens;
  sequence.stepTokens = 0;
  let sampled = 1;
  if (!sequence.isDecoding) {
    totals.prefillTokens += tokens;
    if (sequence.preemptions > 0) totals.recomputedTokens += tokens;
    sequence.computedTokens += tokens;
    sequence.isDecoding = sequence.computedTokens >= countKnownTokens(sequence);
    if (!sequence.isDecoding) sampled = 0;
  } else {
    if (tokens > 1) {
      const accepted = sampleAccepted(plan.drafts.draft, tokens - 1, random);
      totals.draftedTokens += tokens - 1;
      totals.acceptedTokens += accepted;
      sampled += accepted;
    }
    sequence.computedTokens += sampled;
  }
  const first = sequence.generatedTokens;
  sequence.generatedTokens += sampled;
  if (sequence.computedTokens >= sequence.publishAtTokens)
    publishFullBlocks(cache, sequence, config.blockTokens, endNs);
  if (sampled > 0) listener.onTokens(sequence, first, sampled, endNs);
}
