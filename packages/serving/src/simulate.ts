/**
 * The serving core under a virtual clock: time jumps from event to event. What the reference engine does with the wall
 * clock happens here as fast as the machine can count.
 * Invariant: the same requests and settings give a byte-identical log.
 */
import { assert } from "@centspan/base";
import { createServingCore } from "./core/serving-core.ts";
import type { ServingEvent, ServingOptions, ServingRequest, Step } from "./serving-types.ts";

export type SimulatedRequest = {
  id: string;
  arrivalNs: number;
  firstTokenNs: number;
  finishedNs: number;
  hitTokens: number;
  outputTokens: number;
};

export type Simulation = {
  /** One line per step and per event, in order. */
  log: string[];
  /** In order of completion. */
  requests: SimulatedRequest[];
  steps: number;
  endNs: number;
};

export function simulate(requests: readonly ServingRequest[], options: ServingOptions): Simulation {
  const core = createServingCore(options);
  // Sorting is stable: requests that arrive together keep the order they were given in.
  const ordered = [...requests].sort((a, b) => a.arrivalNs - b.arrivalNs);
  const open = new Map<string, SimulatedRequest>();
  for (const { id, arrivalNs, outputTokens } of ordered) {
    open.set(id, { id, arrivalNs, outputTokens, firstTokenNs: 0, finishedNs: 0, hitTokens: 0 });
  }
  for (const request of ordered) core.submit(request);
  const log: string[] = [];
  const finished: SimulatedRequest[] = [];
  let nowNs = 0;
  let steps = 0;
  for (;;) {
    const step = core.nextStep(nowNs);
    if (!step) {
      const arrivalNs = core.nextArrivalNs();
      if (arrivalNs === null) break;
      assert(arrivalNs > nowNs, "an idle core with a request that has arrived would never go on");
      nowNs = arrivalNs;
      continue;
    }
    steps = step.number;
    log.push(describeStep(step));
    for (const { id, hitTokens, recomputed } of step.admitted) {
      const request = open.get(id);
      if (request && !recomputed) request.hitTokens = hitTokens;
    }
    nowNs += step.durationNs;
    for (const event of core.completeStep(nowNs)) {
      log.push(describeEvent(event));
      const request = open.get(event.id);
      if (!request) continue;
      if (event.type === "token" && event.index === 0) request.firstTokenNs = event.atNs;
      if (event.type === "finished") {
        request.finishedNs = event.atNs;
        finished.push(request);
      }
    }
  }
  return { log, requests: finished, steps, endNs: nowNs };
}

function describeStep(step: Step): string {
  const decodes = step.decodes.map((d) => `${d.id}@${d.contextTokens}`).join(" ");
  const prefills = step.prefills.map((p) => `${p.id}@${p.startToken}+${p.tokens}`).join(" ");
  const admitted = step.admitted.map((a) => `${a.id}:${a.hitBlocks}/${a.missBlocks}`).join(" ");
  const parts = [`decode [${decodes}]`, `prefill [${prefills}]`, `admit [${admitted}]`];
  if (step.preempted.length > 0) parts.push(`preempt [${step.preempted.join(" ")}]`);
  if (step.evicted.length > 0) parts.push(`evict [${step.evicted.join(" ")}]`);
  return `${step.startNs} step ${step.number} ${step.durationNs}ns ${parts.join(" ")}`;
}

const describeEvent = (event: ServingEvent): string =>
  event.type === "token" ? `${event.atNs} token ${event.id} ${event.index}` : `${event.atNs} finished ${event.id}`;
