import { createId } from "@centspan/base";
import { createBlockBuilder, encodeSpans } from "@centspan/ingest";
import type { SpanRecord } from "@centspan/model";
import { waitUntil } from "@centspan/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { useWarehouse } from "./testing/create-warehouse.ts";
import { makeSpan, NOON_NS, spanId, traceId } from "./testing/records.ts";

const test = useWarehouse();
let workspaces = 0;
const freshWorkspace = (): string => `w${++workspaces}`;

/** As the collector stores them: nothing is summarised on the way. */
async function store(workspace: string, ...spans: SpanRecord[]): Promise<void> {
  const builder = createBlockBuilder("spans");
  builder.add(workspace, encodeSpans(spans));
  await test.warehouse.insertBlock("spans", builder.take(), createId("block"));
}
const list = async (workspace: string) =>
  (await test.warehouse.listTraces(workspace, {}, { limit: 100, cursor: null })).data;

it("follow what comes, each time from where the last one ended", async () => {
  const workspace = freshWorkspace();
  await store(workspace, makeSpan({ spanId: spanId(2), parentSpanId: spanId(1), name: "child", status: "error" }));
  const { asOfNs } = await test.warehouse.refreshTraceSummaries(0n);
  expect(await list(workspace)).toMatchObject([{ name: "child", spans: 1, errors: 1 }]);

  await store(workspace, makeSpan({ name: "root" }), makeSpan({ traceId: traceId(2), name: "other" }));
  expect(await list(workspace)).toHaveLength(1);
  const next = await test.warehouse.refreshTraceSummaries(asOfNs);
  expect(await list(workspace)).toMatchObject([
    { name: "other", spans: 1 },
    { name: "root", spans: 2, errors: 1 },
  ]);

  await test.connection.command("TRUNCATE TABLE traces");
  await test.warehouse.refreshTraceSummaries(next.asOfNs);
  expect(await list(workspace)).toEqual([]);
});

it("are the same however spans come, again and in whatever order, and as a slow model has them", async () => {
  const anySpan = fc.record({
    trace: fc.integer({ min: 1, max: 2 }),
    span: fc.integer({ min: 1, max: 3 }),
    isRoot: fc.boolean(),
    at: fc.integer({ min: 0, max: 3 }),
    status: fc.constantFrom("ok", "error" as const),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(anySpan, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
      async (blocks) => {
        const workspace = freshWorkspace();
        // Of several contents under the same ids the first received counts; within a block that would be either.
        const seen = new Map<string, SpanRecord>();
        let sinceNs = 0n;
        for (const block of blocks) {
          const spans = block.map(({ trace, span, isRoot, at, status }) =>
            makeSpan({
              traceId: traceId(trace),
              spanId: spanId(span),
              parentSpanId: isRoot ? "" : spanId(9),
              startedAtNs: NOON_NS + BigInt(at),
              endedAtNs: NOON_NS + 10n,
              status,
            }),
          );
          const once = [...new Map(spans.map((span) => [span.traceId + span.spanId, span])).values()];
          await store(workspace, ...once, ...once.slice(0, 1));
          for (const span of once)
            if (!seen.has(span.traceId + span.spanId)) seen.set(span.traceId + span.spanId, span);
          sinceNs = (await test.warehouse.refreshTraceSummaries(sinceNs)).asOfNs;
        }
        const summaries = await list(workspace);
        const shown = summaries.map(({ traceId: id, startedAtNs, durationNs, spans, errors }) => {
          return { id, startedAtNs, durationNs, spans, errors };
        });
        const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
        expect(shown.sort(byId)).toEqual(summariseSlowly([...seen.values()]).sort(byId));
      },
    ),
    { numRuns: 8 },
  );
});

function summariseSlowly(spans: readonly SpanRecord[]) {
  return [...new Set(spans.map((span) => span.traceId))].map((id) => {
    const own = spans.filter((span) => span.traceId === id);
    const rank = (span: SpanRecord) => [
      span.parentSpanId === "" ? 0 : 1,
      Number(span.startedAtNs - NOON_NS),
      span.spanId,
    ];
    const [face] = own.toSorted((a, b) => (`${rank(a)}` < `${rank(b)}` ? -1 : 1));
    const [first = 0n] = own.map(({ startedAtNs }) => startedAtNs).toSorted((a, b) => Number(a - b));
    const startedAtNs = face?.startedAtNs ?? 0n;
    return {
      id,
      startedAtNs,
      durationNs: NOON_NS + 10n - (face?.parentSpanId === "" ? startedAtNs : first),
      spans: own.length,
      errors: own.filter(({ status }) => status === "error").length,
    };
  });
}

it("leave out an engine's replica, and are asked for again until what an insert brings can be seen", async () => {
  const workspace = freshWorkspace();
  await store(workspace, makeSpan({ name: "inference.kv.evict" }));
  const slow = test.connection.command(
    `INSERT INTO spans (workspace, trace_id, span_id, name, started_at, ended_at)
     SELECT '${workspace}', '${traceId(5)}', leftPad(toString(number), 16, '0'), 'slow', now64(9), now64(9)
     FROM numbers(1, 2) WHERE sleepEachRow(0.5) = 0`,
  );
  await waitUntil("the insert runs", async () => {
    const [row] = await test.connection.query<{ running: string }>(
      "SELECT count() AS running FROM system.processes WHERE query_kind = 'Insert' AND query LIKE '%sleepEachRow%'",
    );
    return row?.running === "1";
  });
  const { asOfNs } = await test.warehouse.refreshTraceSummaries(0n);
  expect(await list(workspace)).toEqual([]);
  await slow;
  await test.warehouse.refreshTraceSummaries(asOfNs);
  expect(await list(workspace)).toMatchObject([{ name: "slow", spans: 2 }]);
});
