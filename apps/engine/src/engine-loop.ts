/**
 * Drives the serving core with the wall clock. Steps follow an ideal schedule: a step starts where the one before it
 * ended, and takes model time × scale. The loop sleeps only when the schedule is a millisecond or more ahead, and hands
 * out tokens once their instant has come, so spans say what the schedule says and nobody gets a token early.
 * Invariant: every request ends with exactly one of onFinished, onFailed, or its own cancel.
 */
import { setImmediate, setTimeout } from "node:timers/promises";
import { CentspanError, type Clock } from "@centspan/base";
import type { ServingCore, ServingEvent, ServingRequest, Step } from "@centspan/serving";
import type { ReplicaSpans } from "./spans/replica-spans.ts";
import type { RequestSpans } from "./spans/request-spans.ts";

const NS_PER_MS = 1_000_000n;
/** How long the loop may compute before other work of the process gets a turn. */
const TURN_NS = 2n * NS_PER_MS;

export type Generation = {
  request: Omit<ServingRequest, "arrivalNs">;
  startSpans(arrivalNs: bigint, queueDepth: number): RequestSpans;
  onToken(index: number): void;
  onFinished(result: { cachedTokens: number }): void;
  onFailed(error: CentspanError): void;
};

export type EngineLoop = {
  /** Queues a generation. Throws what the core refuses; `cancel` gives its place and blocks back. */
  start(generation: Generation): { cancel(): void };
  state: ServingCore["state"];
  /** Fails what is under way. */
  stop(): Promise<void>;
};

type Open = { generation: Generation; spans: RequestSpans; cachedTokens: number | null };
type Due = { atNs: bigint; events: ServingEvent[] };

export type EngineLoopOptions = { core: ServingCore; clock: Clock; timeScale: number; replicaSpans: ReplicaSpans };

export function startEngineLoop({ core, clock, timeScale, replicaSpans }: EngineLoopOptions): EngineLoop {
  /** Requests in the core. */
  const open = new Map<string, Open>();
  /** Events that the schedule has reached and the wall clock has not. */
  const due: Due[] = [];
  const toDeliver = new Map<string, Open>();
  let scheduleNs = clock.nowNs();
  let yieldedNs = scheduleNs;
  let stopped = false;
  let wake: () => void = () => undefined;

  const scale = (durationNs: bigint): bigint => BigInt(Math.round(Number(durationNs) * timeScale));

  /** Lets the wall clock come up to the schedule, or lets other work of the process run. */
  const pace = async (untilNs: bigint): Promise<void> => {
    const nowNs = clock.nowNs();
    const aheadMs = Number(untilNs - nowNs) / 1_000_000;
    if (aheadMs >= 1) await setTimeout(aheadMs);
    else if (nowNs - yieldedNs >= TURN_NS) await setImmediate();
    else return;
    yieldedNs = clock.nowNs();
  };

  const deliver = ({ events }: Due): void => {
    for (const event of events) {
      const receiver = toDeliver.get(event.id);
      if (!receiver) continue;
      if (event.type === "finished") toDeliver.delete(event.id);
      if (event.type === "token") receiver.generation.onToken(event.index);
      else receiver.generation.onFinished({ cachedTokens: receiver.cachedTokens ?? 0 });
    }
  };

  const deliverDue = (): void => {
    const nowNs = clock.nowNs();
    for (let next = due[0]; next && next.atNs <= nowNs; next = due[0]) {
      due.shift();
      deliver(next);
    }
  };

  const recordPlan = (step: Step): void => {
    for (const id of step.preempted) open.get(id)?.spans.preempt(step.startNs);
    for (const admission of step.admitted) {
      const request = open.get(admission.id);
      if (!request) continue;
      request.spans.admit(admission, step.startNs);
      request.cachedTokens ??= admission.hitTokens;
    }
  };

  const recordStep = (step: Step, events: ServingEvent[], endNs: bigint): void => {
    const span = replicaSpans.startStep(step);
    for (const { id, tokens } of step.prefills) open.get(id)?.spans.computeChunk(span, tokens);
    for (const event of events) {
      const request = open.get(event.id);
      if (event.type === "token") request?.spans.takeToken(span, endNs);
      else {
        request?.spans.end(endNs, { aborted: false });
        open.delete(event.id);
      }
    }
    replicaSpans.endStep(span, step, endNs);
  };

  const runStep = async (step: Step): Promise<void> => {
    recordPlan(step);
    const endNs = step.startNs + scale(step.durationNs);
    await pace(endNs);
    const events = core.completeStep(endNs);
    scheduleNs = endNs;
    recordStep(step, events, endNs);
    due.push({ atNs: endNs, events });
    deliverDue();
  };

  const idle = async (): Promise<void> => {
    const last = due.at(-1);
    if (last) {
      await setTimeout(1);
      return deliverDue();
    }
    const arrivalNs = core.nextArrivalNs();
    if (arrivalNs !== null) scheduleNs = arrivalNs;
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
    }
  };

  const failAll = (error: CentspanError): void => {
    for (const { spans } of open.values()) spans.end(latest(clock.nowNs(), scheduleNs), { aborted: true });
    const failed = [...toDeliver.values()];
    open.clear();
    toDeliver.clear();
    for (const { generation } of failed) generation.onFailed(error);
  };

  const running = run().catch((cause: unknown) => {
    stopped = true;
    process.stderr.write(`engine: the loop failed: ${cause instanceof Error ? cause.stack : String(cause)}\n`);
    failAll(new CentspanError("internal", "the engine's loop failed; its log has the cause", { cause }));
  });

  return {
    start(generation) {
      if (stopped) throw new CentspanError("not_ready", "the engine is stopping");
      const { id } = generation.request;
      const arrivalNs = clock.nowNs();
      const queueDepth = core.state().waiting;
      core.submit({ ...generation.request, arrivalNs });
      const request: Open = { generation, spans: generation.startSpans(arrivalNs, queueDepth), cachedTokens: null };
      open.set(id, request);
      toDeliver.set(id, request);
      wake();
      return {
        cancel() {
          toDeliver.delete(id);
          const atNs = latest(clock.nowNs(), scheduleNs);
          if (core.cancel(id, atNs)) request.spans.end(atNs, { aborted: true });
          open.delete(id);
        },
      };
    },
    state: () => core.state(),
    async stop() {
      stopped = true;
      wake();
      failAll(new CentspanError("not_ready", "the engine is stopping", { retryAfterS: 5 }));
      await running;
    },
  };
}

const latest = (a: bigint, b: bigint): bigint => (a > b ? a : b);
