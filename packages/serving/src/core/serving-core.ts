/**
 * The serving core as the engine drives it: a step object that says who computes what, and an event for every token.
 * The same calls give the same answers.
 * Invariants: every accepted request finishes unless cancelled; tokens of a request come in order.
 */
import type { ServingCore, ServingEvent, ServingOptions, Step } from "../serving-types.ts";
import { createBatchMachine } from "./batch-machine.ts";
import type { Batch, StepPlan } from "./plan-step.ts";
import { countKnownTokens } from "./sequence.ts";

export function createServingCore(options: ServingOptions): ServingCore {
  let events: ServingEvent[] = [];
  const machine = createBatchMachine(options, {
    everyToken: true,
    // The step says so.
    onAdmitted: () => undefined,
    onTokens({ request: { id } }, firstIndex, count, atNs) {
      for (let index = firstIndex; index < firstIndex + count; index++) events.push({ type: "token", id, index, atNs });
    },
    onFinished: ({ request: { id } }, atNs) => void events.push({ type: "finished", id, atNs }),
  });
  const { batch } = machine;
  const { running, waiting, cache } = batch;
  let planned = 0;
  return {
    submit: machine.submit,
    cancel: machine.cancel,
    nextStep(nowNs) {
      const plan = machine.plan(nowNs);
      if (plan === null) return null;
      planned += 1;
      return describeStep(planned, plan, batch);
    },
    completeStep(endNs) {
      events = [];
      machine.complete(endNs);
      return events;
    },
    nextArrivalNs: waiting.nextArrivalNs,
    view: machine.view,
    configure: machine.configure,
    hint: cache.hint,
    state: () => ({ waiting: waiting.length(), running: running.length, blocks: cache.counts() }),
    totals: () => ({ ...machine.totals }),
  };
}

/** To be called before the step completes. */
export function describeStep(number: number, plan: StepPlan, { clock, running, prefilling, stepTime }: Batch): Step {
  const { startNs, durationNs, stepTimeMs, admitted, evicted, load, drafts } = plan;
  const decoding = load.decodeSequences > 0 ? running.filter((sequence) => sequence.isDecoding) : [];
  decoding.forEach(clock.settle);
  const computing = prefilling.filter((sequence) => sequence.stepTokens > 0);
  const undraftedMs = stepTime(load);
  const isMixed = load.decodeSequences > 0 && load.prefillTokens > 0;
  const prefillMs = isMixed ? undraftedMs - stepTime({ ...load, prefillTokens: 0, prefillAttentionPairs: 0 }) : 0;
  return {
    number,
    startNs,
    durationNs,
    stepTimeMs,
    decodes: decoding.map((one) => ({
      id: one.request.id,
      contextTokens: countKnownTokens(one),
      draftTokens: Math.max(0, one.stepTokens - 1),
    })),
    prefills: computing.map(({ request: { id }, computedTokens, stepTokens }) => ({
      id,
      startToken: computedTokens,
      tokens: stepTokens,
    })),
    admitted,
    preempted: plan.preempted.map((sequence) => sequence.request.id),
    evicted,
    decodeContextTokens: load.decodeContextTokens,
    prefillTokens: load.prefillTokens,
    prefillAttentionPairs: load.prefillAttentionPairs,
    prefillMs,
    draftMs: stepTimeMs - undraftedMs,
    draftModel: drafts.draft?.id ?? null,
    draftedTokens: plan.draftedTokens,
  };
}
