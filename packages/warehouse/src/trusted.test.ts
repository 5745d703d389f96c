/** Spans of two credentials: what a gateway's brought stands, whatever came first, and however the store merges. */
import { describe, expect, it } from "vitest";
import { useWarehouse } from "./testing/create-warehouse.ts";
import { makeSpan, spanId, traceId } from "./testing/records.ts";

const test = useWarehouse();
let traces = 0;
const makePair = (more: { name?: string }) => {
  const ours = makeSpan({
    traceId: traceId(++traces),
    name: "chat m",
    attributes: { "centspan.key.name": "mine", "gen_ai.operation.name": "chat" },
    trusted: true,
  });
  return { ours, theirs: { ...ours, trusted: false, ...more } };
};
const merge = () => test.connection.command("OPTIMIZE TABLE spans FINAL");

describe.each<[string, { name?: string }]>([
  ["other content under the same ids", { name: "forged" }],
  ["the very same content", {}],
])("%s", (_what, more) => {
  it.each(["first", "last"])("is not what stands where a gateway's came %s", async (when) => {
    const { ours, theirs } = makePair(more);
    for (const span of when === "first" ? [ours, theirs] : [theirs, ours])
      await test.warehouse.insertSpans("w", [span]);
    for (const settle of [async () => {}, merge]) {
      await settle();
      expect(await test.warehouse.readSpan("w", ours.traceId, spanId(1))).toEqual(ours);
      const [usage] = await test.warehouse.readUsage("w", [{ kind: "trace", traceId: ours.traceId }]);
      expect(usage?.spans).toEqual([ours]);
      const { data } = await test.warehouse.listTraces("w", {}, { limit: 100, cursor: null });
      expect(data.find((trace) => trace.traceId === ours.traceId)).toMatchObject({ name: "chat m", spans: 1 });
      const { conflictingSpanIds } = await test.warehouse.readTrace("w", ours.traceId);
      expect(conflictingSpanIds).toEqual(more.name === undefined ? [] : [spanId(1)]);
    }
  });
});

it("of two that are alike the first stands, as ever", async () => {
  for (const trusted of [true, false]) {
    const first = makeSpan({ traceId: traceId(++traces), name: "first", trusted });
    await test.warehouse.insertSpans("w", [first]);
    await test.warehouse.insertSpans("w", [{ ...first, name: "second" }]);
    expect(await test.warehouse.readSpan("w", first.traceId, spanId(1))).toEqual(first);
  }
});

it("the key that a run names is a gateway's to say", async () => {
  const { ours, theirs } = makePair({});
  const claimed = { ...theirs, traceId: traceId(++traces) };
  await test.warehouse.insertSpans("keys", [ours, claimed]);
  const keyOf = async (id: string) => (await test.warehouse.readTraceHead("keys", id))?.key;
  expect([await keyOf(ours.traceId), await keyOf(claimed.traceId)]).toEqual(["mine", ""]);
  const { data } = await test.warehouse.listTraces("keys", {}, { limit: 10, cursor: null });
  expect(new Map(data.map(({ traceId: id, key }) => [id, key]))).toEqual(
    new Map([
      [ours.traceId, "mine"],
      [claimed.traceId, ""],
    ]),
  );
});
