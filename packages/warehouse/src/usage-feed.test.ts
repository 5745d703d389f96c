/** What the rating worker asks for: where there is news, and all that belongs to it. */
import { createBlockBuilder, transcodeJson } from "@centspan/ingest";
import type { SpanRecord, Usage, UsageUnit } from "@centspan/model";
import { waitUntil } from "@centspan/testing";
import { describe, expect, it } from "vitest";
import { useWarehouse } from "./testing/create-warehouse.ts";
import { makeSpan, NOON_NS, spanId } from "./testing/records.ts";

const test = useWarehouse();

let traces = 0;
const freshTrace = (): string => (0xfeed_0000 + ++traces).toString(16).padStart(32, "0");
const insert = (...spans: SpanRecord[]) => test.warehouse.insertSpans("w", spans);
const NO_USAGE: Usage = { traceIds: [], spans: [], logs: [], wholeWithin: null };
const read = async (unit: UsageUnit) => (await test.warehouse.readUsage("w", [unit]))[0] ?? NO_USAGE;
const usageOf = (trace: string) => read({ kind: "trace", traceId: trace });

describe("usage", () => {
  const usage = { "gen_ai.usage.input_tokens": "5" };

  it("is found in every emitter's attributes, and not in ours that only count tokens", async () => {
    const names = (holds: boolean) => (name: string) => ({ name, holds });
    const cases = [
      ...[
        "gen_ai.usage.prompt_tokens",
        "llm.usage.total_tokens",
        "llm.token_count.prompt",
        "ai.usage.promptTokens",
        "input_tokens",
        "codex.turn.token_usage.input_tokens",
        "input_token_count",
        "langfuse.observation.usage_details",
        "centspan.usage.missing",
      ].map(names(true)),
      ...["centspan.context.history_tokens", "centspan.prefill.tokens", "gen_ai.token.type", "usages"].map(
        names(false),
      ),
    ];
    const found = await Promise.all(
      cases.map(async ({ name }) => {
        const trace = freshTrace();
        await insert(makeSpan({ traceId: trace, attributes: { [name]: "5" } }));
        return { name, holds: (await usageOf(trace)).spans.length === 1 };
      }),
    );
    expect(found).toEqual(cases);
  });

  it("is asked of model spans that came without any too, and not of agents and tools", async () => {
    const cases = [
      ["gen_ai.operation.name", "chat", 1],
      ["gen_ai.operation.name", "generate_content", 1],
      ["openinference.span.kind", "LLM", 1],
      ["gen_ai.operation.name", "execute_tool", 0],
      ["gen_ai.operation.name", "invoke_agent", 0],
      ["openinference.span.kind", "CHAIN", 0],
    ] as const;
    for (const [name, value, found] of cases) {
      const trace = freshTrace();
      await insert(makeSpan({ traceId: trace, attributes: { [name]: value } }));
      expect((await usageOf(trace)).spans, value).toHaveLength(found);
    }
  });

  it("comes with every span on the way up, whole, past gaps and cycles", async () => {
    const trace = freshTrace();
    const child = (id: number, parent: number, attributes: Record<string, string> = {}) =>
      makeSpan({ traceId: trace, spanId: spanId(id), parentSpanId: parent ? spanId(parent) : "", attributes });
    const wanted = [
      child(1, 0, { "centspan.task.id": "t" }),
      child(2, 1),
      child(3, 2, usage),
      child(4, 3, usage),
      child(6, 77, usage),
      child(8, 9, usage),
      child(9, 8),
    ];
    await insert(...wanted, child(5, 2), child(7, 1), child(10, 9));
    const { spans } = await usageOf(trace);
    expect(spans).toEqual(wanted);
  });

  it("comes whole from a trace with more spans than fit one question", async () => {
    const trace = freshTrace();
    const spans = Array.from({ length: 250 }, (_, i) =>
      makeSpan({ traceId: trace, spanId: spanId(i + 1), attributes: usage }),
    );
    await insert(...spans);
    expect((await usageOf(trace)).spans).toEqual(spans);
  });

  it("comes with the attributes that are asked for, and without events and links", async () => {
    const trace = freshTrace();
    const attributes = { ...usage, "gen_ai.input.messages": "long" };
    const event = { atNs: NOON_NS, name: "token", attributes: {} };
    await insert(makeSpan({ traceId: trace, attributes, events: [event] }));
    const units: UsageUnit[] = [{ kind: "trace", traceId: trace }];
    const [narrow] = await test.warehouse.readUsage("w", units, [...Object.keys(usage), "absent"]);
    expect(narrow?.spans).toEqual([makeSpan({ traceId: trace, attributes: usage, resourceAttributes: {} })]);
    expect((await usageOf(trace)).spans).toEqual([makeSpan({ traceId: trace, attributes })]);
  });

  it("makes a trace news when anything of it arrives, as long as it may have calls", async () => {
    const [first, second, without] = [freshTrace(), freshTrace(), freshTrace()];
    const changed = async (sinceNs: bigint) => {
      const { changes } = await test.warehouse.listChangedUsage(sinceNs);
      return changes.filter(({ unit }) => unit.kind === "trace" && [first, second, without].includes(unit.traceId));
    };
    await insert(makeSpan({ traceId: first, spanId: spanId(2), parentSpanId: spanId(1), attributes: usage }));
    await insert(makeSpan({ traceId: without }));
    const [news] = await changed(0n);
    expect(news).toMatchObject({ workspace: "w", unit: { kind: "trace", traceId: first } });
    const sinceNs = (news?.receivedAtNs ?? 0n) + 1n;
    expect(await changed(sinceNs)).toEqual([]);
    await test.warehouse.insertSpans("v", [makeSpan({ traceId: second, attributes: usage })]);
    await insert(makeSpan({ traceId: first }));
    const later = await changed(sinceNs);
    expect(later.map(({ workspace, unit }) => [workspace, unit])).toEqual([
      ["v", { kind: "trace", traceId: second }],
      ["w", { kind: "trace", traceId: first }],
    ]);
    expect(later.every(({ receivedAtNs }) => receivedAtNs >= sinceNs)).toBe(true);
    expect(later[1]?.appearance).not.toBe(news?.appearance);
  });
});

it("answers for each of many units, in their order", async () => {
  const attributes = { "gen_ai.usage.input_tokens": "5" };
  const ids = Array.from({ length: 250 }, () => freshTrace());
  await insert(...ids.map((id, n) => makeSpan({ traceId: id, spanId: spanId((n % 9) + 1), attributes })));
  const units = [...ids, freshTrace()].map((id): UsageUnit => ({ kind: "trace", traceId: id }));
  const answers = await test.warehouse.readUsage("w", units);
  expect(answers.map(({ spans }) => spans.map((span) => span.traceId))).toEqual([...ids.map((id) => [id]), []]);
});

it("is not said to be all there past the start of an insert that still runs", async () => {
  const readClock = async () => {
    const [row] = await test.connection.query<{ ns: string }>("SELECT toUnixTimestamp64Nano(now64(9)) AS ns");
    return BigInt(row?.ns ?? 0);
  };
  const running = test.connection.command(
    `INSERT INTO spans (workspace, trace_id) SELECT 'slow', toString(number) FROM numbers(4)
     WHERE sleepEachRow(1) = 0 SETTINGS max_block_size = 1`,
  );
  const seenNs = await waitUntil("the insert", async () => {
    const [row] = await test.connection.query("SELECT 1 FROM system.processes WHERE query LIKE 'INSERT INTO spans%'");
    return row !== undefined && (await readClock());
  });
  await waitUntil("half a second", async () => (await readClock()) > seenNs + 500_000_000n);
  expect((await test.warehouse.listChangedUsage(2n ** 62n)).asOfNs).toBeLessThanOrEqual(seenNs);
  await running;
  expect((await test.warehouse.listChangedUsage(2n ** 62n)).asOfNs).toBeGreaterThan(seenNs);
});

describe("usage in log records", () => {
  type Log = { at?: bigint; trace?: string; attributes: Record<string, string> };
  const SECOND_NS = 1_000_000_000n;
  let blocks = 0;

  /** By the way that exports take. */
  async function insertLogs(...logs: Log[]): Promise<void> {
    const logRecords = logs.map(({ at = NOON_NS, trace, attributes }) => ({
      timeUnixNano: at.toString(),
      ...(trace && { traceId: trace, spanId: spanId(1) }),
      attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
    }));
    const json = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
    const builder = createBlockBuilder("logs");
    builder.add("w", transcodeJson("logs", new TextEncoder().encode(json)).body);
    await test.warehouse.insertBlock("logs", builder.take(), `logs_${++blocks}`);
  }

  let sessions = 0;
  const freshSession = (): string => `session ${++sessions}`;
  const completed = (session: string, n: number) => ({
    "event.name": "codex.sse_event",
    "conversation.id": session,
    input_token_count: String(n),
  });
  const inputs = (logs: { attributes: Record<string, string> }[]) =>
    logs.map(({ attributes }) => attributes.input_token_count);
  const around = (sessionId: string, at = NOON_NS): UsageUnit => ({ kind: "session", sessionId, fromNs: at, toNs: at });

  it("is news of the trace they name, or else of their session at that time; other records are none", async () => {
    const [trace, session] = [freshTrace(), freshSession()];
    await insertLogs(
      { trace, attributes: completed(session, 1) },
      { at: NOON_NS + 7n, attributes: completed(session, 2) },
      { attributes: { "event.name": "codex.tool_result", "conversation.id": session } },
    );
    const { changes } = await test.warehouse.listChangedUsage(0n);
    const news = changes.filter(({ appearance }) => appearance.startsWith("record")).map(({ unit }) => unit);
    expect(news).toEqual(
      expect.arrayContaining([
        { kind: "trace", traceId: trace },
        { kind: "session", sessionId: session, fromNs: NOON_NS + 7n, toNs: NOON_NS + 7n },
      ]),
    );
    expect(news).toHaveLength(2);
    expect(await usageOf(trace)).toMatchObject({ spans: [], logs: [{ traceId: trace, eventName: "codex.sse_event" }] });
  });

  it("looks the same when it was sent again", async () => {
    const session = freshSession();
    const listNews = async () => {
      const { changes } = await test.warehouse.listChangedUsage(0n);
      return changes.filter(({ unit }) => unit.kind === "session" && unit.sessionId === session);
    };
    await insertLogs({ attributes: completed(session, 1) });
    const before = await listNews();
    await insertLogs({ attributes: completed(session, 1) });
    expect(await listNews()).toEqual(before);
    expect((await read(around(session))).logs).toHaveLength(1);
  });

  it("of a trace is that of its sessions too, while the trace lasted", async () => {
    const [trace, session] = [freshTrace(), freshSession()];
    const attributes = { "gen_ai.usage.input_tokens": "5", "conversation.id": session };
    await insert(makeSpan({ traceId: trace, attributes, startedAtNs: NOON_NS, endedAtNs: NOON_NS + 60n * SECOND_NS }));
    await insertLogs(
      { at: NOON_NS - 6n * SECOND_NS, attributes: completed(session, 1) },
      { at: NOON_NS + 30n * SECOND_NS, attributes: completed(session, 2) },
      { at: NOON_NS + 64n * SECOND_NS, attributes: completed(session, 3) },
      { at: NOON_NS + 66n * SECOND_NS, attributes: completed(session, 4) },
      { at: NOON_NS + 30n * SECOND_NS, attributes: completed("another", 5) },
    );
    const { logs, wholeWithin } = await usageOf(trace);
    expect(inputs(logs)).toEqual(["2", "3"]);
    expect(wholeWithin).toBeNull();
  });

  it("of a session is what lies around the news, with the traces that it may be about, whole", async () => {
    const [near, far, session] = [freshTrace(), freshTrace(), freshSession()];
    const attributes = { "gen_ai.usage.input_tokens": "5", "conversation.id": session };
    const hourNs = 3600n * SECOND_NS;
    await insert(
      makeSpan({ traceId: near, attributes, startedAtNs: NOON_NS - hourNs, endedAtNs: NOON_NS - SECOND_NS }),
      makeSpan({ traceId: far, attributes, startedAtNs: NOON_NS - hourNs, endedAtNs: NOON_NS - hourNs / 2n }),
    );
    await insertLogs(
      { at: NOON_NS, attributes: completed(session, 1) },
      { at: NOON_NS - hourNs / 2n, attributes: completed(session, 2) },
      { at: NOON_NS + 14n * SECOND_NS, attributes: completed(session, 3) },
      { at: NOON_NS + 16n * SECOND_NS, attributes: completed(session, 4) },
    );
    const { traceIds, spans, logs, wholeWithin } = await read(around(session));
    expect([traceIds, spans.length]).toEqual([[near], 1]);
    expect(inputs(logs).sort()).toEqual(["1", "2", "3"]);
    expect(wholeWithin).toEqual({ fromNs: NOON_NS - 15n * SECOND_NS, toNs: NOON_NS + 15n * SECOND_NS });
  });

  it("of records that name no session has no traces", async () => {
    await insert(makeSpan({ traceId: freshTrace(), attributes: { "gen_ai.usage.input_tokens": "5" } }));
    await insertLogs({ attributes: { "event.name": "api_request", input_tokens: "1" } });
    const { traceIds, logs } = await read(around(""));
    expect([traceIds, logs.length]).toEqual([[], 1]);
  });

  it("at the ends of time is asked for within what the store can hold", async () => {
    for (const at of [0n, 2n ** 63n - 1n]) {
      const { logs } = await read(around("nobody", at));
      expect(logs).toEqual([]);
    }
  });
});
