/**
 * OTLP/JSON → OTLP/protobuf, so that each signal has one decoder. Driven by the message table, in one pass.
 * Must not: check what protobuf can express; that is the block builder's.
 * Invariants: a record that can't be written refuses itself; a resource, scope or metric that can't be written refuses
 * its records (one, where it holds none, so that it is not lost in silence); a broken frame refuses the body.
 */
import { isUtf8 } from "node:buffer";
import type { Signal } from "@centspan/model";
import { type Admission, BadBody, BadValue, createTally, seenFrom, type Tally } from "../admission.ts";
import { quoteBigIntegers } from "./json-integers.ts";
import { type FieldType, isMessage, type MessageType, messageType } from "./message-types.ts";
import { ProtobufWriter } from "./protobuf-writer.ts";
import { expectList, expectObject, isObject, type JsonObject, writeFields } from "./write-message.ts";

const REQUESTS: Record<Signal, { type: MessageType; field: string }> = {
  traces: { type: messageType("ExportTraceServiceRequest"), field: "resourceSpans" },
  logs: { type: messageType("ExportLogsServiceRequest"), field: "resourceLogs" },
  metrics: { type: messageType("ExportMetricsServiceRequest"), field: "resourceMetrics" },
};

/** `accepted` is 0: records are taken by the block that the body goes to, which counts them. */
export function transcodeJson(signal: Signal, json: Uint8Array): { body: Uint8Array } & Admission {
  const request = parseJson(json);
  expectSignal(signal, request);
  const walk: Walk = { out: new ProtobufWriter(json.length >> 1), tally: createTally() };
  try {
    writeEnvelope(walk, REQUESTS[signal].type, request, "", null);
  } catch (thrown) {
    if (thrown instanceof BadValue) throw new BadBody(thrown.path, thrown.message);
    throw thrown;
  }
  return { body: walk.out.finish(), ...walk.tally.admit(0) };
}

/** More than 64 MiB of real attributes open; each takes many times the bytes that it is written with, and its time. */
const MAX_OPENED = 4_000_000;

function parseJson(json: Uint8Array): JsonObject {
  if (opensTooMuch(json)) throw new BadBody("body", "holds too many objects and arrays: send smaller batches");
  if (!isUtf8(json)) throw new BadBody("body", "must be UTF-8");
  const text = Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString();
  if (text.trim() === "") throw new BadBody("body", "is empty; an export request without records is {}");
  let parsed: unknown;
  try {
    parsed = JSON.parse(quoteBigIntegers(text));
  } catch {
    throw new BadBody("body", "is not valid JSON");
  }
  if (!isObject(parsed)) throw new BadBody("body", "must be a JSON object");
  return parsed;
}

function opensTooMuch(json: Uint8Array): boolean {
  if (json.length <= MAX_OPENED) return false;
  let opened = 0;
  for (const byte of json) if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) opened += 1;
  return opened > MAX_OPENED;
}

const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
const MAX_NAMES = 5;

/** Unknown fields are ignored, but a body that holds nothing else is something else, and would be lost in silence. */
function expectSignal(signal: Signal, request: JsonObject): void {
  const names = Object.keys(request);
  const { type, field } = REQUESTS[signal];
  if (names.length === 0 || names.some((name) => type.fields.has(name))) return;
  for (const [other, { type: otherType }] of Object.entries(REQUESTS)) {
    const name = names.find((one) => otherType.fields.has(one));
    if (name) throw new BadBody(name, `does not belong at this path, which takes ${signal}; send it to /v1/${other}`);
  }
  const listed = names.slice(0, MAX_NAMES).map((name) => JSON.stringify(name.slice(0, 40)));
  const others = `${listed.join(", ")}${names.length > MAX_NAMES ? ", …" : ""}`;
  throw new BadBody(
    field,
    `is missing, and the body holds ${others}: this is not an OTLP export request for ${signal}`,
  );
}

type Walk = { out: ProtobufWriter; tally: Tally };

/** What holds records, and is open in `out`. `inherited` is what is wrong further out, and refuses them already. */
function writeEnvelope(walk: Walk, type: MessageType, value: unknown, path: string, inherited: BadValue | null): void {
  const { out, tally } = walk;
  const message = readAt(path, () => expectObject(type, value));
  const start = out.position;
  const refused = tally.rejected;
  let problem = inherited;
  try {
    writeFields(out, type, message, 0, true);
  } catch (thrown) {
    out.rewind(start);
    problem ??= expectBadValue(seenFrom(path, thrown));
  }
  for (const name of Object.keys(message)) {
    const field = type.fields.get(name);
    const inner = message[name] ?? null;
    if (inner === null || !field?.holdsRecords) continue;
    writeInner(walk, field, inner, path === "" ? name : `${path}.${name}`, problem);
  }
  if (problem && problem !== inherited && tally.rejected === refused) tally.refuse(problem);
}

function writeInner(walk: Walk, field: FieldType, value: unknown, path: string, problem: BadValue | null): void {
  const { tag, type } = field;
  if (!isMessage(type)) return;
  const write = type.isRecord ? writeRecord : type.isGroup ? writeGroup : writeMessage;
  const items = field.repeated ? readAt(path, () => expectList(type, value)) : null;
  if (items === null) write(walk, tag, type, value, path, problem);
  items?.forEach((item, i) => {
    write(walk, tag, type, item, `${path}[${i}]`, problem);
  });
}

type WriteInner = (
  walk: Walk,
  tag: number,
  type: MessageType,
  value: unknown,
  path: string,
  problem: BadValue | null,
) => void;

const writeMessage: WriteInner = (walk, tag, type, value, path, problem) => {
  walk.out.varint(tag);
  const opened = walk.out.open();
  writeEnvelope(walk, type, value, path, problem);
  walk.out.close(opened);
};

/** A group whose frame is broken refuses itself; of its records those before the break are refused already. */
const writeGroup: WriteInner = (walk, tag, type, value, path, problem) => {
  const { out, tally } = walk;
  const start = out.position;
  const refused = tally.rejected;
  try {
    writeMessage(walk, tag, type, value, path, problem);
  } catch (thrown) {
    out.rewind(start);
    if (tally.rejected === refused) tally.refuse(expectBadValue(thrown));
  }
};

const writeRecord: WriteInner = ({ out, tally }, tag, type, value, path, problem) => {
  if (problem) {
    tally.refuse(problem);
    return;
  }
  const start = out.position;
  try {
    out.varint(tag);
    const opened = out.open();
    writeFields(out, type, value, 0);
    out.close(opened);
  } catch (thrown) {
    out.rewind(start);
    tally.refuse(expectBadValue(seenFrom(path, thrown)));
  }
};

function readAt<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw seenFrom(path, thrown);
  }
}

/** Whatever else is thrown is a bug, and goes on. */
function expectBadValue(thrown: unknown): BadValue {
  if (thrown instanceof BadValue) return thrown;
  throw thrown;
}
