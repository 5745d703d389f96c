import { type CallRow, callRowSchema } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { makeSpan } from "../waterfall/testing-spans.ts";
import { groupAttributes } from "./group-attributes.ts";
import { prepareCharge } from "./prepare-charge.ts";
import { prepareStrip, prepareTurns, readSections } from "./prepare-turns.ts";

const makeCall = (callId: string, rest: Partial<CallRow> = {}): CallRow => ({
  callId,
  traceId: "a".repeat(32),
  spanId: callId,
  at: "2026-11-29T18:00:00.000000000Z",
  durationNs: "1000",
  keyId: "key_1",
  key: "agents",
  team: "payments",
  task: "task-1",
  taskType: "bug",
  runId: "run_1",
  sessionId: "",
  role: "execute",
  repository: "",
  harnessVersion: "",
  model: "m",
  effort: "",
  provider: "p",
  responseId: "",
  requests: 1,
  buckets: {
    input: 1_536,
    cacheRead: 41_088,
    cacheWrite5m: 10,
    cacheWrite1h: 5,
    outputText: 200,
    outputReasoning: 86,
    webSearches: 0,
  },
  costUsd: "0.006789",
  costStatus: "rated",
  quarantineReason: "",
  ttftMs: null,
  providedCostUsd: null,
  lines: [
    {
      meter: "input",
      quantity: 1_536,
      unitPriceUsd: "0.000001",
      listUnitPriceUsd: "0.000001",
      costUsd: "0.001536",
      priceEntryId: "P-1",
      ratingRunId: "r",
    },
    {
      meter: "cache_read",
      quantity: 41_088,
      unitPriceUsd: "0.0000001",
      listUnitPriceUsd: "0.0000001",
      costUsd: "0.0041088",
      priceEntryId: "P-1",
      ratingRunId: "r",
    },
  ],
  source: "gateway",
  provenance: "measured",
  ...rest,
});

describe("context per turn", () => {
  const TURN = { number: "2", spanId: "t2" };
  const turnOf = (spanId: string) => (spanId === "c2" ? TURN : null);

  it("is one bar a call, in time order, with the harness's number of the turn", () => {
    const later = "2026-11-29T18:00:01.000000000Z";
    const bars = prepareTurns(
      [makeCall("c2", { at: later }), makeCall("c2b", { at: later, spanId: "c2" }), makeCall("c1")],
      turnOf,
    );
    expect(bars.map((bar) => bar.turn)).toEqual(["1", "2", "2"]);
    expect(bars[0]).toMatchObject({
      input: 1_536,
      cacheRead: 41_088,
      cacheWrite: 15,
      output: 200,
      reasoning: 86,
      cost: "$0.0068",
    });
  });

  it("tells apart what was there before and was paid for again, as much of it as was paid for", () => {
    const call = makeCall("c1");
    const take = (repeatedTokens: number) => {
      const items = [
        { callId: "c1", evidence: { repeatedTokens } },
        { callId: "other", evidence: {} },
      ];
      const [bar] = prepareTurns([call], () => null, new Map(), items);
      return [bar?.cacheRead, bar?.repeated, bar?.cacheWrite, bar?.input];
    };
    expect([take(0), take(5), take(1_000), take(99_999)]).toEqual([
      [41_088, 0, 15, 1_536],
      [41_088, 5, 10, 1_536],
      [41_088, 1_000, 0, 551],
      [41_088, 1_551, 0, 0],
    ]);
  });

  it("says what a prompt held where the harness says it, and what was paid for again", () => {
    const facts = { "centspan.context.system_tokens": "5", "centspan.context.results_tokens": "7" };
    const { costUsd: _cost, ...built } = makeSpan({ spanId: "t2", facts });
    const waste = [{ callId: "c2", evidence: { repeatedTokens: 9 }, costUsd: "0.0003" }];
    const [bar] = prepareTurns([makeCall("c2")], turnOf, readSections([built]), waste);
    expect(bar).toMatchObject({
      turn: "2",
      sections: { system: 5, tools: 0, history: 0, results: 7 },
      repeatedCost: "$0.0003",
    });
  });

  it("shares columns where calls are many: the largest prompt of each, and how many it stands for", () => {
    const calls = Array.from({ length: 10 }, (_, i) => {
      const at = `2026-11-29T18:00:0${i}.000000000Z`;
      return makeCall(`c${i}`, { at, buckets: { ...makeCall("x").buckets, cacheRead: (i * 7) % 5 } });
    });
    const { columns, most } = prepareStrip(
      prepareTurns(calls, () => null),
      4,
    );
    expect(columns.map(({ bar, calls: count }) => [bar.turn, count])).toEqual([
      ["3", 3],
      ["5", 3],
      ["8", 3],
      ["10", 1],
    ]);
    expect(most).toBe(2_000);
    expect(prepareStrip([], 4)).toEqual({ columns: [], ticks: [0], most: 1 });
  });

  it("shows no cost where there is none", () => {
    const [bar] = prepareTurns([makeCall("x", { costUsd: null, costStatus: "unpriced" })], () => null);
    expect(bar).toMatchObject({ turn: "1", cost: null, costStatus: "unpriced", repeatedCost: null });
  });
});

describe("charge lines", () => {
  it("can be checked by hand: quantity, price per million, amount", () => {
    expect(callRowSchema.safeParse(makeCall("a")).error).toBeUndefined();
    expect(prepareCharge(makeCall("a"))).toEqual({
      lines: [
        { meter: "input", quantity: "1,536", price: "$1.00", amount: "$0.001536" },
        { meter: "cache_read", quantity: "41,088", price: "$0.10", amount: "$0.004109" },
      ],
      total: "$0.006789",
      priceEntries: ["P-1"],
      provided: null,
    });
  });

  it("have no total where the call is not priced", () => {
    const charge = prepareCharge(makeCall("a", { costUsd: null, costStatus: "unpriced", lines: [] }));
    expect(charge).toMatchObject({ lines: [], total: null });
  });
});

it("groups attributes without losing any", () => {
  const attributes = { "zeta.a": "1", "gen_ai.b": "2", "centspan.c": "3", "centspan.a": "4", plain: "5" };
  const groups = groupAttributes(attributes);
  expect(groups.map((group) => group.prefix)).toEqual(["centspan", "gen_ai", "plain", "zeta"]);
  expect(groups[0]?.entries.map((entry) => entry.name)).toEqual(["centspan.a", "centspan.c"]);
  expect(groups.flatMap((group) => group.entries)).toHaveLength(5);
});
