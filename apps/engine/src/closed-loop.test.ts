/**
 * From an engine's spans to its settings and back: bad settings are planted, what the engine says of itself is fitted, better
 * settings are searched for and judged on later traffic, a person accepts, they are applied while it runs, and what comes of
 * it on traffic that nobody had seen is held against what was said.
 */
import { createRandom } from "@centspan/base";
import { type RecommendationState, takeStep } from "@centspan/model";
import {
  countWorkNs,
  createSpace,
  cutWindow,
  type DraftedStep,
  describeFullEngine,
  type Effect,
  estimateEffect,
  evaluate,
  type FullEngine,
  fitDrafts,
  fitSteps,
  judge,
  type KnobValue,
  runSearch,
  type Settings,
  scoreOf,
  type Traffic,
  writePoint,
} from "@centspan/optimizer";
import { buildCluster, type Session, type StepTimeCoefficients, simulationConfigSchema } from "@centspan/serving";
import { afterEach, describe, expect, it, vi } from "vitest";
import { startTestEngine } from "./testing.ts";

vi.setConfig({ testTimeout: 240_000 });

type TestEngine = Awaited<ReturnType<typeof startTestEngine>>;
let engine: TestEngine | undefined;
afterEach(() => engine?.stop());

const BLOCK_TOKENS = 64;
const CONCURRENT = 64;
const SESSIONS = 400;
const TURNS = 4;
/** Blocks of consecutive requests that realised effects are resampled by. */
const BLOCKS = 12;

/** `salt`: the same traffic, but for what nobody had said before. Agents of a few kinds, each kind with a long beginning of its own, that come back with more each turn. */
function drawSessions(seed: number, salt = 0): Session[] {
  const random = createRandom(seed);
  return Array.from({ length: SESSIONS }, (_, session) => {
    const kind = Math.floor(8 * random.next() ** 2);
    let blockKeys = Array.from({ length: 40 }, (_, depth) => kind * 1_000 + depth);
    return {
      thread: Array.from({ length: TURNS }, (_, turn) => {
        const fresh = Array.from(
          { length: 1 + random.integer(2) },
          (_, at) => 1e6 * (1 + seed + 100 * salt) + session * 1_000 + turn * 20 + at,
        );
        blockKeys = [...blockKeys, ...fresh];
        return {
          promptTokens: blockKeys.length * BLOCK_TOKENS + random.integer(BLOCK_TOKENS),
          outputTokens: 10 + random.integer(30),
          blockKeys,
          gapNs: 0,
        };
      }),
    };
  });
}

/** So many sessions at a time, each turn after the answer before it: there is always somebody in line. */
async function play(running: TestEngine, sessions: readonly Session[]): Promise<void> {
  let next = 0;
  const run = async (): Promise<void> => {
    for (let session = sessions[next]; session !== undefined; session = sessions[next]) {
      next += 1;
      const number = next;
      for (const [turn, request] of session.thread.entries())
        await new Promise<void>((resolve, reject) => {
          const { gapNs: _gap, subAgents: _agents, waitsForThem: _waits, ...asked } = request;
          const ignore = (): void => undefined;
          running.engine.start({
            ...asked,
            id: `s${number}-${turn}-${Math.random()}`,
            headers: {},
            onBegun: ignore,
            onToken: ignore,
            onFinished: () => resolve(),
            onFailed: reject,
          });
        });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, run));
}

type Said = {
  steps: DraftedStep[];
  capacityBlocks: number;
  maxSequences: number;
  tokenBudget: number;
  replicas: number;
};

/** What spans say, and nothing else. */
async function listen(running: TestEngine): Promise<Said> {
  const spans = await running.takeSpans();
  const lookup = spans.find(({ name }) => name === "inference.kv.lookup")?.attributes ?? {};
  const steps = spans
    .filter(({ name }) => name === "inference.decode.step")
    .map(({ attributes: a, startTime: [s, ns] }) => ({
      startNs: BigInt(s) * 1_000_000_000n + BigInt(ns),
      stepMs: Number(a["centspan.step.time_ms"]),
      decodeSequences: Number(a["centspan.step.batch_size"]),
      decodeContextTokens: Number(a["centspan.step.context_tokens"]),
      prefillTokens: Number(a["centspan.step.prefill_tokens"]),
      prefillAttentionPairs: Number(a["centspan.step.prefill_pairs"] ?? 0),
      draftedTokens: Number(a["centspan.step.draft_proposed"] ?? 0),
      acceptedTokens: Number(a["centspan.step.draft_accepted"] ?? 0),
    }));
  return {
    steps,
    capacityBlocks: Number(lookup["centspan.kv.capacity_blocks"]),
    maxSequences: Number(lookup["centspan.engine.max_sequences"]),
    tokenBudget: Number(lookup["centspan.engine.token_budget"]),
    replicas: new Set(spans.flatMap(({ attributes }) => attributes["centspan.replica.id"] ?? [])).size,
  };
}

/**
 * The work of blocks of steps by what their spans say, as the optimizer counts it: how full this machine keeps the engine,
 * which has to wait for the test's own loop, is no part of it.
 */
function cutCosts({ steps }: Said, full: FullEngine): { cost: number; tokens: number }[] {
  const inOrder = steps.toSorted((a, b) => (a.startNs < b.startNs ? -1 : 1));
  const size = Math.ceil(inOrder.length / BLOCKS);
  return Array.from({ length: BLOCKS }, (_, at) => {
    const part = inOrder.slice(at * size, (at + 1) * size);
    const sum = (read: (step: DraftedStep) => number): number => part.reduce((all, step) => all + read(step), 0);
    const sequenceSteps = sum((step) => step.decodeSequences);
    const busyNs = 1e6 * sum((step) => step.stepMs);
    const computed = { busyNs, steps: part.length, prefillTokens: sum((step) => step.prefillTokens), sequenceSteps };
    return { cost: countWorkNs(computed, full), tokens: sequenceSteps + sum((step) => step.acceptedTokens) };
  });
}

/** Of the replicas that settings describe. */
function describeReplica({ priorities: _, ...config }: Settings, sessions: readonly Session[]): FullEngine {
  const [replica] = buildCluster(config).cluster.replicas;
  if (replica === undefined) return expect.fail("no replica");
  return describeFullEngine(
    replica,
    sessions.flatMap(({ thread }) => thread),
  );
}

type Observed = { said: Said; full: FullEngine };

function realise(before: Observed, after: Observed): Effect | null {
  const [a, b] = [cutCosts(before.said, before.full), cutCosts(after.said, after.full)];
  const pairs = a.flatMap(({ cost, tokens }, at) => {
    const other = b[at];
    return other ? [{ beforeCost: cost, beforeTokens: tokens, afterCost: other.cost, afterTokens: other.tokens }] : [];
  });
  return estimateEffect(pairs, { level: 0.8, seed: 1 });
}

/** How far the model is from what spans say, under the settings that made them. */
function measureModelError(present: Settings, traffic: Traffic, said: Said, seen: readonly Session[]): number {
  const modelled = evaluate(present, cutWindow(traffic, 0, 1), { blocks: 1, ignoreSupport: true });
  const costs = cutCosts(said, describeReplica(present, seen));
  const measuredNs = costs.reduce((sum, { cost }) => sum + cost, 0);
  const [{ usedNs } = expect.fail("no block")] = "blocks" in modelled ? modelled.blocks : [];
  return Math.abs(usedNs / measuredNs - 1);
}

type Case = { name: string; planted: Record<string, string>; space: Record<string, KnobValue[]>; mended: string };

const USUAL = { CENTSPAN_TIME_SCALE: "0.02", CENTSPAN_MAX_SEQUENCES: "16", CENTSPAN_KV_BLOCKS: "1500" };
const ACCEPTANCE = Array(8).fill("0.3").join(",");

const CASES: Case[] = [
  {
    name: "FIFO eviction",
    planted: { CENTSPAN_KV_POLICY: "fifo", CENTSPAN_KV_BLOCKS: "500", CENTSPAN_MAX_SEQUENCES: "8" },
    space: { policy: ["lru-leaf", "lfu"], tokenBudget: [1_024] },
    mended: "policy",
  },
  {
    name: "a tiny batch",
    planted: { CENTSPAN_MAX_SEQUENCES: "2" },
    space: { maxSequences: [4, 8, 16], policy: ["fifo"] },
    mended: "maxSequences",
  },
  {
    name: "draft length 8 at high load",
    planted: { CENTSPAN_DRAFT_TOKENS: "8", CENTSPAN_DRAFT_ACCEPTANCE: ACCEPTANCE },
    space: { draftTokens: [0, 1, 4], policy: ["fifo"] },
    mended: "draftTokens",
  },
  {
    name: "affinity off",
    planted: {
      CENTSPAN_ROUTER: "random",
      CENTSPAN_REPLICAS: "4",
      CENTSPAN_KV_BLOCKS: "300",
      CENTSPAN_MAX_SEQUENCES: "4",
    },
    space: { router: ["prefix-affinity", "round-robin"], tokenBudget: [1_024] },
    mended: "router",
  },
  {
    name: "a tiny token budget",
    planted: { CENTSPAN_TOKEN_BUDGET: "96" },
    space: { tokenBudget: [512, 2_048], policy: ["fifo"] },
    mended: "tokenBudget",
  },
];

/** Steps that drafted say nothing of the machine alone: its kind was fitted on another day, with the same spans. */
async function fitMachine(): Promise<StepTimeCoefficients> {
  engine = await startTestEngine(USUAL);
  await engine.takeSpans();
  await play(engine, drawSessions(77));
  const { coefficients, refusals } = fitSteps((await listen(engine)).steps, { promptTokens: [1, 10_000] });
  await engine.stop();
  expect(refusals).toEqual([]);
  return coefficients ?? expect.fail("no coefficients");
}

function describeEngine(said: Said, planted: Record<string, string>, stepTime: StepTimeCoefficients): Settings {
  const draftTokens = Number(planted.CENTSPAN_DRAFT_TOKENS ?? 0);
  const draft = draftTokens === 0 ? null : fitDrafts(said.steps, stepTime, draftTokens);
  const config = simulationConfigSchema.parse({
    stepTime,
    replicas: said.replicas,
    policy: planted.CENTSPAN_KV_POLICY ?? "lru-leaf",
    router: { id: planted.CENTSPAN_ROUTER ?? "prefix-affinity" },
    engine: {
      blockTokens: BLOCK_TOKENS,
      capacityBlocks: said.capacityBlocks,
      maxSequences: said.maxSequences,
      tokenBudget: said.tokenBudget,
    },
    speculation: draft === null ? null : { drafts: [draft], draftTokens },
  });
  return { ...config, priorities: true };
}

/** What came of a case: whether the engine's settings were touched before anybody accepted, and what was said and seen. */
async function runCase({ name, planted, space: values }: Case, stepTime: StepTimeCoefficients) {
  engine = await startTestEngine({ ...USUAL, ...planted });
  await engine.takeSpans();
  const seen = drawSessions(1);
  await play(engine, seen);
  const before = await listen(engine);

  const present = describeEngine(before, planted, stepTime);
  const traffic: Traffic = { kind: "closed", blockTokens: BLOCK_TOKENS, sessions: seen, concurrent: CONCURRENT };
  const space = createSpace(present, values);
  const modelError = measureModelError(present, traffic, before, seen);
  const windows = { chosenOn: cutWindow(traffic, 0.2, 0.6, 0.2), judgedOn: cutWindow(traffic, 0.6, 1, 0.3) };
  const search = runSearch(space, { candidates: 50, seed: 1, objective: "used" }, ({ point }) =>
    scoreOf(evaluate(writePoint(space, point), windows.chosenOn, { blocks: 1, ignoreSupport: true }), []),
  );
  const point = search.best()?.question.point ?? expect.fail("nothing was searched");
  const verdict = judge(space, point, windows, {
    ...{
      limits: [],
      objective: "used",
      level: 0.8,
      seed: 1,
      blocks: BLOCKS,
      ignoreSupport: true,
      modelError,
      factors: [],
    },
  });
  expect(verdict.refusals, `${name}: ${JSON.stringify([verdict.changes, verdict.predicted, verdict.judged])}`).toEqual(
    [],
  );

  // What the present settings make of the traffic to come: a control, as a replica would be that is left as it is.
  await play(engine, drawSessions(2));
  const control = await listen(engine);
  let state: RecommendationState = "proposed";
  const unchanged = engine.engine.settings.read();
  expect(() => takeStep(state, "applied")).toThrow(/it is proposed/);
  expect(engine.engine.settings.read()).toEqual(unchanged);
  state = takeStep(takeStep(state, "accept"), "applied");
  for (const { knob, to } of verdict.changes)
    engine.engine.settings.change({ [knob]: knob === "router" ? { id: to } : to });
  await engine.takeSpans();
  await play(engine, drawSessions(2, 1));
  const after = await listen(engine);
  state = takeStep(state, "verified");
  const realised = realise(
    { said: control, full: describeReplica(present, seen) },
    { said: after, full: describeReplica(writePoint(space, point), seen) },
  );
  return { verdict, realised, state };
}

describe("a closed loop on the reference engine", () => {
  it("mends what is planted, with the effect that was said, no less often than intervals at 80% may", async () => {
    const stepTime = await fitMachine();
    const results: { name: string; said: string; came: string; isWithin: boolean; width: number }[] = [];
    const percent = (share: number | undefined): string => `${(100 * (share ?? Number.NaN)).toFixed(1)}%`;
    for (const one of CASES) {
      const { verdict, realised, state } = await runCase(one, stepTime);
      await engine?.stop();
      expect(state).toBe("verified");
      expect(
        verdict.changes.map(({ knob }) => knob),
        one.name,
      ).toContain(one.mended);
      expect(realised?.share, one.name).toBeLessThan(0);
      const { judged } = verdict;
      results.push({
        name: one.name,
        said: `${percent(judged?.share)} (${percent(judged?.low)} to ${percent(judged?.high)})`,
        came: percent(realised?.share),
        isWithin: (judged?.low ?? 0) <= (realised?.share ?? 1) && (realised?.share ?? 1) <= (judged?.high ?? 0),
        width: (judged?.high ?? 1) - (judged?.low ?? 0),
      });
    }
    const told = JSON.stringify(results, null, 1);
    const kept = results.filter(({ isWithin, width }) => isWithin && width <= 0.1);
    // Of five intervals at 80%, four hold in the mean. Chance alone leaves fewer than two once in 150 times: that is a fault.
    expect(kept.length, told).toBeGreaterThanOrEqual(2);
  });
});
