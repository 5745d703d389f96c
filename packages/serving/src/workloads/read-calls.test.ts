import { EMPTY_BUCKETS } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type RecordedCall, readCalls, toAgentSessions, toTraceRequests } from "../index.ts";

const BLOCK = { blockTokens: 10 };
const SECOND_NS = 1_000_000_000n;

const call = (facts: Partial<RecordedCall>): RecordedCall => ({
  callId: "c",
  atNs: 0n,
  durationNs: SECOND_NS,
  sessionId: "s",
  model: "m",
  requests: 1,
  buckets: { ...EMPTY_BUCKETS, input: 30, outputText: 5 },
  quarantineReason: "",
  provenance: "measured",
  ...facts,
});

describe("recorded calls", () => {
  it("count every prompt bucket, both kinds of output, and time from the first call", async () => {
    const buckets = {
      input: 1,
      cacheRead: 2,
      cacheWrite5m: 3,
      cacheWrite1h: 4,
      outputText: 5,
      outputReasoning: 6,
      webSearches: 0,
    };
    const { requests, provenance } = await readCalls(
      [
        call({ callId: "b", atNs: 7n * SECOND_NS, durationNs: 0n }),
        call({ callId: "a", atNs: 5n * SECOND_NS, buckets }),
      ],
      BLOCK,
    );
    expect(requests).toMatchObject([
      { startNs: 0, promptTokens: 10, outputTokens: 11, serviceNs: 1e9, agent: "" },
      { startNs: 2e9, promptTokens: 30, outputTokens: 5, serviceNs: null, agent: "" },
    ]);
    expect(provenance).toBe("measured");
  });

  it("find of the session's call before what they say they read, and no more than it had", async () => {
    const read = (at: number, cacheRead: number, input: number, more: Partial<RecordedCall> = {}): RecordedCall =>
      call({ callId: `c${at}`, atNs: BigInt(at), buckets: { ...EMPTY_BUCKETS, input, cacheRead }, ...more });
    const { requests, cacheReadTokens, explainedTokens } = await readCalls(
      [
        // The first of its session: what it read was somebody else's.
        read(0, 20, 15),
        read(1, 29, 11),
        read(2, 100, 0),
        read(3, 40, 0, { model: "other" }),
        read(4, 40, 0, { sessionId: "t" }),
      ],
      BLOCK,
    );
    const keys = toTraceRequests(requests).map(({ blockKeys }) => blockKeys);
    expect(keys).toEqual([
      [0, 1, 2],
      [0, 1, 3, 4],
      [0, 1, 3, 4, 5, 6, 7, 8, 9, 10],
      [11, 12, 13, 14],
      [15, 16, 17, 18],
    ]);
    expect({ cacheReadTokens, explainedTokens }).toEqual({ cacheReadTokens: 229, explainedTokens: 20 + 40 });
  });

  it("become sessions in a closed loop: another model is asked beside the main line", async () => {
    const at = (seconds: number, more: Partial<RecordedCall> = {}): RecordedCall =>
      call({ callId: `at ${seconds}`, atNs: BigInt(seconds) * SECOND_NS, ...more });
    const { requests } = await readCalls(
      [at(0), at(4), at(2, { model: "small" }), at(1, { sessionId: "t" }), at(9)],
      BLOCK,
    );
    const [first, second, ...more] = toAgentSessions(requests, 10, 10);
    expect(first?.thread.map(({ gapNs, subAgents }) => [gapNs, subAgents?.length ?? 0])).toEqual([
      [0, 1],
      [3e9, 0],
      [4e9, 0],
    ]);
    expect(second?.thread).toHaveLength(1);
    expect(more).toEqual([]);
  });

  it("are left out, and counted, where no request can be made of them", async () => {
    const { requests, leftOut, provenance } = await readCalls(
      [
        call({ callId: "a", requests: 2, provenance: "allocated" }),
        call({ callId: "b", buckets: { ...EMPTY_BUCKETS, outputText: 4 } }),
        call({ callId: "c", quarantineReason: "negative input" }),
        call({ callId: "d", provenance: "simulated" }),
        call({ callId: "e" }),
      ],
      BLOCK,
    );
    expect(requests).toHaveLength(2);
    expect(leftOut).toEqual({ aggregates: 1, withoutUsage: 1, quarantined: 1 });
    expect(provenance).toBe("simulated");
    expect((await readCalls([], BLOCK)).provenance).toBeNull();
  });

  it.each([
    ["buckets.cacheRead", { buckets: { ...EMPTY_BUCKETS, cacheRead: -1 } }],
    ["buckets.input", { buckets: { ...EMPTY_BUCKETS, input: 1.5 } }],
    ["buckets", { buckets: { ...EMPTY_BUCKETS, input: Number.MAX_SAFE_INTEGER, outputText: 1 } }],
    ["requests", { requests: 0 }],
    ["at", { atNs: -1n }],
    ["at", { atNs: 105n * 86_400n * SECOND_NS }],
    ["durationNs", { durationNs: -1n }],
  ])("are refused with id and field: %s", async (field, facts) => {
    const bad = readCalls([call({}), call({ callId: "bad-one", ...facts })], BLOCK);
    await expect(bad).rejects.toMatchObject({ code: "invalid_request", field });
    await expect(bad).rejects.toThrow(`call bad-one: ${field} `);
  });

  it("that fill more blocks than memory holds are refused before their keys are made", async () => {
    const buckets = { ...EMPTY_BUCKETS, input: 400_000_010 };
    await expect(readCalls([call({ buckets })], BLOCK)).rejects.toMatchObject({ field: "from" });
  });
});

/** As the rule reads: a name for each block, made of the call that first had it, one list per session and model. */
function nameBlocks(calls: readonly RecordedCall[], blockTokens: number): string[][] {
  const before: Record<string, string[]> = {};
  return calls.map(({ callId, sessionId, model, buckets }) => {
    const owner = sessionId === "" ? callId : `${sessionId} ${model}`;
    const names: string[] = [];
    for (let end = blockTokens; end <= buckets.input + buckets.cacheRead; end += blockTokens) {
      const old = end <= buckets.cacheRead ? before[owner]?.[names.length] : undefined;
      names.push(old ?? `${callId} ${names.length}`);
    }
    before[owner] = names;
    return names;
  });
}

it("share exactly the blocks that the rule says, in whatever order the calls come", async () => {
  const facts = fc.record({
    sessionId: fc.constantFrom("", "a", "b"),
    model: fc.constantFrom("m", "n", ""),
    input: fc.nat(40),
    cacheRead: fc.nat(60),
  });
  const scenario = fc
    .array(facts, { minLength: 1, maxLength: 25 })
    .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray([...all.keys()], { minLength: all.length })));
  await fc.assert(
    fc.asyncProperty(scenario, fc.integer({ min: 1, max: 12 }), async ([all, order], blockTokens) => {
      const calls = all.map(({ sessionId, model, input, cacheRead }, at) =>
        call({
          callId: `c${at}`,
          atNs: BigInt(at),
          sessionId,
          model,
          // At least one token of a prompt is new.
          buckets: { ...EMPTY_BUCKETS, input: input + 1, cacheRead },
        }),
      );
      const shuffled = order.flatMap((at) => calls[at] ?? []);
      const read = await readCalls(shuffled, { blockTokens });
      const keys = toTraceRequests(read.requests).map(({ blockKeys }) => blockKeys);
      const names = nameBlocks(calls, blockTokens);
      expect(keys.map(({ length }) => length)).toEqual(names.map(({ length }) => length));
      // One name for each key and one key for each name.
      const pairs = new Set(keys.flatMap((list, at) => list.map((key, block) => `${key} = ${names[at]?.[block]}`)));
      expect(pairs.size).toBe(new Set(keys.flat()).size);
      expect(pairs.size).toBe(new Set(names.flat()).size);
      // An engine's own blocks are these, and sessions in a closed loop find the same.
      const turns = toAgentSessions(read.requests, blockTokens, blockTokens).flatMap(({ thread }) =>
        thread.flatMap((turn) => [turn, ...(turn.subAgents ?? []).flat()]),
      );
      expect(turns).toHaveLength(calls.length);
      expect(new Set(turns.flatMap(({ blockKeys }) => blockKeys)).size).toBe(pairs.size);
    }),
  );
});
