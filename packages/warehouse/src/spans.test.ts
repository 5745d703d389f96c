import type { SpanRecord } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { useWarehouse } from "./testing/create-warehouse.ts";
import { makeSpan, NOON_NS, spanId, traceId } from "./testing/records.ts";

const test = useWarehouse();
let freshTraces = 1000;
const freshTrace = (): string => traceId(++freshTraces);

const insert = (...spans: SpanRecord[]) => test.warehouse.insertSpans("w", spans);
describe("round trip", () => {
  it("keeps nanoseconds, unicode, nested values, events and links", async () => {
    const span = makeSpan({
      traceId: freshTrace(),
      name: "chat 模型 🪙",
      kind: "client",
      status: "error",
      statusMessage: 'line one\nline "two"\t\\ \' \u0000 end',
      startedAtNs: 1_795_975_652_123_456_789n,
      endedAtNs: 1_795_975_652_123_456_790n,
      attributes: {
        "gen_ai.request.model": "m",
        "a'b`c": "x",
        nested: '{"a":[1,{"b":null}]}',
        empty: "",
        "": "no name",
      },
      service: "härness",
      resourceAttributes: { "service.name": "härness", "host.name": "h" },
      scopeName: "scope",
      events: [{ atNs: 1n, name: "exception", attributes: { "exception.message": "ü" } }],
      links: [{ traceId: traceId(7), spanId: spanId(8), attributes: { why: "batch" } }],
    });
    await insert(span);
    expect(await test.warehouse.readSpan("w", span.traceId, span.spanId)).toEqual(span);
  });

  it("keeps any text and any instant from 1970 to 2262", async () => {
    const text = fc.string({ unit: "binary", maxLength: 20 });
    const attributes = fc.dictionary(text, text, { maxKeys: 5 });
    // The ends of what the store holds, and one month between: every other month would be a partition more.
    const month = fc.bigInt(NOON_NS, NOON_NS + 10n * 86_400_000_000_000n);
    const instant = fc.oneof(month, fc.constantFrom(0n, 2n ** 63n - 1n));
    const anySpan = fc.record({
      name: text,
      statusMessage: text,
      startedAtNs: instant,
      endedAtNs: instant,
      attributes,
      resourceAttributes: attributes,
      events: fc.array(fc.record({ atNs: instant, name: text, attributes }), { maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anySpan, { minLength: 1, maxLength: 20 }), async (parts) => {
        const spans = parts.map(({ resourceAttributes, ...part }) => {
          const named = { "service.name": "harness", ...resourceAttributes };
          return makeSpan({ ...part, traceId: freshTrace(), resourceAttributes: named });
        });
        await insert(...spans);
        const stored = await Promise.all(spans.map((span) => test.warehouse.readSpan("w", span.traceId, span.spanId)));
        expect(stored).toEqual(spans);
      }),
      { numRuns: 8 },
    );
  });

  it("writes a broken surrogate as the replacement character, as every UTF-8 encoder does", async () => {
    const trace = freshTrace();
    await insert(makeSpan({ traceId: trace, name: "a\ud800b", attributes: { "\udc00": "\ud83d" } }));
    const stored = await test.warehouse.readSpan("w", trace, spanId(1));
    expect(stored).toMatchObject({ name: "a\ufffdb", attributes: { "\ufffd": "\ufffd" } });
  });

  it("refuses an instant that the store would change", async () => {
    for (const [field, span] of [
      ["startedAtNs", makeSpan({ startedAtNs: 2n ** 63n })],
      ["endedAtNs", makeSpan({ endedAtNs: -1n })],
    ] as const) {
      await expect(insert(span)).rejects.toMatchObject({ code: "invalid_request", field });
    }
  });
});

describe("repeated deliveries", () => {
  it("ignores exact retries, before and after merging", async () => {
    const trace = freshTrace();
    const span = makeSpan({ traceId: trace, attributes: { a: "1", b: "2" } });
    await insert(span);
    await insert(span);
    const check = async () => {
      const stored = await test.warehouse.readTrace("w", trace);
      expect(stored.spans).toHaveLength(1);
      expect(stored.conflictingSpanIds).toEqual([]);
    };
    await check();
    await test.connection.command("OPTIMIZE TABLE spans FINAL");
    await check();
  });

  it("keeps other content under the same ids aside: the first received counts, whatever is retried and merged", async () => {
    const trace = freshTrace();
    const versions = ["first", "second", "third"].map((name) => makeSpan({ traceId: trace, name }));
    for (const version of versions) await insert(version);
    // A retry of the first after the others must not make it look newer than them.
    for (const version of versions.slice(0, 1)) await insert(version);
    await insert(makeSpan({ traceId: trace, spanId: spanId(2), parentSpanId: spanId(1), name: "child" }));
    const check = async () => {
      const stored = await test.warehouse.readTrace("w", trace);
      expect(stored.spans.map(({ name }) => name).sort()).toEqual(["child", "first"]);
      expect(stored.conflictingSpanIds).toEqual([spanId(1)]);
      expect(await test.warehouse.readSpan("w", trace, spanId(1))).toEqual(versions[0]);
    };
    await check();
    await test.connection.command("OPTIMIZE TABLE spans FINAL");
    await check();
    const [kept] = await test.connection.query<{ rows: string }>(
      "SELECT count() AS rows FROM spans WHERE trace_id = {trace:String}",
      { trace },
    );
    expect(kept?.rows).toBe("4");
  });
});

describe("a trace", () => {
  it("comes by start, with the facts of a row and without the other attributes", async () => {
    const trace = freshTrace();
    const long = "é".repeat(500);
    await insert(
      makeSpan({ traceId: trace, spanId: spanId(2), parentSpanId: spanId(1), startedAtNs: NOON_NS + 1n, service: "s" }),
      makeSpan({
        traceId: trace,
        attributes: { "centspan.layer": "harness", "gen_ai.tool.name": long, "centspan.key.id": "key", other: "x" },
      }),
      makeSpan({ traceId: trace, spanId: spanId(3), parentSpanId: spanId(1), endedAtNs: NOON_NS + 9n }),
      makeSpan({ traceId: trace, spanId: spanId(4), attributes: { "centspan.layer": "invented" }, status: "error" }),
    );
    const { spans } = await test.warehouse.readTrace("w", trace);
    expect(spans.map((span) => span.spanId)).toEqual([1, 4, 3, 2].map(spanId));
    expect(spans[0]).toEqual({
      traceId: trace,
      spanId: spanId(1),
      parentSpanId: "",
      name: "invoke_agent repair",
      service: "harness",
      startedAtNs: NOON_NS,
      endedAtNs: NOON_NS + 5_000n,
      status: "ok",
      layer: "harness",
      facts: { "gen_ai.tool.name": long.slice(0, 200) },
      links: [],
      linked: false,
    });
    expect(spans.map((span) => span.layer)).toEqual(["harness", "other", "other", "other"]);
    expect(await test.warehouse.readTrace("w", freshTrace())).toEqual({ spans: [], conflictingSpanIds: [] });
  });

  it("brings the spans of other traces that it links to, once each, and no others of those traces", async () => {
    const [trace, replica] = [freshTrace(), freshTrace()];
    const step = (n: number) =>
      makeSpan({
        traceId: replica,
        spanId: spanId(n),
        name: "inference.decode.step",
        attributes: { "centspan.layer": "inference", "centspan.step.batch_size": `${n}` },
        links: [{ traceId: trace, spanId: spanId(2), attributes: {} }],
      });
    const linkTo = (n: number) => ({ traceId: replica, spanId: spanId(n), attributes: {} });
    await insert(
      makeSpan({ traceId: trace }),
      makeSpan({ traceId: trace, spanId: spanId(2), parentSpanId: spanId(1), links: [11, 12, 99].map(linkTo) }),
      makeSpan({
        traceId: trace,
        spanId: spanId(3),
        parentSpanId: spanId(1),
        links: [linkTo(12), { traceId: trace, spanId: spanId(1), attributes: {} }],
      }),
      ...[11, 12, 13].map(step),
    );
    const { spans } = await test.warehouse.readTrace("w", trace);
    const linked = spans.filter((span) => span.linked);
    expect(linked.map((span) => [span.traceId, span.spanId, span.facts["centspan.step.batch_size"]])).toEqual([
      [replica, spanId(11), "11"],
      [replica, spanId(12), "12"],
    ]);
    expect(spans.filter((span) => !span.linked).map((span) => span.spanId)).toEqual([1, 2, 3].map(spanId));
    expect(spans.find((span) => span.spanId === spanId(2))?.links).toEqual(
      [11, 12, 99].map((n) => ({ traceId: replica, spanId: spanId(n) })),
    );
  });
});

it("takes a batch that spans many months, and an empty one", async () => {
  const ids = Array.from({ length: 120 }, () => freshTrace());
  const monthNs = 31n * 86_400_000_000_000n;
  await insert(...ids.map((id, i) => makeSpan({ traceId: id, startedAtNs: BigInt(i) * monthNs })));
  await insert();
  expect(await test.warehouse.readSpan("w", ids[119] ?? "", spanId(1))).not.toBeNull();
  expect(await test.warehouse.readSpan("w", freshTrace(), spanId(1))).toBeNull();
});
