/** Two runs side by side, as the route tells it. */
import { parseDecimal, parseInstant } from "@centspan/base";
import { EMPTY_BUCKETS, type SpanRecord, type WasteItem } from "@centspan/model";
import { beforeAll, expect, it } from "vitest";
import { makeCall, useApi } from "./testing/use-api.ts";

const atNs = parseInstant("2026-12-01T12:00:00Z") ?? 0n;
const { warehouse, client } = useApi("compare");
const traceId = (n: number): string => String(n).padStart(32, "0");
const spanId = (n: number): string => String(n).padStart(16, "0");

/** Calls begin two seconds after each other, and take one. */
const startOf = (n: number): bigint => atNs + BigInt(n - 1) * 2_000_000_000n;

const call = (run: number, n: number, usd: string, model = "m") => {
  const costUsd = parseDecimal(usd);
  return makeCall({
    ...{
      callId: `call_${run}_${n}`,
      atNs: atNs + BigInt(n),
      traceId: traceId(run),
      spanId: spanId(n),
      model,
      task: "t",
    },
    ...{
      runId: `run_${run}`,
      source: "gateway",
      costStatus: "rated",
      costUsd,
      buckets: { ...EMPTY_BUCKETS, input: 10 * n },
    },
    lines: [
      {
        ...{ meter: "input", quantity: 10 * n, unitPriceUsd: costUsd, listUnitPriceUsd: null, costUsd },
        ...{ priceEntryId: "p", ratingRunId: "r" },
      },
    ],
  });
};
const span = (run: number, n: number, more: Partial<SpanRecord>): SpanRecord => ({
  ...{ traceId: traceId(run), spanId: spanId(n), parentSpanId: "", name: "chat m", kind: "client", service: "s" },
  ...{ startedAtNs: startOf(n), endedAtNs: startOf(n) + 1_000_000_000n, status: "ok", statusMessage: "" },
  ...{ attributes: {}, resourceAttributes: {}, scopeName: "", trusted: true, events: [], links: [] },
  ...more,
});
const tool = (run: number, n: number, name: string): SpanRecord =>
  span(run, n, { name: `execute_tool ${name}`, startedAtNs: atNs + 1_000_000_000n, endedAtNs: atNs + 1_500_000_000n });

const item: WasteItem = {
  ...{ itemId: "i", cause: "prefix_system", layer: "harness", kind: "repeated", callId: "call_2_2", runId: "run_2" },
  ...{ traceId: traceId(2), spanId: spanId(2), atNs, keyId: "", key: "", team: "", task: "t", taskType: "" },
  ...{ repository: "", provider: "openai", model: "m", costUsd: parseDecimal("0.25"), seconds: 1 },
  ...{ confidence: "certain", provenance: "derived", evidence: {} },
};

beforeAll(async () => {
  await warehouse.insertCalls("compare", [call(1, 1, "1"), call(2, 1, "1"), call(2, 2, "0.5", "other")]);
  await warehouse.insertSpans("compare", [
    ...[span(1, 1, {}), tool(1, 5, "read")],
    ...[span(2, 1, {}), span(2, 2, {}), tool(2, 5, "edit")],
  ]);
  await warehouse.replaceWaste("compare", new Map([["run run_2", [item]]]));
  await warehouse.insertCalls("elsewhere", [call(3, 1, "1")]);
  await warehouse.insertSpans("elsewhere", [span(3, 1, {})]);
});

it("tells of each figure both, what the second has more, and where they part", async () => {
  const { runs, differenceUsd, buckets, meters, models, causes, walked } = await client.compareRuns(
    traceId(1),
    traceId(2),
  );
  expect(runs.map(({ costUsd, calls, wasteUsd }) => [costUsd, calls, wasteUsd])).toEqual([
    ["1", 1, "0"],
    ["1.5", 2, "0.25"],
  ]);
  expect(differenceUsd).toBe("0.5");
  expect(buckets.map(({ input }) => input)).toEqual([10, 30]);
  expect(meters).toEqual([{ meter: "input", costUsd: ["1", "1.5"], differenceUsd: "0.5" }]);
  expect(models).toEqual([
    { model: "other", calls: [0, 1], costUsd: ["0", "0.5"], differenceUsd: "0.5" },
    { model: "m", calls: [1, 1], costUsd: ["1", "1"], differenceUsd: "0" },
  ]);
  expect(causes).toMatchObject([
    {
      ...{ cause: "prefix_system", costUsd: ["0", "0.25"], differenceUsd: "0.25", seconds: [0, 1], calls: [0, 1] },
      proof: [null, { traceId: traceId(2), spanId: spanId(2) }],
    },
  ]);
  expect(walked).toMatchObject({
    turnCount: [1, 2],
    parting: { at: 0, by: ["called"], beforeUsd: ["0", "0"], fromUsd: ["1", "1.5"] },
    tools: [
      { tool: "read", calls: [1, 0], seconds: [0.5, 0] },
      { tool: "edit", calls: [0, 1] },
    ],
    time: [
      { kind: "api", seconds: [1, 2] },
      { kind: "tools", seconds: [0.5, 0.5] },
    ],
  });
});

it("says the reverse the other way round, and nothing of a run held against itself", async () => {
  const back = await client.compareRuns(traceId(2), traceId(1));
  expect([back.differenceUsd, back.causes[0]?.differenceUsd]).toEqual(["-0.5", "-0.25"]);
  const same = await client.compareRuns(traceId(2), traceId(2));
  expect([same.differenceUsd, same.walked?.parting]).toEqual(["0", null]);
});

it("knows no run of another workspace, on either side", async () => {
  await expect(client.compareRuns(traceId(1), traceId(3))).rejects.toMatchObject({ code: "not_found" });
  await expect(client.compareRuns(traceId(3), traceId(1))).rejects.toMatchObject({ code: "not_found" });
});
