/**
 * The serving core as the engine drives it: a step object that says who computes what, and an event for every token.
 * The same calls give the same answers.
 * Invariants: every accepted request finishes unless cancelled; tokens of a request come in order.
 */
import type { ServingCore, ServingEvent, ServingOptions, Step } from "../serving-types.ts";
import { createBatchMachine, type TimedPlan } from "./batch-machine.ts";
import { countKnownTokens, type Sequence } from "./sequence.ts";

export function createServingCore(options: ServingOptions): ServingCore {
  let events: ServingEvent[] = [];
  const machine = createBatchMachine(options, {
    // The step says so.
    onAdmitted: () => undefined,
    onTokens({ request: { id } }, firstIndex, count, atNs) {
      for (let index = firstIndex; index < firstIndex + count; index++) events.push({ type: "token", id, index, atNs });
    },
    onFinished: ({ request: { id } }, atNs) => void events.push({ type: "finished", id, atNs }),
  });
  const { running, waiting, cache } = machine.batch;
  let planned = 0;
  return {
    submit: machine.submit,
    cancel: machine.cancel,
    nextStep(nowNs) {
      const plan = machine.plan(nowNs);
      if (plan === null) return null;
      planned += 1;
      return describeStep(planned, plan, running);
    },
    completeStep(endNs) {
      events = [];
      machine.complete(endNs);
      return events;
    },
    nextArrivalNs: waiting.nextArrivalNs,
    view: machine.view,
    state: () => ({ waiting: waiting.length(), running: running.length, blocks: cache.counts() }),
    totals: () => ({ ...machine.totals }),
  };
}

/** To be called before the step completes. */
export function describeStep(number: number, plan: TimedPlan, running: readonly Sequence[]): Step {
  const { startNs, durationNs, stepTimeMs, admitted, evicted, load, drafts } = plan;
  const active = running.filter((sequence) => sequence.stepTokens > 0);
  const decoding = active.filter((sequence) => sequence.isDecoding);
  const prefilling = active.filter((sequence) => !sequence.isDecoding);
  return {
    number,
    startNs,
    durationNs,
    stepTimeMs,
    decodes: decoding.map((one) => ({ id: one.request.id, contextTokens: countKnownTokens(one) })),
    prefills: prefilling.map(({ request: { id }, computedTokens, stepTokens }) => ({
      id,
      startToken: computedTokens,
      tokens: stepTokens,
    })),
    admitted,
    preempted: plan.preempted.map((sequence) => sequence.request.id),
    evicted,
    decodeContextTokens: load.decodeContextTokens,
    prefillTokens: load.prefillTokens,
    draftModel: drafts.draft?.id ?? null,
    draftedTokens: plan.draftedTokens,
  };
}
