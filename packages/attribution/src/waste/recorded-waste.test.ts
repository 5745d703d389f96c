import { formatDecimal } from "@centspan/base";
import type { RunFacts } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { planRun, priceOf } from "../testing/plan-run.ts";
import { START_NS } from "../testing/records.ts";
import { findWaste } from "./find-waste.ts";

/** At 3, 0.30, 3.75 (six for an hour) and 15 USD a million. */
const WRITES_COST = { provider: "anthropic", model: "claude-sonnet-4-5", source: "import" } as const;
type Plan = Parameters<typeof planRun>[0][number];
const MINUTE_NS = 60_000_000_000n;

const ask = (minute: number, plan: Plan): Plan => ({
  ...plan,
  call: { ...WRITES_COST, atNs: START_NS + BigInt(minute) * MINUTE_NS, responseId: `msg_${minute}`, ...plan.call },
});
const first = ask(0, { buckets: { cacheWrite5m: 20_000, outputText: 100 } });
const cached = (minute: number): Plan =>
  ask(minute, { buckets: { cacheRead: 20_000, cacheWrite5m: 500, outputText: 9 } });
const rebuilt = (minute: number, plan: Partial<Plan> = {}): Plan =>
  ask(minute, { buckets: { cacheWrite5m: 21_000, outputText: 100 }, ...plan });
const marked = (...marks: string[]) => ({ attributes: { "centspan.history.marks": JSON.stringify(marks) } });
const find = (run: RunFacts) =>
  findWaste(run, priceOf).map(({ cause, costUsd, confidence, evidence }) => ({
    cause,
    costUsd: formatDecimal(costUsd),
    confidence,
    evidence,
  }));

/** 20,000 tokens in whole grains of 128 are 19,968, at 3.75 instead of 0.30 USD a million. */
const MISS_USD = "0.0688896";

describe("a recorded conversation that was computed again", () => {
  it.each([
    ["is told of nothing where the cache was read", [first, cached(1), cached(2)], []],
    ["is told of nothing where all but the last of it was", [first, cached(1), cached(1), cached(1)], []],
    ["was resumed", [first, rebuilt(1, marked("resumed"))], ["prefix_resumed"]],
    ["was forked", [first, rebuilt(1, marked("forked"))], ["prefix_resumed"]],
    ["was resumed, which is said before its idleness", [first, rebuilt(60, marked("resumed"))], ["prefix_resumed"]],
    ["went on with another model", [first, rebuilt(1, { call: { model: "claude-opus-4-6" } })], ["prefix_settings"]],
    [
      "went on with another effort",
      [{ ...first, call: { ...first.call, effort: "low" } }, rebuilt(1, { call: { effort: "high" } })],
      ["prefix_settings"],
    ],
    ["for no reason that a history has", [first, rebuilt(1)], ["prefix_changed"]],
    ["by a client, of which no history tells", [first, rebuilt(1, { call: { source: "client" } })], []],
  ])("%s", (_what, plans, causes) => {
    expect(find(planRun(plans)).map(({ cause }) => cause)).toEqual(causes);
  });

  it("names both requests, how long it was idle, and what it cost more", () => {
    const run = planRun([first, rebuilt(42, marked("resumed"))]);
    expect(find(run)).toMatchObject([
      {
        cause: "prefix_resumed",
        costUsd: MISS_USD,
        confidence: "likely",
        evidence: {
          requestId: "msg_42",
          previousRequestId: "msg_0",
          idleSeconds: 42 * 60 - 1,
          reasons: ["ttl_passed"],
          knownTokens: 19_968,
          cachedTokens: 0,
          repeatedTokens: 19_968,
        },
      },
    ]);
  });

  it("after its cache's lifetime is expired, less what the longer one costs", () => {
    expect(find(planRun([first, cached(3), rebuilt(9)]))).toMatchObject([{ cause: "prefix_expired" }]);
    expect(find(planRun([first, rebuilt(4)]))).toMatchObject([{ cause: "prefix_changed" }]);
  });

  it("within the hour that it had paid for is not expired", () => {
    const hourLong = ask(0, { buckets: { cacheWrite1h: 20_000, outputText: 100 } });
    const again = (minute: number) => ask(minute, { buckets: { cacheWrite1h: 21_000, outputText: 100 } });
    expect(find(planRun([hourLong, again(50)]))).toMatchObject([{ cause: "prefix_changed" }]);
    expect(find(planRun([hourLong, again(90)]))).toMatchObject([{ cause: "prefix_expired" }]);
  });

  it("after a compaction is told no more than what it began with", () => {
    const long = ask(1, { buckets: { cacheRead: 20_000, cacheWrite5m: 100_000, outputText: 100 } });
    const compacted = rebuilt(2, { buckets: { cacheWrite5m: 30_000, outputText: 5 }, ...marked("compacted") });
    expect(find(planRun([first, long, compacted]))).toMatchObject([
      { cause: "prefix_compaction", evidence: { repeatedTokens: 19_968, reasons: ["compaction"] } },
    ]);
  });

  it("is compared with its own thread: an agent's first prompt repeats nothing", () => {
    const ofAgent = ask(1, {
      buckets: { cacheWrite5m: 21_000, outputText: 1 },
      attributes: { "centspan.thread.id": "session/agent" },
    });
    expect(find(planRun([first, ofAgent, cached(2)]))).toEqual([]);
  });
});

describe("results of tools in a recorded conversation", () => {
  const thread = { "centspan.thread.id": "session" };
  const result = (input: string, output: string, bytes: number) => ({
    name: "Read",
    readOnly: true,
    ms: 100,
    said: {
      ...thread,
      "centspan.tool.input_hash": input,
      "centspan.tool.output_hash": output,
      "centspan.tool.output_bytes": String(bytes),
    },
  });
  const turn = (n: number, tools: NonNullable<Plan["tools"]> = [], plan: Partial<Plan> = {}): Plan => ({
    buckets: { cacheRead: 20_000 + 12_000 * n, cacheWrite5m: 12_000, outputText: 10 },
    tools,
    ...plan,
    attributes: { ...thread, ...plan.attributes },
    call: { ...WRITES_COST, responseId: `msg_${n}` },
  });
  const causesOf = (plans: readonly Plan[]) =>
    find(planRun(plans)).map(({ cause, evidence }) => [cause, evidence.repeatedTokens]);

  it("that came twice to the same question stand there twice from then on", () => {
    const again = result("a", "x", 8000);
    expect(causesOf([turn(0, [again]), turn(1, [again]), turn(2), turn(3)])).toEqual([
      ["repeated_tool", 2000],
      ["repeated_tool", 2000],
    ]);
  });

  it("are read at the price of new tokens once, and of cached ones from then on", () => {
    const again = result("a", "x", 8000);
    // 2,000 tokens at 3.75, then at 0.30.
    expect(find(planRun([turn(0, [again]), turn(1, [again]), turn(2), turn(3)])).map(({ costUsd }) => costUsd)).toEqual(
      ["0.0075", "0.0006"],
    );
  });

  it.each([
    ["another question", result("b", "x", 8000)],
    ["another answer: something has changed in between", result("a", "y", 8000)],
    ["what is not worth a word", result("a", "x", 400)],
  ])("are no repetition for %s", (_what, second) => {
    expect(
      causesOf([
        turn(0, [result("a", "x", second.said["centspan.tool.output_bytes"] === "400" ? 400 : 8000)]),
        turn(1, [second]),
        turn(2),
      ]),
    ).toEqual([]);
  });

  it("are new again after a compaction", () => {
    const again = result("a", "x", 8000);
    const compacted = turn(1, [again], marked("compacted"));
    expect(
      causesOf([
        turn(0, [again]),
        { ...compacted, attributes: { ...thread, ...marked("compacted").attributes } },
        turn(2),
      ]),
    ).toEqual([]);
  });

  it("of more than 10,000 tokens are too long by what is beyond", () => {
    expect(causesOf([turn(0, [result("a", "x", 60_000)]), turn(1), turn(2)])).toEqual([
      ["oversized_output", 5000],
      ["oversized_output", 5000],
    ]);
  });
});

describe("the same request again", () => {
  const asked = { attributes: { "centspan.prefix.fingerprint": "f" } };
  const whole = (minute: number, tokens: number): Plan =>
    ask(minute, { buckets: { cacheRead: tokens, outputText: 1_000 }, ...asked });

  it("is told by what it answers and by a prompt of the same length, with both requests", () => {
    expect(find(planRun([whole(0, 20_000), whole(1, 20_000)]))).toMatchObject([
      { cause: "retry", costUsd: "0.021", evidence: { requestId: "msg_1", previousRequestId: "msg_0" } },
    ]);
  });

  it("is none where the prompt has grown: an answer went on", () => {
    expect(find(planRun([whole(0, 20_000), whole(1, 21_000)]))).toEqual([]);
  });
});
