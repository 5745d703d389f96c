/**
 * From an engine's spans to better settings and back, by the bundled optimizer agent: bad settings are planted, it finds what to
 * change from spans alone, files it, a person accepts, it applies that while the engine runs, and holds what comes of it on traffic
 * that nobody had seen against what was said. The engine's time goes on by itself: the same at each run, on each machine.
 */
import { createRandom } from "@centspan/base";
import type { VirtualEngine } from "@centspan/engine/virtual";
import type { Recommendation } from "@centspan/model";
import type { Session } from "@centspan/serving";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type EngineWorkspace, openEngineWorkspace } from "../stack/engine-workspace.ts";

vi.setConfig({ testTimeout: 300_000 });

const BLOCK_TOKENS = 64;
const CONCURRENT = 64;
const SESSIONS = 400;
const TURNS = 4;
const DAY_NS = 86_400_000_000_000n;

/** Agents of a few kinds, each kind with a long beginning of its own, that come back with more each turn. */
function drawSessions(seed: number): Session[] {
  const random = createRandom(seed);
  return Array.from({ length: SESSIONS }, (_, session) => {
    const kind = Math.floor(8 * random.next() ** 2);
    let blockKeys = Array.from({ length: 40 }, (_, depth) => kind * 1_000 + depth);
    return {
      thread: Array.from({ length: TURNS }, (_, turn) => {
        const fresh = Array.from(
          { length: 1 + random.integer(2) },
          (_, at) => 1e6 * (1 + seed) + session * 1_000 + turn * 20 + at,
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

const USUAL = { CENTSPAN_MAX_SEQUENCES: "16", CENTSPAN_KV_BLOCKS: "1500" };

type Case = { name: string; planted: Record<string, string>; mended: string };
const CASES: Case[] = [
  {
    name: "FIFO eviction",
    planted: { CENTSPAN_KV_POLICY: "fifo", CENTSPAN_KV_BLOCKS: "500", CENTSPAN_MAX_SEQUENCES: "8" },
    mended: "policy",
  },
  { name: "a tiny batch", planted: { CENTSPAN_MAX_SEQUENCES: "2" }, mended: "maxSequences" },
  {
    name: "draft length 8 at high load",
    planted: { CENTSPAN_DRAFT_TOKENS: "8", CENTSPAN_DRAFT_ACCEPTANCE: Array(8).fill("0.3").join(",") },
    mended: "draftTokens",
  },
  {
    name: "affinity off",
    planted: {
      ...{ CENTSPAN_ROUTER: "random", CENTSPAN_REPLICAS: "4" },
      ...{ CENTSPAN_KV_BLOCKS: "300", CENTSPAN_MAX_SEQUENCES: "4" },
    },
    mended: "router",
  },
  { name: "a tiny token budget", planted: { CENTSPAN_TOKEN_BUDGET: "96" }, mended: "tokenBudget" },
];

let open: { workspace: EngineWorkspace; engine: VirtualEngine } | undefined;
afterEach(async () => {
  await open?.engine.stop();
  await open?.workspace.close();
  open = undefined;
});

/** Yesterday the engine ran as usual; since then with what is planted. */
async function plant({ name, planted }: Case): Promise<{ workspace: EngineWorkspace; engine: VirtualEngine }> {
  const workspace = await openEngineWorkspace(`closed loop: ${name}`);
  const nowNs = BigInt(Date.now()) * 1_000_000n;
  const usual = await workspace.start(USUAL, nowNs - 2n * DAY_NS);
  await usual.play(drawSessions(77), CONCURRENT);
  await usual.stop();
  await workspace.deliver(usual);
  const engine = await workspace.start({ ...USUAL, ...planted }, nowNs - DAY_NS);
  open = { workspace, engine };
  await engine.play(drawSessions(1), CONCURRENT);
  await workspace.deliver(engine);
  return open;
}

/** The way of one case, with what has to hold on it whatever comes out. */
async function runCase(one: Case): Promise<Recommendation> {
  const { workspace, engine } = await plant(one);
  const planted = engine.engine.settings.read();
  const found = await workspace.optimize("--apply-to", engine.url);
  expect(found.filed, found.finalText).toHaveLength(1);
  const [id = ""] = found.filed;
  const filed = await workspace.recommendation(id);
  expect(filed.state).toBe("proposed");
  expect(
    filed.changes.map(({ knob }) => knob),
    one.name,
  ).toContain(one.mended);
  // Asked again, with the engine at hand: nobody accepted, so nothing is applied.
  const waiting = await workspace.optimize("--apply-to", engine.url);
  expect([waiting.applied, waiting.filed]).toEqual([[], []]);
  expect(engine.engine.settings.read()).toEqual(planted);

  await workspace.ask("POST", `/recommendations/${id}/accept`, { by: "Ada" });
  expect((await workspace.optimize("--apply-to", engine.url)).applied).toEqual([id]);
  const { policy, maxSequences, tokenBudget, draftTokens, router } = engine.engine.settings.read();
  const now: Record<string, unknown> = { policy, maxSequences, tokenBudget, draftTokens, router: router.id };
  for (const { knob, proposed } of filed.changes) if (knob in now) expect(now[knob]).toBe(proposed);

  await engine.rest(BigInt(Date.now()) * 1_000_000n);
  await engine.play(drawSessions(2), CONCURRENT);
  await workspace.deliver(engine);
  const { finalText } = await workspace.optimize("--apply-to", engine.url);
  const verified = await workspace.recommendation(id);
  expect(verified.state, finalText).toBe("verified");
  expect(verified.steps.map(({ step, by }) => `${step} by ${by}`)).toEqual([
    "accept by Ada",
    "applied by centspan optimizer agent",
    "verified by centspan worker",
  ]);
  return verified;
}

describe("the optimizer agent on an engine with bad settings", () => {
  it("finds, files, applies what is accepted, and what it said comes true in at least four of five", async () => {
    const results: object[] = [];
    let kept = 0;
    for (const one of CASES) {
      const { effect, realised, changes } = await runCase(one);
      await open?.engine.stop();
      await open?.workspace.close();
      open = undefined;
      const [low, high] = [effect?.low ?? 0, effect?.high ?? 1];
      const came = realised?.effect.share ?? Number.NaN;
      expect(came, one.name).toBeLessThan(0);
      if (realised?.isWithinInterval && high - low <= 0.1) kept += 1;
      results.push({
        name: one.name,
        said: [effect?.share, low, high],
        came,
        changes: changes.map(({ knob, now, proposed }) => `${knob} ${now} → ${proposed}`),
      });
    }
    // Of five intervals at 80% four hold in the mean; the same four at each run, since nothing here depends on the machine.
    expect(kept, JSON.stringify(results, null, 1)).toBeGreaterThanOrEqual(4);
  });
});
