/** The engine under load and the simulator told the same arrivals: every span has its event, to the nanosecond. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom } from "@centspan/base";
import { findKvPolicy } from "@centspan/policies";
import {
  createOpenLoop,
  createStepTimeModel,
  LLAMA_3_1_8B_H100,
  runCluster,
  type ServingRequest,
  type Step,
} from "@centspan/serving";
import { afterEach, describe, expect, it, vi } from "vitest";
import { startTestEngine } from "./testing.ts";

vi.setConfig({ testTimeout: 60_000 });

type TestEngine = Awaited<ReturnType<typeof startTestEngine>>;
type Span = Awaited<ReturnType<TestEngine["takeSpans"]>>[number];
type Wanted = Omit<ServingRequest, "arrivalNs">;

let engine: TestEngine | undefined;
afterEach(() => engine?.stop());

/** A product of it with a whole number never lies halfway between two: both sides round alike. */
const TIME_SCALE = 0.04;
const SETTINGS = { CENTSPAN_KV_BLOCKS: "96", CENTSPAN_MAX_SEQUENCES: "8", CENTSPAN_TOKEN_BUDGET: "256" };

/** Conversations that share a beginning, some longer than the cache holds beside the others. */
function draw(seed: number, count: number): Wanted[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, index) => {
    const conversation = random.integer(6);
    const blocks = 2 + random.integer(24);
    const outputTokens = 1 + random.integer(40);
    const promptTokens = blocks * 64 + random.integer(64);
    const keys = Array.from({ length: Math.floor((promptTokens + outputTokens) / 64) }, (_, block) =>
      // The first blocks are everybody's, then the conversation's, then nobody else's.
      block < 2 ? block : block < blocks - 1 ? conversation * 1_000 + block : 100_000 + index * 100 + block,
    );
    const priority = random.integer(4) === 0 ? ("batch" as const) : ("interactive" as const);
    return { id: `r${index}`, promptTokens, outputTokens, blockKeys: keys, priority };
  });
}

/** Starts each when some milliseconds have gone by; resolves with its spans' trace ids when all are answered. */
async function play(running: TestEngine, requests: readonly Wanted[], seed: number): Promise<Map<string, string>> {
  const random = createRandom(seed);
  const traces = new Map<string, string>();
  const answers: Promise<void>[] = [];
  for (const request of requests) {
    const traceId = randomBytes(16).toString("hex");
    traces.set(traceId, request.id);
    answers.push(
      new Promise((resolve, reject) => {
        let next = 0;
        running.engine.start({
          ...request,
          headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
          onBegun: () => undefined,
          onToken: (index) => expect(index).toBe(next++),
          onFinished() {
            expect(next).toBe(request.outputTokens);
            resolve();
          },
          onFailed: reject,
        });
      }),
    );
    // What the load is, not what is waited for: the simulator is told when each came.
    if (random.integer(3) > 0) await sleep(random.integer(8));
  }
  await Promise.all(answers);
  return traces;
}

const startOf = ({ startTime: [s, ns] }: Span): bigint => BigInt(s) * 1_000_000_000n + BigInt(ns);
const endOf = ({ endTime: [s, ns] }: Span): bigint => BigInt(s) * 1_000_000_000n + BigInt(ns);

type Event = { replica: string; atNs: number; what: string };

describe.each([
  ["one replica", { CENTSPAN_REPLICAS: "1" }, 1],
  ["two replicas", { CENTSPAN_REPLICAS: "2", CENTSPAN_ROUTER: "round-robin" }, 2],
  ["another policy", { CENTSPAN_REPLICAS: "1", CENTSPAN_KV_POLICY: "s3-fifo" }, 1],
])("with %s", (_name, settings: Record<string, string>, replicas) => {
  it.each([1, 2])("live spans equal simulated events, seed %i", async (seed) => {
    engine = await startTestEngine({ ...SETTINGS, CENTSPAN_TIME_SCALE: String(TIME_SCALE), ...settings });
    await engine.takeSpans();
    const wanted = draw(seed, 40);
    const traces = await play(engine, wanted, seed + 100);
    const spans = await engine.takeSpans();

    const queues = spans.filter(({ name }) => name === "inference.queue");
    const idOf = (span: Span): string => traces.get(span.spanContext().traceId) ?? expect.fail("a span of no request");
    const firstQueue = new Map<string, Span>();
    for (const queue of queues) {
      const known = firstQueue.get(idOf(queue));
      if (known === undefined || startOf(queue) < startOf(known)) firstQueue.set(idOf(queue), queue);
    }
    const [originNs = 0n] = [...firstQueue.values()].map(startOf).sort((a, b) => Number(a - b));
    const at = (ns: bigint): number => Number(ns - originNs);

    const live: Event[] = spans.flatMap((span): Event[] => {
      const { attributes: a } = span;
      const replica = String(a["centspan.replica.id"]);
      const event = (atNs: bigint, what: string): Event => ({ replica, atNs: at(atNs), what });
      if (span.name === "inference.decode.step") {
        const load = `${a["centspan.step.batch_size"]}/${a["centspan.step.context_tokens"]}`;
        const ns = Number(endOf(span) - startOf(span));
        return [event(startOf(span), `step ${load} ${a["centspan.step.prefill_tokens"]} for ${ns}`)];
      }
      if (span.name === "inference.kv.evict")
        return [event(startOf(span), `evicts ${a["centspan.kv.evicted_blocks"]}`)];
      if (span.name === "inference.kv.lookup") {
        const found = `${a["centspan.kv.hit_blocks"]}+${a["centspan.kv.miss_blocks"]}`;
        return [event(startOf(span), `${idOf(span)} finds ${found}`)];
      }
      if (span.name === "inference.decode") return [event(endOf(span), `${idOf(span)} ends`)];
      return [];
    });

    const model = createStepTimeModel(LLAMA_3_1_8B_H100);
    const simulated: Event[] = [];
    const name = (index: number): string => `engine-${index}`;
    const placed = new Map<string, number>();
    const say = (replica: number, atNs: number, what: string) =>
      void simulated.push({ replica: name(replica), atNs, what });
    runCluster(
      {
        replicas: Array.from({ length: replicas }, () => ({
          config: { blockTokens: 64, capacityBlocks: 96, maxSequences: 8, tokenBudget: 256 },
          policy: findKvPolicy(settings.CENTSPAN_KV_POLICY ?? "lru-leaf"),
          stepTime: (load) => (Math.round(model(load) * 1e6) * TIME_SCALE) / 1e6,
        })),
        router: { id: settings.CENTSPAN_ROUTER ?? "prefix-affinity" },
      },
      createOpenLoop(
        wanted.map((request) => {
          const queue = firstQueue.get(request.id) ?? expect.fail(`no queue span of ${request.id}`);
          return { ...request, arrivalNs: at(startOf(queue)) };
        }),
      ),
      {
        observer: {
          onStep(replica: number, step: Step) {
            const { startNs } = step;
            say(
              replica,
              startNs,
              `step ${step.decodes.length}/${step.decodeContextTokens} ${step.prefillTokens} for ${step.durationNs}`,
            );
            if (step.evicted.length > 0) say(replica, startNs, `evicts ${step.evicted.length}`);
            for (const { id, hitBlocks, missBlocks } of step.admitted) {
              placed.set(id, replica);
              say(replica, startNs, `${id} finds ${hitBlocks}+${missBlocks}`);
            }
          },
          onTokens: () => undefined,
          onFinished: (id, atNs) => say(placed.get(id) ?? -1, atNs, `${id} ends`),
        },
      },
    );
    expect(sort(live)).toEqual(sort(simulated));
    expect(simulated.some(({ what }) => what.startsWith("evicts"))).toBe(true);
  });
});

const sort = (events: readonly Event[]): string[] =>
  events.map(({ replica, atNs, what }) => `${String(atNs).padStart(12)} ${replica} ${what}`).sort();
