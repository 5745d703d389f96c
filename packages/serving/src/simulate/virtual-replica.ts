/**
 * A replica on the virtual clock. A step's results exist from its end on: whoever looks in between sees the step under way.
 * At one instant a step ends before requests arrive, and begins after they have.
 */
import { assert } from "@centspan/base";
import { type BatchListener, type BatchMachine, createBatchMachine } from "../core/batch-machine.ts";
import { describeStep } from "../core/serving-core.ts";
import type { ServingOptions, ServingRequest, Step } from "../serving-types.ts";

/** The last instant at which a step may end, and the one at which none begins any more. */
export type AdvanceBounds = { endsByNs: number; beginsBeforeNs: number };

export type VirtualReplica = {
  readonly machine: BatchMachine;
  submit(request: ServingRequest, atNs: number): void;
  /** When its next step ends or begins; Infinity while there is nothing to do. */
  nextNs(): number;
  /** Whether that is an end. */
  isBusy(): boolean;
  /** Goes on within the bounds. With `stopAtFinish` it returns as soon as a request has finished. */
  advance(bounds: AdvanceBounds, stopAtFinish: boolean): void;
};

export function createVirtualReplica(
  options: ServingOptions,
  listener: BatchListener,
  onStep: ((step: Step) => void) | null,
): VirtualReplica {
  let hasFinished = false;
  const machine = createBatchMachine(options, {
    ...listener,
    onFinished(sequence, atNs) {
      hasFinished = true;
      listener.onFinished(sequence, atNs);
    },
  });
  const { batch } = machine;
  const { running, waiting } = batch;
  let nowNs = 0;
  let endNs = Number.POSITIVE_INFINITY;
  const isBusy = (): boolean => endNs !== Number.POSITIVE_INFINITY;
  let planned = 0;

  /** Whether a step was begun. */
  const begin = (): boolean => {
    const plan = machine.plan(nowNs);
    if (plan === null) return false;
    planned += 1;
    onStep?.(describeStep(planned, plan, batch));
    endNs = nowNs + plan.durationNs;
    return true;
  };

  return {
    machine,
    isBusy,
    submit(request, atNs) {
      assert(isBusy() || atNs >= nowNs, "a request arrives in the past of its replica");
      if (!isBusy() && running.length === 0) nowNs = Math.max(nowNs, atNs);
      machine.submit(request);
    },
    nextNs() {
      if (isBusy()) return endNs;
      return running.length + waiting.length() > 0 ? nowNs : Number.POSITIVE_INFINITY;
    },
    advance({ endsByNs, beginsBeforeNs }, stopAtFinish) {
      for (;;) {
        if (isBusy()) {
          if (endNs > endsByNs) return;
          nowNs = endNs;
          endNs = Number.POSITIVE_INFINITY;
          hasFinished = false;
          machine.complete(nowNs);
          if (stopAtFinish && hasFinished) return;
        }
        // The steps that are told of one by one are taken one by one.
        if (onStep === null) nowNs = machine.repeat(nowNs, endsByNs);
        if (nowNs >= beginsBeforeNs || !begin()) return;
      }
    },
  };
}
