/** What was paid for twice, as routes tell it, at noon of 1 December 2026. */
import { parseDecimal, parseInstant } from "@centspan/base";
import type { SpanRecord, WasteItem } from "@centspan/model";
import { beforeAll, expect, it } from "vitest";
import { makeCall, useApi } from "./testing/use-api.ts";

const nowNs = parseInstant("2026-12-01T12:00:00Z") ?? 0n;
const DAY_NS = 86_400_000_000_000n;
const { warehouse, client } = useApi("waste", { nowNs: () => nowNs });
const traceId = (n: number): string => String(n).padStart(32, "0");
const SPAN = "1".padStart(16, "0");

const spend = (n: number, source: "gateway" | "client") =>
  makeCall({
    callId: `call_${n}`,
    atNs: nowNs - BigInt(n) * DAY_NS,
    traceId: traceId(n),
    spanId: SPAN,
    source,
    costStatus: "rated",
    costUsd: parseDecimal("2"),
    lines: [
      {
        meter: "input",
        quantity: 1,
        unitPriceUsd: parseDecimal("2"),
        listUnitPriceUsd: null,
        costUsd: parseDecimal("2"),
        priceEntryId: "p",
        ratingRunId: "r",
      },
    ],
  });

const item = (n: number, given: Partial<WasteItem>): WasteItem => ({
  itemId: `item_${n}`,
  cause: "prefix_system",
  layer: "harness",
  kind: "repeated",
  callId: `call_${n}`,
  runId: "run",
  traceId: traceId(n),
  spanId: SPAN,
  atNs: nowNs - BigInt(n) * DAY_NS,
  keyId: "k",
  key: "agents",
  team: "search",
  task: "t",
  taskType: "",
  repository: "",
  provider: "openai",
  model: "m",
  costUsd: parseDecimal("0.5"),
  seconds: 2,
  confidence: "certain",
  provenance: "derived",
  evidence: { section: "system", path: "instructions", change: "clock", repeatedTokens: 9 },
  ...given,
});

const face: SpanRecord = {
  traceId: traceId(1),
  spanId: SPAN,
  parentSpanId: "",
  name: "chat m",
  kind: "client",
  service: "gateway",
  startedAtNs: nowNs - DAY_NS,
  endedAtNs: nowNs,
  status: "ok",
  statusMessage: "",
  attributes: {},
  resourceAttributes: {},
  scopeName: "",
  trusted: false,
  events: [],
  links: [],
};

beforeAll(async () => {
  await warehouse.insertCalls("waste", [...[1, 2, 3, 4, 5, 6, 7].map((n) => spend(n, "gateway")), spend(8, "client")]);
  await warehouse.insertSpans("waste", [face]);
  const clock = [1, 2, 3, 4, 5, 6, 7].map((n) => item(n, {}));
  const failed = item(1, {
    itemId: "failed",
    cause: "failed_attempt",
    kind: "failed",
    costUsd: parseDecimal("1.5"),
    evidence: {},
  });
  await warehouse.replaceWaste("waste", new Map([["run run", [...clock, failed]]]));
});

it("says by group what was paid for twice, and what of all spend is useful, failed and unknown", async () => {
  const { data, total } = await client.waste({ groupBy: "cause" });
  expect(data).toMatchObject([
    {
      group: "prefix_system",
      layer: "harness",
      kind: "repeated",
      costUsd: "3.5",
      seconds: 14,
      calls: 7,
      runs: 1,
      provenance: "derived",
    },
    { group: "failed_attempt", kind: "failed", costUsd: "1.5", topEvidence: { traceId: traceId(1), spanId: SPAN } },
  ]);
  expect(total).toEqual({
    spendUsd: "16",
    usefulUsd: "9",
    wasteUsd: "3.5",
    failedUsd: "1.5",
    notAnalysedUsd: "2",
    seconds: 16,
  });
  expect((await client.waste({ groupBy: "day", cause: "prefix_system", from: "2026-11-30" })).data).toMatchObject([
    { group: "2026-11-30", costUsd: "0.5", layer: "", kind: "" },
  ]);
});

it("says what to fix first, what that saves in a month, and what proves it", async () => {
  const { data } = await client.wasteTop();
  expect(data).toMatchObject([
    {
      cause: "prefix_system",
      title: "Prefix broken: system text",
      change: "clock",
      path: "instructions",
      since: "2026-11-24T12:00:00.000000000Z",
      // Seven days, as the gateway's first call was a week ago.
      savingPerMonthUsd: "15.21875",
      calls: 7,
      keys: ["agents"],
      teams: ["search"],
      proof: [{ costUsd: "3.5", spanId: SPAN, task: "t" }],
    },
  ]);
  // Every day the same.
  expect(data[0]?.interval).toEqual({ lowUsd: "15.21875", highUsd: "15.21875", level: 0.95 });
  expect((await client.wasteTop({ from: "2026-11-28", to: "2026-12-01" })).data).toMatchObject([
    { savingPerMonthUsd: "15.21875", interval: null },
  ]);
});

it("lists what proves it, and the balance of a run", async () => {
  const { data } = await client.wasteItems({ cause: "prefix_system", limit: "1" });
  expect(data).toMatchObject([
    {
      costUsd: "0.5",
      evidence: { change: "clock" },
      remedy: expect.stringContaining("system text"),
      provenance: "derived",
    },
  ]);
  expect(await client.balance(traceId(1))).toEqual({
    paidUsd: "2",
    usefulUsd: "0",
    repeatedUsd: "0.5",
    failedUsd: "1.5",
    notAnalysedUsd: "0",
    repeatedSeconds: 4,
    causes: [
      expect.objectContaining({ cause: "failed_attempt", kind: "failed", costUsd: "1.5", items: 1 }),
      expect.objectContaining({ cause: "prefix_system", kind: "repeated", costUsd: "0.5", seconds: 2 }),
    ],
    layers: [
      { layer: "harness", costUsd: "0.5", seconds: 2 },
      { layer: "api", costUsd: "0", seconds: 0 },
      { layer: "inference", costUsd: "0", seconds: 0 },
    ],
  });
  await expect(client.balance(traceId(99))).rejects.toMatchObject({ code: "not_found" });
  expect((await client.traces()).data).toMatchObject([{ traceId: traceId(1), wasteUsd: "0.5" }]);
  const causes = (await client.wasteCauses()).data;
  expect(causes[0]?.cause).toBe("prefix_tools");
  expect(causes.at(-1)).toMatchObject({ cause: "failed_attempt", kind: "failed" });
});
