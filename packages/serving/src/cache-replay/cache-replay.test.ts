import { findKvPolicy, kvPolicies } from "@centspan/policies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AgentEvent,
  createKvCache,
  groupSessions,
  type Prompt,
  replayAccesses,
  replayAgents,
  replayChains,
  scheduleAgents,
  type WekaRequest,
} from "../index.ts";
import { readNextAccesses, readNextRequests } from "./next-uses.ts";

/** A prompt is a path in a small tree: its key at depth d names the path up to d, as a chained hash does. */
const keys = fc
  .array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 5 })
  .map((path) => path.map((_, depth) => path.slice(0, depth + 1).reduce((key, step) => key * 3 + step + 1, 0)));
const prompts: fc.Arbitrary<Prompt[]> = fc
  .array(keys, { maxLength: 60, size: "max" })
  .map((all) => all.map((one, at) => ({ keys: one, atNs: at })));
const capacity = fc.integer({ min: 5, max: 12 });

describe("replays of prompts", () => {
  it("tell when each block is used next", () => {
    fc.assert(
      fc.property(prompts, (all) => {
        const accesses = all.flatMap(({ keys: chain }, request) => chain.map((key) => ({ key, request })));
        const after = (at: number) =>
          accesses.findIndex((other, place) => place > at && other.key === accesses[at]?.key);
        const orNever = (value: number | undefined): number => value ?? Number.POSITIVE_INFINITY;
        const next = accesses.map((_, at) => after(at));
        expect([...readNextAccesses(all)]).toEqual(next.map((at) => orNever(at < 0 ? undefined : at)));
        expect([...readNextRequests(all)]).toEqual(next.map((at) => orNever(accesses[at]?.request)));
      }),
    );
  });

  it("hit as the cache that serves does, one request after the other", () => {
    fc.assert(
      fc.property(prompts, capacity, (all, capacityBlocks) => {
        const policy = findKvPolicy("lru-leaf");
        const cache = createKvCache({ capacityBlocks, policy });
        let hits = 0;
        for (const { keys: chain, atNs } of all) {
          const opened = cache.open({ keys: chain, maxHitBlocks: chain.length, totalBlocks: chain.length, atNs });
          if (!opened) throw new Error("the prompt does not fit");
          for (const key of chain.slice(opened.hitBlocks)) cache.publish(opened.lease, key, atNs);
          cache.close(opened.lease, atNs);
          hits += opened.hitBlocks;
        }
        expect(replayChains(all, { capacityBlocks, policy }).hits).toBe(hits);
      }),
    );
  });

  it("find no policy that beats the optimum", () => {
    fc.assert(
      fc.property(prompts, capacity, (all, capacityBlocks) => {
        const best = replayAccesses(all, { capacityBlocks, policy: findKvPolicy("belady"), foresight: true });
        for (const policy of kvPolicies) {
          expect(replayAccesses(all, { capacityBlocks, policy }).hits).toBeLessThanOrEqual(best.hits);
        }
      }),
    );
  });
});

const SECOND = 1_000_000_000;
const request = (session: string, agent: string, hashes: number, times: Partial<WekaRequest> = {}): WekaRequest => ({
  session,
  agent,
  startNs: 0,
  promptTokens: 64 * hashes,
  outputTokens: 1,
  serviceNs: 2 * SECOND,
  thinkNs: 3 * SECOND,
  stopReason: "tool_use",
  hashRuns: [{ first: 1, blocks: hashes }],
  ...times,
});
const describeEvent = (event: AgentEvent): string => {
  const what = event.kind === "requested" ? `${event.keys.length} blocks` : event.isLast ? "ends" : event.waitsFor;
  return `${event.atNs / SECOND} s: thread ${event.thread} ${event.kind}, ${what}`;
};

describe("schedules of agents", () => {
  it("come a think time after the last answer; sub-agents begin with an answer, the next session with the last end", () => {
    const sessions = groupSessions([
      request("a", "", 9),
      request("a", "helper", 4),
      request("a", "", 12, { stopReason: "end_turn" }),
      request("b", "", 5),
    ]);
    const { events, requests, workingSetBlocks } = scheduleAgents(sessions, 1);
    expect(events.map(describeEvent)).toEqual([
      "0 s: thread 0 requested, 2 blocks",
      "2 s: thread 0 answered, tool",
      "2 s: thread 1 requested, 1 blocks",
      "4 s: thread 1 answered, ends",
      "5 s: thread 0 requested, 3 blocks",
      "7 s: thread 0 answered, ends",
      "7 s: thread 2 requested, 1 blocks",
      "9 s: thread 2 answered, ends",
    ]);
    expect([requests, workingSetBlocks]).toEqual([4, (2 + 3 + 3 + 1) / 4]);
  });

  it("take recorded starts where a time is missing, and stop when a session ends and none is left", () => {
    const sessions = groupSessions([
      request("a", "", 4, { serviceNs: null, startNs: 10 * SECOND }),
      request("a", "", 4, { startNs: 14 * SECOND }),
      request("b", "", 4, { serviceNs: 100 * SECOND }),
      request("b", "", 4),
    ]);
    expect(scheduleAgents(sessions, 2).events.map(describeEvent)).toEqual([
      "0 s: thread 0 requested, 1 blocks",
      "0 s: thread 1 requested, 1 blocks",
      "4 s: thread 0 answered, tool",
      "4 s: thread 0 requested, 1 blocks",
      "6 s: thread 0 answered, ends",
    ]);
  });

  it("know blocks of different sessions apart", () => {
    const sessions = groupSessions([request("a", "", 8), request("b", "", 8)]);
    const schedule = scheduleAgents(sessions, 1);
    const options = { capacityBlocks: 9, policy: findKvPolicy("lru-leaf"), mayBypass: false };
    expect(replayAgents(schedule, options)).toEqual({ hits: 0, accesses: 4 });
    const again = scheduleAgents(groupSessions([request("a", "", 8), request("a", "", 12)]), 1);
    expect(replayAgents(again, options)).toEqual({ hits: 2, accesses: 5 });
  });

  it("are served by every policy, bypassing or not, within its capacity", () => {
    const turns = fc.record({
      session: fc.integer({ min: 0, max: 3 }),
      agent: fc.constantFrom("", "x"),
      hashes: fc.integer({ min: 1, max: 40 }),
    });
    fc.assert(
      fc.property(fc.array(turns, { maxLength: 40 }), capacity, fc.boolean(), (all, capacityBlocks, mayBypass) => {
        const requests = all.map(({ session, agent, hashes }) => request(`s${session}`, agent, hashes));
        const sorted = requests.sort((a, b) => a.session.localeCompare(b.session));
        const schedule = scheduleAgents(groupSessions(sorted), 2);
        const best = replayAgents(schedule, {
          capacityBlocks: 400,
          policy: findKvPolicy("lru-leaf"),
          mayBypass: false,
        });
        for (const policy of kvPolicies) {
          const { hits, accesses } = replayAgents(schedule, { capacityBlocks, policy, mayBypass });
          expect(accesses).toBe(best.accesses);
          expect(hits).toBeLessThanOrEqual(best.hits);
        }
      }),
    );
  });
});
