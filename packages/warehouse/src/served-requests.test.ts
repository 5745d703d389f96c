/** Requests of engines that report them whole, with what the gateway knows of their prompts. */
import type { SpanRecord } from "@centspan/model";
import { expect, it } from "vitest";
import { useWarehouse } from "./testing/create-warehouse.ts";
import { HOUR_NS, makeSpan, NOON_NS, spanId, traceId } from "./testing/records.ts";

const test = useWarehouse();
const RANGE = { fromNs: NOON_NS, toNs: NOON_NS + HOUR_NS };
/** The gateway asks a little before. */
const EARLIER = { fromNs: NOON_NS - HOUR_NS, toNs: RANGE.toNs };
const MS = 1_000_000n;
let workspaces = 0;
const list = async (spans: readonly SpanRecord[], most = 10) => {
  const workspace = `served${++workspaces}`;
  await test.warehouse.insertSpans(workspace, spans);
  return test.warehouse.listServedRequests(workspace, "vllm", RANGE, most);
};

const served = (number: number, attributes: Record<string, string>, given: Partial<SpanRecord> = {}): SpanRecord =>
  makeSpan({
    ...{ name: "llm_request", service: "vllm", traceId: traceId(number), spanId: spanId(2), parentSpanId: spanId(1) },
    ...{ startedAtNs: NOON_NS + BigInt(number) * MS, endedAtNs: NOON_NS + BigInt(number + 900) * MS },
    resourceAttributes: { "service.name": "vllm", "service.instance.id": "pod-1" },
    attributes: { "gen_ai.usage.prompt_tokens": "200", "gen_ai.usage.completion_tokens": "20", ...attributes },
    ...given,
  });
const asked = (number: number, attributes: Record<string, string>): SpanRecord =>
  makeSpan({
    ...{ name: "chat m", service: "centspan-gateway", traceId: traceId(number), spanId: spanId(1) },
    ...{ startedAtNs: NOON_NS + BigInt(number - 5) * MS, endedAtNs: NOON_NS + BigInt(number + 905) * MS },
    attributes: { "centspan.prefix.fingerprint": "f", ...attributes },
  });
/** Milliseconds after the request came. */
const times = ({ arrivedAtNs, firstTokenAtNs, endedAtNs }: { [name: string]: unknown }) =>
  [firstTokenAtNs, endedAtNs].map((ns) => (BigInt(String(ns)) - BigInt(String(arrivedAtNs))) / MS);

it("have the prompt that the gateway knows, and the times that the engine says in either of its units", async () => {
  const inSeconds = served(10, { "gen_ai.latency.time_to_first_token": "0.25", "gen_ai.latency.e2e": "0.8" });
  const found = await list([
    inSeconds,
    inSeconds,
    asked(10, {
      ...{ "centspan.prefix.known_blocks": "2", "centspan.prefix.block_keys": "b.c" },
      ...{ "centspan.engine.priority": "batch", "session.id": "s" },
    }),
    served(20, { "gen_ai.latency.time_to_first_token": "250000000", "gen_ai.latency.e2e": "800000000" }),
    asked(20, {}),
    // As SGLang has it: nobody asked through the gateway, and the span is as long as the answer took.
    served(30, { "gen_ai.latency.time_to_first_token": "0.25" }, { name: "Req 1", parentSpanId: "" }),
  ]);
  expect(found).toMatchObject([
    {
      ...{ traceId: traceId(10), replica: "pod-1", promptTokens: 200, outputTokens: 20, askedAtNs: NOON_NS + 5n * MS },
      ...{ knownBlocks: 2, blockKeys: "b.c", priority: "batch", thread: "s" },
    },
    { traceId: traceId(20), knownBlocks: 0, blockKeys: "", priority: "interactive", thread: "" },
    { traceId: traceId(30), askedAtNs: null, blockKeys: "" },
  ]);
  expect(found.map(times)).toEqual([
    [250n, 800n],
    [250n, 800n],
    [250n, 900n],
  ]);
});

it("are those of the service and the range that ended with an answer, the first so many", async () => {
  const said = { "gen_ai.latency.time_to_first_token": "0.1" };
  const spans = [
    served(1, said),
    served(2, said),
    served(3, said, { service: "other", resourceAttributes: {} }),
    served(4, said, { startedAtNs: RANGE.toNs }),
    served(5, { ...said, "gen_ai.usage.completion_tokens": "0" }),
    served(6, {}),
  ];
  expect((await list(spans)).map((one) => one.traceId)).toEqual([traceId(1), traceId(2)]);
  expect((await list(spans, 1)).map((one) => one.traceId)).toEqual([traceId(1)]);
});

it("of whoever answers them are known by what the gateway says of its calls: by key and model, the last so many", async () => {
  const usage = { "gen_ai.usage.input_tokens": "90", "gen_ai.usage.output_tokens": "9" };
  const workspace = "asked";
  await test.warehouse.insertSpans(workspace, [
    asked(1, { ...usage, "centspan.prefix.block_keys": "a", "session.id": "s", "centspan.key.name": "ci" }),
    asked(2, { ...usage, "centspan.engine.priority": "batch", "gen_ai.request.model": "m" }),
    asked(3, { ...usage, "gen_ai.response.model": "m" }),
    asked(4, { "gen_ai.usage.input_tokens": "90" }),
  ]);
  const read = async (filter: object, most = 9) =>
    (await test.warehouse.listAskedRequests(workspace, { range: EARLIER, ...filter }, most)).map(
      ({ traceId: trace, ...request }) => [Number(`0x${trace}`), request.blockKeys, request.priority, request.thread],
    );
  expect(await read({})).toEqual([
    [1, "a", "interactive", "s"],
    [2, "", "batch", ""],
    [3, "", "interactive", ""],
  ]);
  expect((await read({ key: "ci" })).map(([trace]) => trace)).toEqual([1]);
  expect((await read({ model: "m" })).map(([trace]) => trace)).toEqual([2, 3]);
  expect((await read({}, 2)).map(([trace]) => trace)).toEqual([2, 3]);
});

it("occupy their replica as long as they say, in seconds or in nanoseconds", async () => {
  const said = (unit: number) => ({
    "gen_ai.latency.time_in_model_prefill": String(0.2 * unit),
    "gen_ai.latency.time_in_model_decode": String(0.3 * unit),
  });
  for (const unit of [1, 1e9]) {
    const workspace = `occupied${unit}`;
    await test.warehouse.insertSpans(workspace, [served(1, said(unit))]);
    expect(await test.warehouse.sumEngineTime(workspace, RANGE)).toMatchObject([
      { prefillNs: 200n * MS, decodeNs: 300n * MS },
    ]);
  }
});
