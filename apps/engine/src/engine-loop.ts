/**
 * Drives the serving core with the wall clock: a step starts where the one before it ended and takes model time × scale.
 * Spans say what this schedule says; nobody gets a token before its instant on the wall clock.
 * Invariant: every generation ends with exactly one of onFinished, onFailed, or its own cancel.
 */
import { setTimeout } from "node:timers/promises";
import { CentspanError, type Clock } from "@centspan/base";
import type { ServingCore, ServingEvent, ServingRequest, Step } from "@centspan/serving";
import { createOutbox } from "./outbox.ts";
import { createPace } from "./pace.ts";
import type { ReplicaSpans } from "./spans/replica-spans.ts";
import type { RequestSpans } from "./spans/request-spans.ts";

export type Generation = {
  request: Omit<ServingRequest, "arrivalNs">;
  startSpans(arrivalNs: bigint, queueDepth: number): RequestSpans;
  /** Just before the first token. */
  onBegun(result: { cachedTokens: number }): void;
  onToken(index: number): void;
  onFinished(result: { cachedTokens: number }): void;
  onFailed(error: CentspanError): void;
};

export type EngineLoop = {
  /** Queues a generation. Throws what the core refuses; `cancel` gives its place and blocks back. */
  start(generation: Generation): { cancel(): void };
  state: ServingCore["state"];
  isRunning(): boolean;
  /** Fails what is under way. */
  stop(): Promise<void>;
};

export type EngineLoopOptions = { core: ServingCore; clock: Clock; timeScale: number; replicaSpans: ReplicaSpans };

/** A request in the core. Cached tokens are those of its first admission. */
type Open = { spans: RequestSpans; cachedTokens: number | null };

export function startEngineLoop({ core, clock, timeScale, replicaSpans }: EngineLoopOptions): EngineLoop {
  const open = new Map<string, Open>();
  const outbox = createOutbox();
  const pace = createPace(clock);
  // The core counts nanoseconds from here; everything outside of it is told wall-clock instants.
  const originNs = clock.nowNs();
  const toWallNs = (atNs: number): bigint => originNs + BigInt(atNs);
  const nowNs = (): number => Number(clock.nowNs() - originNs);
  let scheduleNs = 0;
  let stopped = false;
  let wake: () => void = () => undefined;

  /** The schedule may be a little ahead of the wall clock: nothing ends before it began. */
  const latestNs = (): number => Math.max(nowNs(), scheduleNs);

  const runStep = async (step: Step): Promise<void> => {
    const startNs = toWallNs(step.startNs);
    recordPlan(open, step, startNs);
    scheduleNs = step.startNs + Math.round(step.durationNs * timeScale);
    const endNs = toWallNs(scheduleNs);
    await pace.reach(endNs);
    const events = core.completeStep(scheduleNs);
    recordStep(open, replicaSpans, { step, events, startNs, endNs });
    outbox.put(endNs, events);
  };

  const idle = async (): Promise<void> => {
    const arrivalNs = core.nextArrivalNs();
    if (arrivalNs !== null) scheduleNs = arrivalNs;
    else if (!outbox.isEmpty()) await setTimeout(1);
    else {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };

  const run = async (): Promise<void> => {
    while (!stopped) {
      const step = core.nextStep(scheduleNs);
      await (step ? runStep(step) : idle());
      outbox.deliver(clock.nowNs());
    }
  };

  const fail = (error: CentspanError): void => {
    stopped = true;
    for (const { spans } of open.values()) spans.end(toWallNs(latestNs()), { aborted: true });
    open.clear();
    outbox.failAll(error);
  };

  const running = run().catch((cause: unknown) => {
    process.stderr.write(`engine: the loop failed: ${cause instanceof Error ? cause.stack : String(cause)}\n`);
    fail(new CentspanError("internal", "the engine's loop failed; its log has the cause", { cause }));
  });

  return {
    start(generation) {
      if (stopped) throw new CentspanError("not_ready", "the engine has stopped");
      const { id } = generation.request;
      const arrivalNs = nowNs();
      const queueDepth = core.state().waiting;
      core.submit({ ...generation.request, arrivalNs });
      const request: Open = { spans: generation.startSpans(toWallNs(arrivalNs), queueDepth), cachedTokens: null };
      open.set(id, request);
      let begun = false;
      outbox.expect(id, {
        onToken(index) {
          if (!begun) generation.onBegun({ cachedTokens: request.cachedTokens ?? 0 });
          begun = true;
          generation.onToken(index);
        },
        onFinished: () => generation.onFinished({ cachedTokens: request.cachedTokens ?? 0 }),
        onFailed: generation.onFailed,
      });
      wake();
      return {
        cancel() {
          outbox.forget(id);
          if (!open.delete(id)) return;
          const atNs = latestNs();
          core.cancel(id, atNs);
          request.spans.end(toWallNs(atNs), { aborted: true });
        },
      };
    },
    state: () => core.state(),
    isRunning: () => !stopped,
    async stop() {
      fail(new CentspanError("not_ready", "the engine is stopping", { retryAfterS: 5 }));
      wake();
      await running;
    },
  };
}

/** What a step's plan says about requests, before it runs. */
function recordPlan(open: Map<string, Open>, step: Step, startNs: bigint): void {
  for (const id of step.preempted) open.get(id)?.spans.preempt(startNs);
  for (const admission of step.admitted) {
    const request = open.get(admission.id);
    if (!request) continue;
    request.spans.admit(admission, startNs);
    request.cachedTokens ??= admission.hitTokens;
  }
}

type Done = { step: Step; events: ServingEvent[]; startNs: bigint; endNs: bigint };

/** What a step did, on its own span and on those of its requests. */
function recordStep(open: Map<string, Open>, replicaSpans: ReplicaSpans, done: Done): void {
  const { step, events, startNs, endNs } = done;
  const span = replicaSpans.startStep(step, startNs);
  for (const { id, tokens } of step.prefills) open.get(id)?.spans.computeChunk(span, tokens);
  for (const event of events) {
    const request = open.get(event.id);
    if (event.type === "token") request?.spans.takeToken(span, endNs);
    else {
      request?.spans.end(endNs, { aborted: false });
      open.delete(event.id);
    }
  }
  replicaSpans.endStep(span, done);
}
