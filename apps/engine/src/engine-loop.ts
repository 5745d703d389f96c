/**
 * Drives the serving core with the wall clock: a step starts where the one before it ended and takes model time × scale.
 * Spans say what this schedule says; nobody gets a token before its instant on the wall clock.
 * Invariant: every generation ends with exactly one of onFinished, onFailed, or its own cancel.
 */
import { CentspanError } from "@centspan/base";
import type { ServingCore, ServingEvent, ServingRequest, Step } from "@centspan/serving";
import { createOutbox } from "./outbox.ts";
import type { EngineTime } from "./pace.ts";
import type { DraftCounts, ReplicaSpans } from "./spans/replica-spans.ts";
import type { RequestSpans } from "./spans/request-spans.ts";

export type Generation = {
  /** Arrives when the loop can still take it, or later. */
  request: ServingRequest;
  startSpans(arrivalNs: bigint, queueDepth: number): RequestSpans;
  /** Just before the first token. */
  onBegun(result: { cachedTokens: number }): void;
  onToken(index: number): void;
  /** `atNs` on the core's clock. */
  onFinished(result: { cachedTokens: number; atNs: number }): void;
  onFailed(error: CentspanError): void;
};

export type EngineLoop = {
  /** Queues a generation. Throws what the core refuses; `cancel` gives its place and blocks back. */
  start(generation: Generation): { cancel(): void };
  /** The earliest instant at which a request may arrive now: batches that were formed are as they are. */
  openFromNs(): number;
  state: ServingCore["state"];
  isRunning(): boolean;
  /** Fails what is under way. */
  stop(): Promise<void>;
};

export type EngineLoopOptions = {
  core: ServingCore;
  clock: EngineTime;
  /** The wall-clock instant from which the core counts. */
  originNs: bigint;
  timeScale: number;
  replicaSpans: ReplicaSpans;
};

/** A request in the core. Cached tokens are those of its first admission. */
type Open = { spans: RequestSpans; cachedTokens: number | null };

/** Between two looks at whether answers are due, while the schedule has nothing to do: a millisecond of the timer's. */
const MOMENT_NS = 1_500_000n;

export function startEngineLoop(options: EngineLoopOptions): EngineLoop {
  const { core, clock, originNs, timeScale, replicaSpans } = options;
  const open = new Map<string, Open>();
  const outbox = createOutbox();
  const pace = clock.createPace();
  // Everything outside of the core is told wall-clock instants.
  const toWallNs = (atNs: number): bigint => originNs + BigInt(atNs);
  const nowNs = (): number => Number(clock.nowNs() - originNs);
  let scheduleNs = 0;
  /** When the latest batch was formed. */
  let formedNs = -1;
  let stopped = false;
  let wake: () => void = () => undefined;

  /** The schedule may be ahead of the wall clock: who comes now is not in the batch that was formed for later. */
  const openFromNs = (): number => Math.max(nowNs(), formedNs + 1);
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
    const arrivalNs = core.nextArrivalNs() ?? Number.POSITIVE_INFINITY;
    const aheadNs = arrivalNs - nowNs();
    if (aheadNs <= 0) scheduleNs = Math.max(scheduleNs, arrivalNs);
    else if (!outbox.isEmpty()) await pace.reach(clock.nowNs() + MOMENT_NS);
    else {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await pace.rest(aheadNs === Number.POSITIVE_INFINITY ? null : toWallNs(arrivalNs), woken);
    }
  };

  const run = async (): Promise<void> => {
    while (!stopped) {
      formedNs = scheduleNs;
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
      const arrivalNs = Math.max(generation.request.arrivalNs, openFromNs());
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
        onFinished: (atNs) => generation.onFinished({ cachedTokens: request.cachedTokens ?? 0, atNs }),
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
    openFromNs,
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

/** A prompt that ends in the step is computed in it for its own first token. */
const NOTHING_LOST = { interferenceMs: 0, rejectedMs: 0 };

/** What a step did, on its own span and on those of its requests. */
function recordStep(open: Map<string, Open>, replicaSpans: ReplicaSpans, done: Done): void {
  const { step, events, startNs, endNs } = done;
  const span = replicaSpans.startStep(step, startNs);
  if (step.decodes.length === 0) for (const { spans } of open.values()) spans.waitForPrompts(step.stepTimeMs);
  for (const { id, tokens } of step.prefills) open.get(id)?.spans.computeChunk(span, tokens);
  const tokens = new Map<string, number>();
  for (const { type, id } of events) if (type === "token") tokens.set(id, (tokens.get(id) ?? 0) + 1);
  const drafts = countDrafts(
    // Each that decodes gets one token without any draft.
    step.decodes.map(({ id, draftTokens }) => ({ draftTokens, accepted: (tokens.get(id) ?? 1) - 1 })),
  );
  const rejected = step.draftedTokens === 0 ? 0 : 1 - drafts.acceptedTokens / step.draftedTokens;
  const lost = { interferenceMs: step.prefillMs, rejectedMs: step.draftMs * rejected };
  const decoding = new Set(step.decodes.map(({ id }) => id));
  for (const [id, count] of tokens)
    open.get(id)?.spans.takeTokens(span, { count, atNs: endNs, lost: decoding.has(id) ? lost : NOTHING_LOST });
  for (const { type, id } of events) {
    if (type !== "finished") continue;
    open.get(id)?.spans.end(endNs, { aborted: false });
    open.delete(id);
  }
  replicaSpans.endStep(span, { ...done, drafts });
}

/** By position: how often it was accepted, and how often the first that was rejected. */
function countDrafts(drafts: readonly { draftTokens: number; accepted: number }[]): DraftCounts {
  const longest = drafts.reduce((most, { draftTokens }) => Math.max(most, draftTokens), 0);
  const acceptedAt = Array<number>(longest).fill(0);
  const rejectedAt = Array<number>(longest).fill(0);
  let acceptedTokens = 0;
  for (const { draftTokens, accepted } of drafts) {
    acceptedTokens += accepted;
    for (let at = 0; at < accepted; at += 1) acceptedAt[at] = (acceptedAt[at] ?? 0) + 1;
    if (accepted < draftTokens) rejectedAt[accepted] = (rejectedAt[accepted] ?? 0) + 1;
  }
  return { acceptedTokens, acceptedAt, rejectedAt };
}
