/**
 * Continuous batching as a machine without a clock: instants come in, what a step computes and how long it takes goes out.
 * Two faces stand on it: the serving core, with a step object and an event per token, for the engine; and the virtual
 * replica of the simulator, which asks for milestones only.
 * Invariants: every accepted request finishes unless cancelled; `repeat` leaves exactly what single steps would.
 */
import { assert, createRandom, type Random } from "@centspan/base";
import type { KvWait, ReplicaView } from "@centspan/model";
import { createKvCache } from "../kv-cache.ts";
import type { Admission, ServingChange, ServingOptions, ServingRequest, WorkTotals } from "../serving-types.ts";
import { addVerification, createDraftPlanner, sampleAccepted, timeDrafts } from "../speculative/drafting.ts";
import { toNs } from "../step-time.ts";
import { checkConfig, checkRequest } from "./check-config.ts";
import { createDecodeClock } from "./decode-clock.ts";
import { type Batch, planStep, publishFullBlocks, type StepPlan, stopComputing } from "./plan-step.ts";
import { repeatDecodes } from "./repeat-decodes.ts";
import { countKnownTokens, createSequence, type Sequence } from "./sequence.ts";
import { createWaitingLine } from "./waiting-line.ts";

export type BatchListener = {
  onAdmitted(admission: Admission): void;
  /** Whether tokens after the first are told of. */
  readonly everyToken: boolean;
  /** `count` tokens of the sequence's answer have come, the first of them with that index. */
  onTokens(sequence: Sequence, firstIndex: number, count: number, atNs: number): void;
  onFinished(sequence: Sequence, atNs: number): void;
};

export type BatchMachine = {
  readonly batch: Batch;
  readonly totals: Readonly<WorkTotals>;
  /** Queues a request. Throws `invalid_request` when it could never fit. */
  submit(request: ServingRequest): void;
  /** Forgets a request and gives its blocks back; whether it was there. */
  cancel(id: string, atNs: number): boolean;
  /** Forms the next step; null when there is nothing to do yet. */
  plan(nowNs: number): StepPlan | null;
  /** The step planned last is done. */
  complete(endNs: number): void;
  /** Goes on decoding in whole steps that end by `untilNs` and in which nothing but decoding happens; when it stopped. */
  repeat(nowNs: number, untilNs: number): number;
  /** Takes effect with the next step. */
  configure(change: ServingChange): void;
  /** What a router may ask. */
  view(speed: number): ReplicaView;
};

export function createBatchMachine(options: ServingOptions, listener: BatchListener): BatchMachine {
  const batch = createBatch(options);
  const { running, waiting } = batch;
  const random = createRandom(options.seed ?? 0);
  const sequences = new Map<string, Sequence>();
  const totals = createTotals();
  let inFlight: StepPlan | null = null;
  /** The last step was decoding alone, and changed nobody's place nor shared a block. */
  let isSteady = false;
  /** Somebody came who has not been considered for a place yet. */
  let hasArrivals = false;

  const finish = (sequence: Sequence, atNs: number): void => {
    sequences.delete(sequence.request.id);
    closeLease(batch, sequence, atNs, sequence.request.waitsFor);
    listener.onFinished(sequence, atNs);
  };

  return {
    batch,
    totals,
    submit(request) {
      checkRequest(batch.config, request);
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
      if (index < 0) waiting.remove(sequence);
      else {
        running.splice(index, 1);
        stopComputing(batch, sequence);
      }
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
      timePlan(batch, plan);
      inFlight = plan;
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
      totals.largestBatch = Math.max(totals.largestBatch, plan.load.decodeSequences);
      const isAnswered = completeStep(batch, { plan, totals, random, listener, endNs });
      const isDue = isAnswered || batch.clock.nextDue() <= batch.clock.rounds();
      if (isDue) settleDue(batch, finish, endNs);
      // A block that joins another of its kind makes room as well as somebody's end.
      isSteady = plan.isSteady && !isDue;
    },
    repeat(nowNs, untilNs) {
      assert(inFlight === null, "a step is under way");
      return isSteady && !hasArrivals ? repeatDecodes(batch, totals, nowNs, untilNs) : nowNs;
    },
    configure(change) {
      configureBatch(batch, change);
      isSteady = false;
    },
    view: (speed) => viewBatch(batch, speed),
  };
}

function createBatch({ config, policy, stepTime, tiers, speculation }: ServingOptions): Batch {
  checkConfig(config);
  return {
    config,
    cache: createKvCache({ capacityBlocks: config.capacityBlocks, policy, ...tiers }),
    stepTime,
    planDrafts: speculation ? createDraftPlanner(speculation) : null,
    waiting: createWaitingLine(),
    running: [],
    prefilling: [],
    clock: createDecodeClock(config.blockTokens),
  };
}

function configureBatch(batch: Batch, { policy, speculation, ...limits }: ServingChange): void {
  const config = { ...batch.config, ...limits };
  checkConfig(config);
  const planDrafts = speculation ? createDraftPlanner(speculation) : null;
  // Everything that could be refused has been.
  batch.config = config;
  if (speculation !== undefined) batch.planDrafts = planDrafts;
  if (policy) batch.cache.setPolicy(policy);
}

const createTotals = (): WorkTotals => ({
  steps: 0,
  busyNs: 0,
  prefillTokens: 0,
  recomputedTokens: 0,
  preemptions: 0,
  draftedTokens: 0,
  acceptedTokens: 0,
  largestBatch: 0,
});

function viewBatch({ cache, running, prefilling, waiting }: Batch, speed: number): ReplicaView {
  return {
    speed,
    waiting: waiting.length,
    running: () => running.length,
    queuedTokens() {
      let tokens = waiting.tokens();
      for (const one of prefilling) tokens += countKnownTokens(one) - one.computedTokens;
      return tokens;
    },
    activeBlocks() {
      const { exclusive, pinned } = cache.counts();
      return exclusive + pinned;
    },
    countHits: (keys) => cache.countHits(keys),
  };
}

function closeLease({ cache }: Batch, sequence: Sequence, atNs: number, waitsFor?: KvWait): void {
  if (sequence.lease) cache.close(sequence.lease, atNs, waitsFor);
  sequence.lease = null;
}

function timePlan({ stepTime }: Batch, plan: StepPlan): void {
  const { load, draftedTokens, drafts } = plan;
  plan.stepTimeMs = stepTime(addVerification(load, draftedTokens)) + timeDrafts(drafts, load.decodeSequences);
  plan.durationNs = toNs(plan.stepTimeMs) + plan.transferNs;
}

type Completion = {
  plan: StepPlan;
  totals: WorkTotals;
  random: Random;
  listener: BatchListener;
  endNs: number;
};

/** Whether a prompt's first token was all that was asked for. */
function completeStep(batch: Batch, completion: Completion): boolean {
  const { clock, prefilling, running } = batch;
  const { plan, listener } = completion;
  if (plan.load.decodeSequences > 0) {
    clock.pass();
    if (plan.drafts.draftTokens > 0 || listener.everyToken)
      for (const sequence of running) if (sequence.isDecoding) takeTokens(batch, completion, sequence);
  }
  let isAnswered = false;
  let kept = 0;
  for (const sequence of prefilling) {
    if (sequence.stepTokens > 0 && advancePrefill(batch, completion, sequence)) {
      if (!sequence.isDecoding) isAnswered = true;
    } else {
      prefilling[kept] = sequence;
      kept += 1;
    }
  }
  if (kept < prefilling.length) prefilling.length = kept;
  return isAnswered;
}

/** The round's token, and those of its drafts that are accepted. */
function takeTokens({ clock }: Batch, completion: Completion, sequence: Sequence): void {
  const { plan, totals, random, listener, endNs } = completion;
  const drafted = Math.max(0, sequence.stepTokens - 1);
  sequence.stepTokens = 0;
  const accepted = sampleAccepted(plan.drafts.draft, drafted, random);
  totals.draftedTokens += drafted;
  totals.acceptedTokens += accepted;
  if (accepted > 0) {
    clock.leave(sequence);
    sequence.computedTokens += accepted;
    sequence.generatedTokens += accepted;
    clock.join(sequence);
  } else clock.settle(sequence);
  const count = 1 + accepted;
  if (listener.everyToken) listener.onTokens(sequence, sequence.generatedTokens - count, count, endNs);
}

/** Counts what the step computed and shares the blocks that became full; whether all is computed and a token sampled. */
function advancePrefill({ cache, clock, config }: Batch, completion: Completion, sequence: Sequence): boolean {
  const { totals, listener, endNs } = completion;
  const tokens = sequence.stepTokens;
  sequence.stepTokens = 0;
  totals.prefillTokens += tokens;
  if (sequence.preemptions > 0) totals.recomputedTokens += tokens;
  sequence.computedTokens += tokens;
  publishFullBlocks(cache, sequence, config.blockTokens, endNs);
  if (sequence.computedTokens < countKnownTokens(sequence)) return false;
  sequence.generatedTokens += 1;
  if (!hasAnswered(sequence)) clock.join(sequence);
  if (listener.everyToken || sequence.generatedTokens === 1)
    listener.onTokens(sequence, sequence.generatedTokens - 1, 1, endNs);
  return true;
}

const hasAnswered = (sequence: Sequence): boolean => sequence.generatedTokens >= sequence.outputTokens;

/** Ends who has all tokens, and shares blocks that filled up while decoding. */
function settleDue(batch: Batch, finish: (sequence: Sequence, atNs: number) => void, endNs: number): void {
  const { cache, clock, config, running } = batch;
  const rounds = clock.rounds();
  const ended: Sequence[] = [];
  let kept = 0;
  let nextDue = Number.POSITIVE_INFINITY;
  for (const sequence of running) {
    if (sequence.isDecoding && (sequence.finishRound <= rounds || sequence.publishRound <= rounds)) {
      clock.leave(sequence);
      publishFullBlocks(cache, sequence, config.blockTokens, endNs);
      if (!hasAnswered(sequence)) clock.join(sequence);
    }
    // Its count is as of now: whoever is on the clock has not answered.
    if (!sequence.isDecoding && hasAnswered(sequence)) ended.push(sequence);
    else {
      running[kept] = sequence;
      kept += 1;
      if (sequence.isDecoding) nextDue = Math.min(nextDue, sequence.finishRound, sequence.publishRound);
    }
  }
  running.length = kept;
  clock.expect(nextDue);
  for (const sequence of ended) finish(sequence, endNs);
}
