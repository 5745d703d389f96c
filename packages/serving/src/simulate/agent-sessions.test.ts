import { findKvPolicy } from "@centspan/policies";
import { describe, expect, it } from "vitest";
import {
  createClosedLoop,
  createStepTimeModel,
  LLAMA_3_1_8B_H100,
  runCluster,
  toAgentSessions,
  type WekaRequest,
} from "../index.ts";

const SECOND_NS = 1_000_000_000;

const request = (session: string, agent: string, startS: number, change: Partial<WekaRequest> = {}): WekaRequest => ({
  session,
  agent,
  startNs: startS * SECOND_NS,
  promptTokens: 64 * 4,
  outputTokens: 10,
  serviceNs: 2 * SECOND_NS,
  thinkNs: null,
  stopReason: "tool_use",
  hashRuns: [{ first: 0, blocks: 4 }],
  ...change,
});

describe("agent sessions", () => {
  it("keep the recorded think times, or what the starts say, and never go back in time", () => {
    const [session] = toAgentSessions(
      [
        request("a", "", 0),
        request("a", "", 10, { thinkNs: 3 * SECOND_NS }),
        request("a", "", 20, { serviceNs: null }),
        request("a", "", 22),
      ],
      64,
    );
    // 20 − 10 − 2 s, and 22 − 20 − 6.08 s, which would be before the answer.
    expect(session?.thread.map(({ gapNs }) => gapNs / SECOND_NS)).toEqual([0, 3, 8, 0]);
  });

  it("start a sub-agent with the answer to the main request before it", () => {
    const [session] = toAgentSessions(
      [request("a", "", 0), request("a", "", 9), request("a", "x", 0), request("a", "", 12)],
      64,
    );
    expect(session?.thread.map(({ subAgents = [] }) => subAgents.length)).toEqual([0, 1, 0]);
  });

  it("take several recorded blocks for one of the engine's, known by the last, and leave out what fills none", () => {
    const runs = [
      { first: 0, blocks: 6 },
      { first: 10, blocks: 3 },
    ];
    const [session] = toAgentSessions([request("a", "", 0, { promptTokens: 64 * 9, hashRuns: runs })], 256);
    expect(session?.thread[0]?.blockKeys).toEqual([3, 11]);
    expect(() => toAgentSessions([request("a", "", 0)], 96)).toThrow(/engine\.blockTokens|blocks of 96/);
  });

  it("share no blocks with each other, and cut them to the engine's size", () => {
    const sessions = toAgentSessions([request("a", "", 0), request("b", "", 0)], 32);
    const keys = sessions.map(({ thread }) => thread[0]?.blockKeys ?? []);
    expect(keys.map((list) => list.length)).toEqual([8, 8]);
    expect(new Set(keys.flat()).size).toBe(16);
    expect(() => toAgentSessions([], 48)).toThrow(/don't divide/);
  });

  it("tell the caches what their threads wait for, and when they have ended", () => {
    const recorded = ["a", "b", "c"].flatMap((session) =>
      Array.from({ length: 6 }, (_, at) =>
        request(session, "", at * 5, { stopReason: at === 5 ? "end_turn" : "tool_use" }),
      ),
    );
    const replica = {
      config: { blockTokens: 64, capacityBlocks: 12, maxSequences: 4, tokenBudget: 512 },
      stepTime: createStepTimeModel(LLAMA_3_1_8B_H100),
    };
    const hitsOf = (id: string): number => {
      const cluster = { replicas: [{ ...replica, policy: findKvPolicy(id) }] };
      const { requests } = runCluster(cluster, createClosedLoop(toAgentSessions(recorded, 64), 2));
      expect(requests).toHaveLength(18);
      return requests.reduce((sum, { hitTokens }) => sum + hitTokens, 0);
    };
    expect(hitsOf("loop-aware")).toBeGreaterThanOrEqual(hitsOf("lru-leaf"));
  });
});
