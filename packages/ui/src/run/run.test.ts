import { type CallRow, callRowSchema } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { makeSpan } from "../waterfall/testing-spans.ts";
import { groupAttributes } from "./group-attributes.ts";
import { prepareCharge } from "./prepare-charge.ts";
import { prepareTurns } from "./prepare-turns.ts";

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
  const spans = [
    makeSpan({ spanId: "t2", name: "loop.turn", facts: { "centspan.turn.number": "2" } }),
    makeSpan({ spanId: "post", parent: "t2" }),
    makeSpan({ spanId: "c2", parent: "post", name: "chat m" }),
    makeSpan({ spanId: "ring", parent: "ring2" }),
    makeSpan({ spanId: "ring2", parent: "ring" }),
  ];

  it("is one bar a call, in time order, with the harness's number of the turn", () => {
    const later = "2026-11-29T18:00:01.000000000Z";
    const bars = prepareTurns(
      [makeCall("c2", { at: later }), makeCall("c2b", { at: later, spanId: "c2" }), makeCall("c1")],
      spans,
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
      const [bar] = prepareTurns([call], [], items);
      return [bar?.cacheRead, bar?.repeated, bar?.cacheWrite, bar?.input];
    };
    expect([take(0), take(5), take(1_000), take(99_999)]).toEqual([
      [41_088, 0, 15, 1_536],
      [41_088, 5, 10, 1_536],
      [41_088, 1_000, 0, 551],
      [41_088, 1_551, 0, 0],
    ]);
  });

  it("survives a ring of parents, and shows no cost where there is none", () => {
    const [bar] = prepareTurns([makeCall("x", { spanId: "ring", costUsd: null, costStatus: "unpriced" })], spans);
    expect(bar).toMatchObject({ turn: "1", cost: null, costStatus: "unpriced" });
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
