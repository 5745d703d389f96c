import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createBlockBuilder } from "./block-builder.ts";
import { REQUEST_TYPES } from "./testing/otlp-schema.ts";
import { type NativeRow, readNative } from "./testing/read-native.ts";

const TRACE_ID = Buffer.from("0123456789abcdef0123456789abcdef", "hex");
const SPAN_ID = Buffer.from("00000000000000a1", "hex");
const text = (stringValue: string) => ({ stringValue });
const attribute = (key: string, value: string) => ({ key, value: text(value) });
const nest = (levels: number): object =>
  levels === 0 ? { intValue: 1 } : { arrayValue: { values: [nest(levels - 1)] } };

const request = (...logRecords: object[]): Buffer => encode({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
function encode(message: object): Buffer {
  const type = REQUEST_TYPES.logs;
  return Buffer.from(type.encode(type.fromObject(message)).finish());
}

async function take(...bodies: Buffer[]) {
  const builder = createBlockBuilder("logs");
  const admissions = bodies.map((body) => builder.add("w", body));
  return { rows: await readNative(builder.take()), admissions };
}
const only = async (record: object): Promise<NativeRow> => (await take(request(record))).rows[0] ?? {};

describe("a log record", () => {
  it("needs nothing at all", async () => {
    expect(await only({})).toMatchObject({
      at: 0n,
      observed_at: 0n,
      trace_id: "",
      span_id: "",
      body: "",
      event_name: "",
    });
  });

  it.each([
    ["its own time", { timeUnixNano: "5", observedTimeUnixNano: "7" }, { at: 5n, observed_at: 7n }],
    ["else when it was observed", { timeUnixNano: "0", observedTimeUnixNano: "7" }, { at: 7n, observed_at: 7n }],
    ["a time of many zero bytes", { timeUnixNano: String(2n ** 40n), observedTimeUnixNano: "7" }, { at: 2n ** 40n }],
    [
      "its ids",
      { traceId: TRACE_ID, spanId: SPAN_ID },
      { trace_id: TRACE_ID.toString("hex"), span_id: "00000000000000a1" },
    ],
    [
      "no ids where they are zero",
      { traceId: Buffer.alloc(16), spanId: Buffer.alloc(8) },
      { trace_id: "", span_id: "" },
    ],
    ["its severity", { severityNumber: 17, severityText: "ERROR" }, { severity_number: 17, severity_text: "ERROR" }],
    ["no severity that is not defined", { severityNumber: 999 }, { severity_number: 0 }],
    ["a body that is text", { body: text("é\n") }, { body: "é\n" }],
    ["a body that is nested", { body: { kvlistValue: { values: [attribute("a", "b")] } } }, { body: '{"a":"b"}' }],
    ["a body of the deepest nesting", { body: nest(31) }, { body: `${"[".repeat(31)}1${"]".repeat(31)}` }],
    ["the name of its event", { eventName: "e", attributes: [attribute("event.name", "f")] }, { event_name: "e" }],
    ["else that of the attribute", { attributes: [attribute("event.name", "f")] }, { event_name: "f" }],
    ["usage", { attributes: [attribute("gen_ai.usage.input_tokens", "5")] }, { may_be_call: true }],
    ["no usage", { attributes: [attribute("tool_name", "shell")] }, { may_be_call: false }],
  ])("keeps %s", async (_what, record, expected) => {
    expect(await only(record)).toMatchObject(expected);
  });

  it.each([
    [["gen_ai.conversation.id", "session.id", "conversation.id", "thread.id"], "gen_ai.conversation.id"],
    [["thread.id", "conversation.id", "session.id"], "session.id"],
    [["thread.id", "conversation.id"], "conversation.id"],
    [["thread.id"], "thread.id"],
    [["user.id"], ""],
  ])("of %j has the session %s", async (keys, session_id) => {
    const attributes = [attribute("gen_ai.conversation.id", ""), ...keys.map((key) => attribute(key, key))];
    expect(await only({ attributes })).toMatchObject({ session_id });
  });

  it.each([
    ["a short trace id", { traceId: Buffer.of(1, 2) }, "invalid_id", "traceId: must be 16 bytes"],
    ["a long span id", { spanId: TRACE_ID }, "invalid_id", "spanId: must be 8 bytes"],
    [
      "a time past 2262",
      { timeUnixNano: String(2n ** 63n) },
      "invalid_time",
      "timeUnixNano: must be nanoseconds between",
    ],
    ["a body nested too deep", { body: nest(32) }, "too_deep", "body.arrayValue.values[0]"],
    [
      "an attribute nested too deep",
      { attributes: [{ key: "k", value: nest(32) }] },
      "too_deep",
      "attributes[0].value.arr",
    ],
  ])("that has %s is refused alone", async (_what, bad, code, reason) => {
    const { rows, admissions } = await take(request({ eventName: "a" }, bad, { eventName: "b" }));
    expect(rows.map((row) => row.event_name)).toEqual(["a", "b"]);
    expect(admissions[0]).toMatchObject({ accepted: 2, rejected: 1, reasons: [{ code }] });
    expect(admissions[0]?.reasons[0]?.message).toContain(`resourceLogs[0].scopeLogs[0].logRecords[1].${reason}`);
  });

  it.each([
    ["severityText", { severityText: "ABCD" }, "severityText"],
    ["eventName", { eventName: "ABCD" }, "eventName"],
    ["body", { body: text("ABCD") }, "body"],
    ["an attribute's key", { attributes: [attribute("ABCD", "")] }, "attributes[0].key"],
    ["a value", { attributes: [attribute("k", "ABCD")] }, "attributes[0].value"],
  ])("whose %s is not UTF-8 is refused alone", async (_what, bad, field) => {
    const body = request(bad, { eventName: "good" });
    body[body.indexOf("ABCD")] = 0xff;
    const { rows, admissions } = await take(body);
    expect(rows.map((row) => row.event_name)).toEqual(["good"]);
    expect(admissions[0]).toMatchObject({ accepted: 1, rejected: 1, reasons: [{ code: "invalid_text" }] });
    expect(admissions[0]?.reasons[0]?.message).toContain(`logRecords[0].${field}`);
  });
});

describe("the identity of log records", () => {
  it("is the request and the place in it, refused records counted", async () => {
    const body = request({ eventName: "a" }, { traceId: Buffer.of(1) }, { eventName: "b" });
    const request_hash = BigInt(body.length) * 2n ** 32n + BigInt(crc32(body));
    expect((await take(body)).rows).toMatchObject([
      { event_name: "a", request_hash, position: 0 },
      { event_name: "b", request_hash, position: 2 },
    ]);
  });

  it("goes through all scopes of a request and begins anew with the next", async () => {
    const scopeLogs = [{ logRecords: [{}, {}] }, { logRecords: [{}] }];
    const many = encode({ resourceLogs: [{ scopeLogs }, { scopeLogs }] });
    const { rows } = await take(many, request({}), request({ eventName: "other" }));
    expect(rows.map((row) => row.position)).toEqual([0, 1, 2, 3, 4, 5, 0, 0]);
    expect(new Set(rows.map((row) => row.request_hash)).size).toBe(3);
  });

  it("is the same for an exact retry", async () => {
    const body = request({ eventName: "a" });
    const [first, second] = (await take(body, body)).rows;
    expect(first).toEqual(second);
  });
});
