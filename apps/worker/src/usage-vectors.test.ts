/**
 * The shared OTLP vectors on the real store, by the way that exports take: whatever the order in which their exports
 * or single records arrive, with a pass of rating after each, and a worker that starts anew each time and sees nothing
 * but the news. Sent once more in the end, they change nothing. Each order of arrival has a workspace, in which all
 * vectors go side by side.
 */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createRandom, formatDecimal } from "@centspan/base";
import { type Control, openControl } from "@centspan/control";
import { BUCKET_OF_METER, METERS, type RatedCall } from "@centspan/model";
import { listPrices } from "@centspan/pricing";
import { openWarehouse, type Warehouse } from "@centspan/warehouse";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createRatingState, runRatingPass } from "./rating-pass.ts";
import { NOTHING_UNRATED } from "./testing/nothing-unrated.ts";
import { type Export, sendExports } from "./testing/send-exports.ts";

type Json = Export["otlp"];
type Counts = Record<string, number>;
type ExpectedCall = {
  trace_id?: string;
  span_id?: string;
  model: string;
  provider: string;
  buckets: Counts | null;
  session_id?: string;
  response_id?: string;
  provided_cost_usd?: string;
  ttft_ms?: number;
  status?: string;
};
type Vector = Export & {
  id: string;
  also?: Export[];
  context?: { gateway_services?: string[] };
  expected: { calls: ExpectedCall[] };
};
/** Exports in the order of their arrival. */
type Variant = { workspace: string; arrivals: Export[]; expected: ExpectedCall[] };

const shared = process.env.CENTSPAN_SHARED;
const path = join(shared ?? "", "vectors", "otlp-usage-vectors.json");
if (shared && !existsSync(path)) throw new Error(`CENTSPAN_SHARED is set, but ${path} is missing`);
const vectors: Vector[] = shared ? JSON.parse(readFileSync(path, "utf8")) : [];

let warehouse: Warehouse;
let control: Control;
beforeAll(async () => {
  const address = new URL(inject("clickhouseUrl"));
  address.pathname = `/vectors_${randomBytes(8).toString("hex")}`;
  warehouse = openWarehouse({ url: address.href });
  control = openControl({ url: inject("databaseUrl") });
  await Promise.all([warehouse.migrate(), control.migrate()]);
});
afterAll(() => Promise.all([warehouse.close(), control.close()]));

describe.skipIf(!shared)("shared OTLP vectors on the store (set CENTSPAN_SHARED)", () => {
  it("give their calls in every order of arrival, and once more when all is sent again", async () => {
    const variants = vectors.flatMap(listVariants);
    const rounds = Math.max(...variants.map(({ arrivals }) => arrivals.length));
    expect([variants.length > vectors.length * 3, rounds > 5]).toEqual([true, true]);
    let seenNs = 0n;
    for (let round = 0; round < rounds; round += 1) {
      await sendExports(
        warehouse,
        variants.flatMap(({ workspace, arrivals }) => send(workspace, arrivals.slice(round, round + 1))),
      );
      seenNs = await rateNews(seenNs);
    }
    await check(variants);
    await sendExports(
      warehouse,
      variants.flatMap(({ workspace, arrivals }) => send(workspace, arrivals)),
    );
    await rateNews(seenNs);
    await check(variants);
  }, 120_000);
});

/** A pass of a worker that remembers nothing, over what was received since the last one. */
async function rateNews(sinceNs: bigint): Promise<bigint> {
  const jobs = { readJob: async () => ({ watermarkNs: sinceNs, updatedAt: new Date(0) }), writeJob: async () => {} };
  const { asOfNs } = await warehouse.listChangedUsage(2n ** 62n);
  const feed = { ...warehouse, listChangedUsage: () => warehouse.listChangedUsage(sinceNs) };
  const rules = { readPrices: async () => ({ book: listPrices, ratingRunId: "run" }) };
  const { faults } = await runRatingPass(
    { feed, ledger: warehouse, jobs, policies: control, unrated: NOTHING_UNRATED },
    createRatingState(),
    rules,
  );
  expect(faults).toEqual([]);
  return asOfNs;
}

/** What the vectors call a gateway's service comes with a gateway's credential. */
const GATEWAYS = vectors.flatMap(({ context }) => context?.gateway_services ?? []);
const send = (workspace: string, exports: readonly Export[]) =>
  exports.flatMap(splitResources).map((each) => {
    const said = JSON.stringify(each.otlp);
    return { workspace, each, isTrusted: GATEWAYS.some((service) => said.includes(JSON.stringify(service))) };
  });

/** Whole exports in every order, and single records in some. */
function listVariants(vector: Vector): Variant[] {
  const exports = [{ signal: vector.signal, otlp: vector.otlp }, ...(vector.also ?? [])];
  const single = exports.flatMap(splitExport);
  const orders = [...permute(exports), single, single.toReversed(), shuffle(single)];
  return orders.map((arrivals, index) => ({
    workspace: `order ${index}`,
    arrivals,
    expected: vector.expected.calls,
  }));
}

const permute = <T>(items: readonly T[]): T[][] =>
  items.length <= 1
    ? [[...items]]
    : items.flatMap((item, index) => permute(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));

function shuffle<T>(items: readonly T[]): T[] {
  const random = createRandom(1);
  const rest = [...items];
  return items.flatMap(() => rest.splice(random.integer(rest.length), 1));
}

/** The lists from the outside in: an export with one record has one element in each. */
const LISTS = {
  traces: ["resourceSpans", "scopeSpans", "spans"],
  logs: ["resourceLogs", "scopeLogs", "logRecords"],
  metrics: ["resourceMetrics", "scopeMetrics", "metrics"],
} as const;

const splitExport = (whole: Export): Export[] => splitLists(whole, LISTS[whole.signal]);
const splitResources = (whole: Export): Export[] => splitLists(whole, LISTS[whole.signal].slice(0, 1));

function splitLists({ signal, otlp }: Export, lists: readonly string[]): Export[] {
  const split = (node: Json, [list, ...inner]: readonly string[]): Json[] => {
    if (list === undefined) return [node];
    const children = node[list];
    if (!Array.isArray(children)) return [];
    return children.flatMap((child) => split(child, inner).map((one) => ({ ...node, [list]: [one] })));
  };
  return split(otlp, lists).map((one) => ({ signal, otlp: one }));
}

async function check(variants: readonly Variant[]): Promise<void> {
  for (const workspace of new Set(variants.map((variant) => variant.workspace))) {
    const expected = variants
      .filter((variant) => variant.workspace === workspace)
      .flatMap((variant) => variant.expected);
    const { data } = await warehouse.listCalls(workspace, {}, { limit: 1000, cursor: null });
    const found = new Set(data.map((call) => JSON.stringify(describeCall(call))));
    const wanted = expected.map((call) => JSON.stringify(describeExpected(call)));
    expect(
      [...found].filter((call) => !wanted.includes(call)),
      workspace,
    ).toEqual([]);
    expect(
      wanted.filter((call) => !found.has(call)),
      workspace,
    ).toEqual([]);
    expect(data, workspace).toHaveLength(expected.length);
  }
}

const describeCall = (call: RatedCall) => ({
  traceId: call.traceId,
  spanId: call.spanId,
  model: call.model,
  provider: call.provider,
  sessionId: call.sessionId,
  responseId: call.responseId,
  buckets: METERS.map((meter) => call.buckets[BUCKET_OF_METER[meter]]),
  ttftMs: call.ttftMs,
  providedCostUsd: call.providedCostUsd && formatDecimal(call.providedCostUsd),
  quarantineReason: call.quarantineReason,
});

const describeExpected = (call: ExpectedCall): ReturnType<typeof describeCall> => ({
  traceId: call.trace_id ?? "",
  spanId: call.span_id ?? "",
  model: call.model,
  provider: call.provider,
  sessionId: call.session_id ?? "",
  responseId: call.response_id ?? "",
  buckets: METERS.map((meter) => call.buckets?.[meter] ?? 0),
  ttftMs: call.ttft_ms ?? null,
  providedCostUsd: call.provided_cost_usd ?? null,
  quarantineReason: call.status === "estimated_required" ? "usage_missing" : "",
});
