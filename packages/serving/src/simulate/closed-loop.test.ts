import { findKvPolicy } from "@centspan/policies";
import { describe, expect, it } from "vitest";
import {
  type ClusterSpec,
  createClosedLoop,
  createStepTimeModel,
  LLAMA_3_1_8B_H100,
  runCluster,
  type ServingConfig,
  type Workload,
} from "../index.ts";

const stepTime = createStepTimeModel(LLAMA_3_1_8B_H100);
const policy = findKvPolicy("lru-leaf");
const fixed: ServingConfig = { blockTokens: 64, capacityBlocks: 6_144, maxSequences: 64, tokenBudget: 2_048 };
const one: ClusterSpec = { replicas: [{ config: fixed, policy, stepTime }] };
const silent = { onTokens: () => undefined, onFinished: () => undefined, onStep: () => undefined };

describe("a closed loop", () => {
  const turn = { promptTokens: 100, outputTokens: 10, blockKeys: [], gapNs: 2_000_000_000 };
  const arrivalsOf = (workload: Workload) =>
    [...runCluster(one, workload).requests].sort((a, b) => a.arrivalNs - b.arrivalNs);

  it("asks again a gap after the last answer", () => {
    const [first, second, third] = arrivalsOf(createClosedLoop([{ thread: [turn, turn, { ...turn, gapNs: 5 }] }], 1));
    expect(first?.arrivalNs).toBe(turn.gapNs);
    expect(second?.arrivalNs).toBe((first?.finishedNs ?? 0) + turn.gapNs);
    expect(third?.arrivalNs).toBe((second?.finishedNs ?? 0) + 5);
  });

  it("keeps so many sessions open, and starts the next when one ends", () => {
    const done = arrivalsOf(createClosedLoop(Array(5).fill({ thread: [turn] }), 2));
    expect(done.map(({ arrivalNs }) => arrivalNs).slice(0, 2)).toEqual([turn.gapNs, turn.gapNs]);
    expect(done).toHaveLength(5);
    for (const at of [2, 3, 4]) expect(done[at]?.arrivalNs).toBe((done[at - 2]?.finishedNs ?? 0) + turn.gapNs);
  });

  it("runs sub-agents beside their parent, or has it wait for them", () => {
    const child = [{ ...turn, gapNs: 0, outputTokens: 300 }];
    const run = (waitsForThem: boolean) =>
      arrivalsOf(createClosedLoop([{ thread: [{ ...turn, subAgents: [child, child], waitsForThem }, turn] }], 1));
    const beside = run(false);
    const lastBeside = beside.find(({ id }) => id === "s0-3");
    expect(lastBeside?.arrivalNs).toBe((beside[0]?.finishedNs ?? 0) + turn.gapNs);
    const awaited = run(true);
    const childrenEndNs = Math.max(...awaited.slice(1, 3).map(({ finishedNs }) => finishedNs));
    expect(awaited).toHaveLength(4);
    expect(awaited[3]?.arrivalNs).toBe(childrenEndNs + turn.gapNs);
  });

  it("has the same requests however fast the service is, and a slower one spreads them", () => {
    const sessions = Array(6).fill({ thread: [turn, turn, turn] });
    const slow = { ...one, replicas: [{ config: fixed, policy, stepTime, speed: 0.1 }] };
    const fast = runCluster(one, createClosedLoop(sessions, 3));
    const slower = runCluster(slow, createClosedLoop(sessions, 3));
    const count = (run: typeof fast) => run.requests.map(({ promptTokens }) => promptTokens).length;
    expect(count(slower)).toBe(count(fast));
    expect(slower.endNs).toBeGreaterThan(fast.endNs);
  });

  it("is the same in bulk and step by step, over several replicas", () => {
    const sessions = Array.from({ length: 9 }, (_, at) => ({
      thread: Array.from({ length: 4 }, (_, n) => ({ ...turn, gapNs: at * 7_000_000 + n, outputTokens: 20 + at * 5 })),
    }));
    for (const replicas of [1, 3]) {
      const cluster: ClusterSpec = { replicas: Array(replicas).fill(one.replicas[0]) };
      const slow = runCluster(cluster, createClosedLoop(sessions, 4), { observer: silent });
      expect(runCluster(cluster, createClosedLoop(sessions, 4))).toEqual(slow);
    }
  });
});
