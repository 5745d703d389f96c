/**
 * Which sequences compute what in the next step: those that decode first, each its token and its drafts; then prefill with
 * what is left of the token budget, in order of admission; then who waits. People come before batch work throughout.
 * When decoding needs a block and none can be had, the last of the batch gives its blocks back, waits at the head of its
 * line and recomputes. So the first of the batch always goes on.
 * Invariant: `running` and `prefilling` hold people before batch work, each in order of admission; who runs and does not
 * prefill is on the clock.
 */

import { assert } from "@centspan/base";
import type { KvBlockId } from "@centspan/model";
import { countSharedBlocks, type KvCache, type KvOpen } from "../kv-cache.ts";
import type { Admission, ServingConfig } from "../serving-types.ts";
import { type DraftPlan, type DraftPlanner, NO_DRAFT } from "../speculative/drafting.ts";
import type { StepLoad, StepTimeModel } from "../step-time.ts";
import type { DecodeClock } from "./decode-clock.ts";
import { countKnownTokens, type Sequence } from "./sequence.ts";
import type { WaitingLine } from "./waiting-line.ts";

export type Batch = {
  config: ServingConfig;
  cache: KvCache;
  stepTime: StepTimeModel;
  planDrafts: DraftPlanner | null;
  waiting: WaitingLine;
  running: Sequence[];
  prefilling: Sequence[];
  clock: DecodeClock;
};

/** What changes with a step. How much of a prompt, or with drafts, a sequence computes stands in its `stepTokens`. */
export type StepPlan = {
  startNs: number;
  load: StepLoad;
  drafts: DraftPlan;
  draftedTokens: number;
  admitted: Admission[];
  preempted: Sequence[];
  evicted: KvBlockId[];
  /** The step begins with bringing blocks from lower tiers. */
  transferNs: number;
  /** 0 until the plan is timed. */
  stepTimeMs: number;
  durationNs: number;
  /** A sequence had to give way because blocks ran out. */
  isShort: boolean;
  /** Nothing but decoding, by sequences that all decoded before: the next step is the same unless something happens. */
  isSteady: boolean;
};

/** Null when nobody has anything to compute. */
export function planStep(batch: Batch, startNs: number): StepPlan | null {
  const plan = createPlan(startNs);
  makeWay(batch, plan);
  const isPrefillStep = batch.config.chunkedPrefill === false && admitWholePrompts(batch, plan);
  if (!isPrefillStep) {
    planRound(batch, plan);
    if (batch.config.chunkedPrefill !== false) planChunks(batch, plan);
  }
  const { decodeSequences, prefillTokens } = plan.load;
  return decodeSequences + prefillTokens === 0 ? null : plan;
}

const createPlan = (startNs: number): StepPlan => ({
  startNs,
  load: { decodeSequences: 0, decodeContextTokens: 0, prefillTokens: 0, prefillAttentionPairs: 0 },
  drafts: NO_DRAFT,
  draftedTokens: 0,
  admitted: [],
  preempted: [],
  evicted: [],
  transferNs: 0,
  stepTimeMs: 0,
  durationNs: 0,
  isShort: false,
  isSteady: true,
});

/** A person who waits takes the place of batch work when there is no other. */
function makeWay(batch: Batch, plan: StepPlan): void {
  const { config, cache, running, waiting } = batch;
  if (!running.at(-1)?.isBatch) return;
  const head = waiting.first(plan.startNs);
  if (head === null || head.isBatch) return;
  const wanted = wantBlocks(config, head, plan.startNs);
  const lacksRoom = (): boolean => running.length >= config.maxSequences || !cache.hasRoom(wanted);
  while (running.at(-1)?.isBatch && lacksRoom()) preemptLast(batch, plan);
  // Who still waits beside batch work is looked at each step: what that needs may come to be what the person lacks.
  plan.isSteady = false;
}

function preemptLast(batch: Batch, plan: StepPlan): Sequence {
  const { cache, waiting, running } = batch;
  const victim = running.pop();
  assert(victim?.lease, "a batch without sequences needs no blocks");
  stopComputing(batch, victim);
  cache.close(victim.lease, plan.startNs);
  victim.lease = null;
  victim.computedTokens = 0;
  victim.preemptions += 1;
  waiting.putBack(victim);
  plan.preempted.push(victim);
  plan.isSteady = false;
  return victim;
}

/** Takes it off the clock or from those who prefill. */
export function stopComputing({ clock, prefilling }: Batch, sequence: Sequence): void {
  sequence.stepTokens = 0;
  if (sequence.isDecoding) clock.leave(sequence);
  else {
    const index = prefilling.indexOf(sequence);
    if (index >= 0) prefilling.splice(index, 1);
  }
}

/** A token for everyone who decodes. */
function planRound(batch: Batch, plan: StepPlan): void {
  const { clock, planDrafts } = batch;
  if (clock.sequences() === 0) return;
  if (planDrafts) chooseDrafts(batch, plan, planDrafts);
  if (plan.drafts.draftTokens > 0) planDraftedRound(batch, plan);
  else {
    const next = clock.rounds() + 1;
    const growing = clock.growing();
    // A copy: whoever has to give way leaves the clock.
    for (const sequence of growing.length === 0 ? growing : [...growing])
      if (sequence.isDecoding && sequence.growRound === next) reserve(batch, plan, sequence, 1);
  }
  plan.load.decodeSequences = clock.sequences();
  plan.load.decodeContextTokens = clock.contextTokens();
}

function chooseDrafts({ config, clock, stepTime }: Batch, plan: StepPlan, planDrafts: DraftPlanner): void {
  const sequences = clock.sequences();
  const load = { ...plan.load, decodeSequences: sequences, decodeContextTokens: clock.contextTokens() };
  const { draft, draftTokens } = planDrafts(load, stepTime);
  const most = Math.max(0, Math.floor(config.tokenBudget / sequences) - 1);
  plan.drafts = { draft, draftTokens: Math.min(draftTokens, most) };
  plan.isSteady = false;
}

function planDraftedRound(batch: Batch, plan: StepPlan): void {
  const { clock, config, running } = batch;
  for (let at = 0; at < running.length; at++) {
    const sequence = running[at];
    if (!sequence?.isDecoding) continue;
    clock.settle(sequence);
    const drafts = Math.min(plan.drafts.draftTokens, sequence.outputTokens - sequence.generatedTokens - 1);
    const lackingTokens = sequence.computedTokens + 1 + drafts - sequence.heldTokens;
    // Whoever gives way stands at the end, so that what was planned stays planned.
    if (lackingTokens > 0 && !reserve(batch, plan, sequence, Math.ceil(lackingTokens / config.blockTokens))) continue;
    sequence.stepTokens = 1 + drafts;
    plan.draftedTokens += drafts;
  }
}

/** Adds blocks to the sequence; false when it had to give way itself. */
function reserve(batch: Batch, plan: StepPlan, sequence: Sequence, blocks: number): boolean {
  const { cache, clock } = batch;
  for (;;) {
    assert(sequence.lease, "a sequence that decodes holds a lease");
    const evicted = cache.grow(sequence.lease, blocks, plan.startNs);
    if (evicted) {
      if (evicted.length > 0) plan.evicted.push(...evicted);
      for (let block = 0; block < blocks; block++) clock.grew(sequence);
      return true;
    }
    plan.isShort = true;
    if (preemptLast(batch, plan) === sequence) return false;
  }
}

function planChunks(batch: Batch, plan: StepPlan): void {
  const { config, waiting, running, prefilling } = batch;
  let left = config.tokenBudget - plan.load.decodeSequences - plan.draftedTokens;
  if (prefilling.length > 0) plan.isSteady = false;
  for (const sequence of prefilling) {
    if (left <= 0) break;
    left -= planChunk(plan, sequence, left);
  }
  while (left > 0 && running.length < config.maxSequences) {
    const head = findNext(waiting, plan);
    if (head === null || !admit(batch, plan, head)) break;
    left -= head.isDecoding ? planImported(plan, head) : planChunk(plan, head, left);
  }
}

/** Blocks that somebody just gave up go to the person they were given up for and to nobody else in the same step. */
function findNext(waiting: WaitingLine, { startNs, isShort, preempted }: StepPlan): Sequence | null {
  const head = isShort ? null : waiting.first(startNs);
  return head?.isBatch && preempted.length > 0 ? null : head;
}

/** Without chunks a prompt is computed whole, beside other whole prompts and no decoding; a very long one alone. */
function admitWholePrompts(batch: Batch, plan: StepPlan): boolean {
  const { config, waiting, running } = batch;
  let left = config.tokenBudget;
  while (running.length < config.maxSequences) {
    const head = findNext(waiting, plan);
    const isFirst = left === config.tokenBudget;
    if (head === null || (!isFirst && countKnownTokens(head) > left) || !admit(batch, plan, head)) break;
    if (head.isDecoding) continue;
    left -= planChunk(plan, head, countKnownTokens(head));
  }
  return left < config.tokenBudget;
}

/** The tokens planned. */
function planChunk({ load }: StepPlan, sequence: Sequence, most: number): number {
  const tokens = Math.min(countKnownTokens(sequence) - sequence.computedTokens, most);
  sequence.stepTokens = tokens;
  load.prefillTokens += tokens;
  load.prefillAttentionPairs += tokens * (sequence.computedTokens + tokens / 2);
  return tokens;
}

/** One whose prompt was computed elsewhere decodes at once. */
function planImported({ load }: StepPlan, sequence: Sequence): number {
  load.decodeSequences += 1;
  load.decodeContextTokens += countKnownTokens(sequence);
  return 1;
}

/** Blocks for everything known so far; the last token is always computed, never looked up. */
function wantBlocks({ blockTokens }: ServingConfig, sequence: Sequence, atNs: number): KvOpen {
  const { blockKeys, thread, retentionNs } = sequence.request;
  const tokens = countKnownTokens(sequence);
  return {
    keys: blockKeys,
    maxHitBlocks: Math.floor((tokens - 1) / blockTokens),
    totalBlocks: Math.ceil(tokens / blockTokens),
    atNs,
    ...(thread ? { thread } : {}),
    ...(retentionNs === undefined ? {} : { retentionNs }),
  };
}

/** Gives the sequence its blocks; false, with nothing done, when there is no room. */
function admit(batch: Batch, plan: StepPlan, sequence: Sequence): boolean {
  const { cache, clock, running, prefilling, waiting } = batch;
  const { blockTokens } = batch.config;
  const { id, importedTokens = 0 } = sequence.request;
  const tokens = countKnownTokens(sequence);
  const wanted = wantBlocks(batch.config, sequence, plan.startNs);
  const { totalBlocks } = wanted;
  const opened = cache.open(wanted);
  if (!opened) return false;
  const { lease, hitBlocks, expiredBlocks, reads, transferNs } = opened;
  waiting.take(sequence);
  sequence.lease = lease;
  sequence.heldTokens = totalBlocks * blockTokens;
  sequence.computedTokens = hitBlocks * blockTokens;
  // What came from another replica is gone with the blocks when the sequence had to give way.
  const isImported = importedTokens > 0 && importedTokens === tokens - 1 && sequence.preemptions === 0;
  if (isImported) sequence.computedTokens = importedTokens;
  publishFullBlocks(cache, sequence, blockTokens, plan.startNs);
  enter(running, sequence);
  if (isImported) clock.join(sequence);
  else enter(prefilling, sequence);
  plan.isSteady = false;
  plan.evicted.push(...opened.evicted);
  plan.admitted.push({
    id,
    hitBlocks,
    missBlocks: totalBlocks - hitBlocks,
    expiredBlocks,
    hitTokens: hitBlocks * blockTokens,
    recomputed: sequence.preemptions > 0,
    reads,
    transferNs,
  });
  // What lower tiers hold comes over one path, one request's blocks after another's.
  plan.transferNs += transferNs;
  return true;
}

/** Shares the blocks that are full and have a key. */
export function publishFullBlocks(cache: KvCache, sequence: Sequence, blockTokens: number, atNs: number): void {
  const { lease, request, computedTokens } = sequence;
  assert(lease, "a running sequence holds a lease");
  const fullBlocks = Math.floor(computedTokens / blockTokens);
  let shared = countSharedBlocks(lease);
  while (shared < fullBlocks) {
    const key = request.blockKeys[shared];
    if (key === undefined) break;
    cache.publish(lease, key, atNs);
    shared += 1;
  }
}

/** People stand before batch work. */
function enter(running: Sequence[], sequence: Sequence): void {
  let at = running.length;
  if (!sequence.isBatch) while (at > 0 && running[at - 1]?.isBatch) at -= 1;
  running.splice(at, 0, sequence);
}
