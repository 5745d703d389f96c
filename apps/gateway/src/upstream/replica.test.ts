/** How fast a replica is taken to be. */
import { expect, it } from "vitest";
import { type AnswerKind, createReplica, type Replica } from "./replica.ts";
import { createUpstream } from "./upstream.ts";

const LOAD = { promptTokens: 1_000, newTokens: 500, blocks: 16 };

function harness() {
  const state = { nowMs: 0 };
  const replicas: Replica[] = [];
  const bestPace = (kind: AnswerKind): number | null => {
    const paces = replicas.flatMap((replica) => replica.pace(kind) ?? []);
    return paces.length === 0 ? null : Math.min(...paces);
  };
  const add = (): Replica => {
    const upstream = createUpstream({
      url: "http://127.0.0.1:9",
      key: undefined,
      provider: "peer",
      takesPriority: false,
    });
    const traits = { region: null, accelerator: null, maxContextTokens: Number.POSITIVE_INFINITY };
    const replica = createReplica({ upstream, traits, nowMs: () => state.nowMs, bestPace });
    replicas.push(replica);
    return replica;
  };
  const answer = (replica: Replica, count: number, ms: number, streams: boolean): void => {
    for (let at = 0; at < count; at++) {
      const flight = replica.begin({ ...LOAD, streams });
      state.nowMs += ms;
      flight.begun();
      flight.end("answered");
    }
  };
  return { add, answer };
}

it("is by the pace of its answers, once there are enough of them", () => {
  const { add, answer } = harness();
  const [fast, slow] = [add(), add()];
  answer(fast, 20, 80, true);
  answer(slow, 9, 100, true);
  expect(slow.view.speed).toBe(1);
  answer(slow, 11, 100, true);
  expect([fast.view.speed, slow.view.speed]).toEqual([1, expect.closeTo(0.8)]);
});

it("is not less for answers that are given whole, whose first byte comes last", () => {
  const { add, answer } = harness();
  const [streaming, whole] = [add(), add()];
  answer(streaming, 20, 100, true);
  answer(whole, 20, 3_000, false);
  expect([streaming.view.speed, whole.view.speed]).toEqual([1, 1]);
  // Where both kinds are known, each counts by how much is known of it.
  answer(streaming, 20, 1_500, false);
  expect(whole.view.speed).toBeCloseTo(0.5);
  answer(whole, 20, 100, true);
  expect(whole.view.speed).toBeCloseTo(0.75);
});
