/** A trace with more calls than its answer lists, on the real stores. */
import { parseDecimal, parseInstant } from "@centspan/base";
import { decodeSkeleton, EMPTY_BUCKETS, type RatedCall, readSpanId, type SpanRecord } from "@centspan/model";
import { beforeAll, expect, it } from "vitest";
import { makeCall, useApi } from "./testing/use-api.ts";

const WORKSPACE = "cut";
const TRACE = "c".repeat(32);
const CALLS = 1003;
const startedAtNs = parseInstant("2026-11-29T12:00:00Z") ?? 0n;
const idOf = (n: number): string => n.toString(16).padStart(16, "0");

const { warehouse, client } = useApi(WORKSPACE);

const makeSpan = (n: number, parent: number): SpanRecord => ({
  traceId: TRACE,
  spanId: idOf(n),
  parentSpanId: parent === 0 ? "" : idOf(parent),
  name: "chat",
  kind: "client",
  service: "app",
  startedAtNs,
  endedAtNs: startedAtNs + 1n,
  status: "ok",
  statusMessage: "",
  attributes: {},
  resourceAttributes: {},
  scopeName: "",
  trusted: false,
  events: [],
  links: [],
});

/** Under spans 2 and 3 in turn; the first, which is not listed, has no price. */
const makeNthCall = (n: number): RatedCall =>
  makeCall({
    callId: `call_${n}`,
    traceId: TRACE,
    spanId: idOf(2 + (n % 2)),
    atNs: startedAtNs + BigInt(n),
    buckets: { ...EMPTY_BUCKETS, input: 2, outputText: 1 },
    ...(n > 0 && { costStatus: "rated", costUsd: parseDecimal("0.000000000001") }),
  });

beforeAll(async () => {
  await warehouse.insertSpans(WORKSPACE, [makeSpan(1, 0), makeSpan(2, 1), makeSpan(3, 1)]);
  await warehouse.insertCalls(
    WORKSPACE,
    Array.from({ length: CALLS }, (_, n) => makeNthCall(n)),
  );
  await warehouse.refreshTraceSummaries(0n);
});

it("counts all calls of a trace, lists the newest, and says that it does", async () => {
  const { trace, spans, calls, buckets, anomalies } = await client.trace(TRACE);
  expect(calls).toHaveLength(1000);
  expect(calls.at(-1)?.callId).toBe("call_3");
  expect(anomalies).toEqual([
    { spanId: idOf(2), kind: "unpriced", detail: "no price for openai m" },
    { spanId: "", kind: "calls_cut", detail: expect.stringContaining("1000 newest of 1003 calls") },
  ]);
  expect(trace).toMatchObject({ calls: CALLS, costUsd: "0.000000001002", anomalies: ["unpriced", "calls_cut"] });
  expect(buckets).toEqual({ ...EMPTY_BUCKETS, input: 2 * CALLS, outputText: CALLS });
  expect(Object.fromEntries(spans.map(({ spanId, costUsd }) => [spanId, costUsd]))).toEqual({
    [idOf(1)]: "0.000000001002",
    [idOf(2)]: "0.000000000501",
    [idOf(3)]: "0.000000000501",
  });
});

it("gives the same tree and the same amounts as columns", async () => {
  const pieces: Uint8Array[] = [];
  for await (const piece of client.skeleton(TRACE)) pieces.push(piece);
  const skeleton = decodeSkeleton(Buffer.concat(pieces));
  const { spans } = await client.trace(TRACE);
  expect(spans.map(({ spanId, costUsd }) => [spanId, costUsd])).toEqual(
    Array.from(skeleton.face, (_, number) => [readSpanId(skeleton, number), skeleton.costUsd.get(number) ?? null]),
  );
  expect([[...skeleton.parents], skeleton.startNs, skeleton.durationsNs[2]]).toEqual([[-1, 0, 0], startedAtNs, 1n]);
  expect(skeleton.faces).toEqual([{ name: "chat", service: "app", layer: "other", host: "", status: "ok" }]);
  await expect(client.skeleton("d".repeat(32)).next()).rejects.toMatchObject({ code: "not_found" });
});

it("gives what rows say of spans by id or by name", async () => {
  const named = await client.spanRows(TRACE, { name: "chat" });
  expect(named.data.map(({ spanId }) => spanId)).toEqual([1, 2, 3].map(idOf));
  const some = await client.spanRows(TRACE, { ids: `${idOf(3)},${idOf(9)}`, linked: "true" });
  expect(some.data.map(({ spanId, facts }) => [spanId, facts])).toEqual([[idOf(3), {}]]);
  for (const query of [{}, { ids: "x" }, { ids: idOf(1), name: "chat" }, { name: "chat", linked: "true" }])
    await expect(client.spanRows(TRACE, query)).rejects.toMatchObject({ code: "invalid_request", field: "ids" });
  const ofSpan = await client.calls({ traceId: TRACE, spanId: idOf(2), limit: "2" });
  expect(ofSpan.data.map(({ callId }) => callId)).toEqual(["call_1002", "call_1000"]);
});

it("says nothing of a cut where there is none", async () => {
  await warehouse.withdrawCalls(WORKSPACE, ["call_0", "call_1", "call_2"]);
  const { calls, anomalies } = await client.trace(TRACE);
  expect(calls).toHaveLength(1000);
  expect(anomalies).toEqual([]);
});

it("does not know a trace of another workspace", async () => {
  await expect(client.trace("d".repeat(32))).rejects.toMatchObject({ code: "not_found" });
});
