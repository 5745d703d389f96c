/** Which log records are of which span's call: the traps of the field, each with the emitter that sets it. */
import type { LogRecord, SpanRecord } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deriveCalls, deriveReports, runAtOnce } from "./index.ts";
import { hex, span as plainSpan, TRACE } from "./testing/records.ts";

const SECOND_NS = 1_000_000_000n;
const START_NS = 1_790_000_000n * SECOND_NS;
const at = (seconds: number): bigint => START_NS + BigInt(Math.round(seconds * 1e9));

/** From `from` to `to`, in seconds. */
const span = (n: number, from: number, to: number, facts: Partial<SpanRecord> = {}): SpanRecord =>
  plainSpan(n, { startedAtNs: at(from), endedAtNs: at(to), ...facts });

const log = (seconds: number, attributes: Record<string, string>, facts: Partial<LogRecord> = {}): LogRecord => ({
  atNs: at(seconds),
  observedAtNs: at(seconds),
  traceId: "",
  spanId: "",
  severityNumber: 9,
  severityText: "",
  eventName: "",
  body: "",
  service: "app",
  attributes,
  resourceAttributes: {},
  scopeName: "",
  ...facts,
});

const inContext = (n: number): Partial<LogRecord> => ({ traceId: TRACE, spanId: hex(n) });
const show = (spans: SpanRecord[], logs: LogRecord[]) =>
  deriveCalls({ spans, logs }).map(
    (call) => `${call.spanId && Number.parseInt(call.spanId, 16)} ${call.buckets.input}`,
  );

describe("Claude Code writes all records in the context of the interaction", () => {
  const scopeName = "com.anthropic.claude_code.tracing";
  const request = (n: number, to: number, id: string): SpanRecord =>
    span(n, to - 1, to, {
      parentSpanId: hex(1),
      scopeName,
      attributes: { "session.id": "s", model: "claude-x", input_tokens: "12", output_tokens: "9", request_id: id },
    });
  const record = (to: number, id: string) =>
    log(
      to,
      {
        "event.name": "api_request",
        "session.id": "s",
        model: "claude-x",
        input_tokens: "12",
        output_tokens: "9",
        cost_usd: "0.5",
        ...(id && { request_id: id }),
      },
      inContext(1),
    );
  const turn = span(1, 0, 100, { scopeName });

  it("and names the request: each is its own span's, equal as they are", () => {
    const spans = [turn, request(2, 10, "req_a"), request(3, 20, "req_b")];
    const calls = deriveCalls({ spans, logs: [record(20, "req_b"), record(10, "req_a")] });
    expect(calls.map(({ spanId, responseId, providedCostUsd }) => [spanId, responseId, `${providedCostUsd}`])).toEqual([
      [hex(2), "req_a", "0.5"],
      [hex(3), "req_b", "0.5"],
    ]);
  });

  it("a request that no span tells of is a call of its own, in that context", () => {
    expect(show([turn, request(2, 10, "req_a")], [record(10, "req_a"), record(50, "req_c")])).toEqual(["2 12", "1 12"]);
  });

  it("and the span may know the response by one id and the request by another", () => {
    const spans = [turn, request(2, 10, "req_a")];
    for (const each of spans) if (each.spanId === hex(2)) each.attributes["gen_ai.response.id"] = "msg_a1";
    const logs = [record(10, "req_a")];
    expect(deriveCalls({ spans, logs })).toMatchObject([{ spanId: hex(2), responseId: "msg_a1" }]);
    // Alone it was a call under the request's id, which nothing else will ever take back.
    const [alone] = deriveCalls({ spans: [], logs });
    expect(runAtOnce(deriveReports({ spans, logs })).replaced).toEqual([alone?.callId]);
  });

  it("without any id the counts and the time tell", () => {
    const spans = [turn, request(2, 10, ""), request(3, 20, "")];
    expect(show(spans, [record(20.5, ""), record(10.5, "")])).toEqual(["2 12", "3 12"]);
    expect(show(spans, [record(31, "")])).toEqual(["2 12", "3 12", "1 12"]);
  });
});

describe("Codex names neither span nor response", () => {
  const usage = (n: number, to: number, traceId = TRACE): SpanRecord =>
    span(n, to - 1, to, {
      traceId,
      attributes: {
        "conversation.id": "c",
        "codex.usage.total_tokens": "110",
        "gen_ai.usage.input_tokens": "100",
        "gen_ai.usage.output_tokens": "10",
      },
    });
  const completed = (seconds: number, session = "c", input = "100") =>
    log(seconds, {
      "event.name": "codex.sse_event",
      "event.kind": "response.completed",
      "conversation.id": session,
      model: "gpt-5.5",
      input_token_count: input,
      output_token_count: "10",
    });

  it.each([
    ["within five seconds", [completed(15)], ["1 100"]],
    ["not beyond", [completed(15.1)], ["1 100", " 100"]],
    ["not of another conversation", [completed(10, "d")], ["1 100", " 100"]],
    ["not with other counts", [completed(10, "c", "101")], ["1 100", " 101"]],
    ["not without a conversation", [completed(10, "")], ["1 100", " 100"]],
    ["one to one", [completed(10), completed(10.2)], ["1 100", " 100"]],
  ])("%s", (_why, logs, expected) => {
    expect(show([usage(1, 10)], logs)).toEqual(expected);
  });

  it("equal calls in quick succession find each the nearest, in several traces too", () => {
    const spans = [usage(1, 10), usage(2, 10.2, "b".repeat(32)), usage(3, 10.4)];
    const logs = [completed(10.41), completed(10.01), completed(10.21)];
    expect(show(spans, logs)).toEqual(["1 100", "2 100", "3 100"]);
  });

  it("other kinds of its events are no calls, even with counts", () => {
    const other = completed(10);
    other.attributes["event.kind"] = "response.created";
    expect(show([], [other])).toEqual([]);
  });

  it("is understood where a tracing bridge puts the source's line in place of the event's name", () => {
    const bridged = { ...completed(10), eventName: "event otel/src/events/session_telemetry.rs:1187" };
    expect(show([], [bridged])).toEqual([" 100"]);
  });

  it("each of five thousand equal calls, one a second, finds its own", () => {
    const seconds = Array.from({ length: 5000 }, (_, n) => 100 + n);
    const spans = seconds.map((second) => usage(second, second));
    const calls = deriveCalls({ spans, logs: seconds.map((second) => completed(second + 0.4)) });
    expect(calls).toHaveLength(seconds.length);
    expect(calls.filter(({ spanId }) => spanId === "")).toEqual([]);
  });

  it("pairs as a naive search for the nearest does, whatever the order of arrival", () => {
    const times = fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { maxLength: 6 });
    fc.assert(
      fc.property(times, times, fc.boolean(), (ends, records, reverse) => {
        // Quarters of a second against halves, so that no two distances are equal.
        const spans = ends.map((end, n) => usage(n + 1, 100 + end + 0.0001 * n));
        const logs = records.map((time, n) => completed(100 + time + 0.25 + 0.01 * n));
        const open = spans.flatMap((each) =>
          logs.map((record) => ({ each, record, far: Math.abs(Number(each.endedAtNs - record.atNs)) })),
        );
        const joined = new Set<unknown>();
        for (const { each, record, far } of open.sort((a, b) => a.far - b.far)) {
          if (far > 5e9 || joined.has(each) || joined.has(record)) continue;
          joined.add(each).add(record);
        }
        const lone = logs.filter((record) => !joined.has(record)).map(({ atNs }) => atNs);
        const calls = deriveCalls({ spans, logs: reverse ? logs.toReversed() : logs });
        expect(calls.filter(({ spanId }) => spanId === "").map(({ atNs }) => atNs)).toEqual(
          lone.sort((a, b) => Number(a - b)),
        );
        expect(calls).toHaveLength(spans.length + lone.length);
      }),
    );
  });
});

describe("Gemini CLI tells of a response twice", () => {
  const native = (seconds: number, facts?: Partial<LogRecord>, input = "9000") =>
    log(
      seconds,
      {
        "event.name": "gemini_cli.api_response",
        "session.id": "s",
        model: "gemini-x",
        input_token_count: input,
        output_token_count: "500",
        cached_content_token_count: "6000",
        thoughts_token_count: "700",
      },
      facts,
    );
  const standard = (seconds: number, facts?: Partial<LogRecord>) =>
    log(
      seconds,
      {
        "event.name": "gen_ai.client.inference.operation.details",
        "session.id": "s",
        "gen_ai.request.model": "gemini-x",
        "gen_ai.usage.input_tokens": "9000",
        "gen_ai.usage.output_tokens": "500",
      },
      facts,
    );

  it("the richer record counts, in one context or at one time of a session", () => {
    expect(show([], [standard(1, inContext(5)), native(1, inContext(5))])).toEqual(["5 3000"]);
    expect(show([], [standard(1), native(1.001)])).toEqual([" 3000"]);
  });

  it("as often as there are responses", () => {
    const logs = [native(1), standard(1.001), native(3), standard(3.001), native(5)];
    expect(show([], logs)).toEqual([" 3000", " 3000", " 3000"]);
  });

  it("but not where counts or times differ", () => {
    expect(show([], [standard(1), native(1, {}, "9001")])).toEqual(expect.arrayContaining([" 9000", " 3001"]));
    expect(show([], [standard(1), native(7)])).toEqual([" 9000", " 3000"]);
  });
});

describe("a record in a span's context", () => {
  const details = (input: string, n: number) =>
    log(
      2,
      {
        "event.name": "gen_ai.client.inference.operation.details",
        "gen_ai.request.model": "m",
        "gen_ai.usage.input_tokens": input,
        "gen_ai.usage.output_tokens": "1",
      },
      inContext(n),
    );
  const chat = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m" };
  const usage = { "gen_ai.usage.input_tokens": "70", "gen_ai.usage.output_tokens": "1" };

  it("tells what the span does not, and the span when and for whom", () => {
    const spans = [span(1, 0, 9, { attributes: { "centspan.task.id": "t" } })];
    spans.push(span(2, 1, 2, { parentSpanId: hex(1), attributes: chat }));
    expect(deriveCalls({ spans, logs: [details("70", 2)] })).toMatchObject([
      { spanId: hex(2), atNs: at(1), durationNs: SECOND_NS, task: "t", quarantineReason: "", buckets: { input: 70 } },
    ]);
  });

  it("makes a rollup of what stands above it, as usage on the span itself would", () => {
    const agent = span(1, 0, 9, { attributes: { "gen_ai.operation.name": "invoke_agent", ...usage } });
    const model = span(2, 1, 2, { parentSpanId: hex(1), attributes: chat });
    expect(show([agent, model], [])).toEqual(["1 70"]);
    expect(show([agent, model], [details("70", 2)])).toEqual(["2 70"]);
    expect(show([agent, model], [details("30", 2)])).toEqual(["2 30"]);
  });

  it("is another call where both name their response and the names differ", () => {
    const one = span(1, 1, 2, { attributes: { ...chat, ...usage, "gen_ai.response.id": "r1" } });
    const record = details("70", 1);
    record.attributes["gen_ai.response.id"] = "r2";
    expect(deriveCalls({ spans: [one], logs: [record] })).toHaveLength(2);
  });
});

it("a record is the same call however often and in whatever batch it comes", () => {
  const attributes = { "event.name": "api_request", input_tokens: "1", output_tokens: "1" };
  const [first, again] = [log(1, attributes), { ...log(1, attributes), observedAtNs: at(99) }];
  expect(deriveCalls({ spans: [], logs: [first, again, first] })).toHaveLength(1);
  expect(deriveCalls({ spans: [], logs: [first, log(1.000000001, attributes)] })).toHaveLength(2);
});
