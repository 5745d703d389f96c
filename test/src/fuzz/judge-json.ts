/**
 * A slow, obvious reading of an export request in JSON, after protobuf's JSON mapping and what OTLP changes of it, over the
 * tests' own message types. The same rules as for protobuf decide what is refused alone and what refuses the body.
 */
import { isUtf8 } from "node:buffer";
import type { Field, Type } from "protobufjs";
import protobuf from "protobufjs";
import { OTLP } from "../otlp/schema.ts";
import type { Signal } from "./judge-protobuf.ts";
import { Bad, Count, judgeFrame, Unsure, type Verdict } from "./verdict.ts";

type JsonObject = Record<string, unknown>;

const RECORDS = new Set([
  "Span",
  "LogRecord",
  "NumberDataPoint",
  "HistogramDataPoint",
  "ExponentialHistogramDataPoint",
  "SummaryDataPoint",
]);
const ID_BYTES: Record<string, number> = { traceId: 16, spanId: 8, parentSpanId: 8 };
const INSTANTS = new Set(["timeUnixNano", "startTimeUnixNano", "endTimeUnixNano", "observedTimeUnixNano"]);
const ENUMS: Record<string, RegExp> = {
  kind: /^SPAN_KIND_(UNSPECIFIED|INTERNAL|SERVER|CLIENT|PRODUCER|CONSUMER)$/,
  code: /^STATUS_CODE_(UNSET|OK|ERROR)$/,
  severityNumber: /^SEVERITY_NUMBER_(UNSPECIFIED|(TRACE|DEBUG|INFO|WARN|ERROR|FATAL)[234]?)$/,
  aggregationTemporality: /^AGGREGATION_TEMPORALITY_(UNSPECIFIED|DELTA|CUMULATIVE)$/,
};
const RANGES: Record<string, [bigint, bigint]> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  sint32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  fixed32: [0n, 2n ** 32n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  sfixed64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
  fixed64: [0n, 2n ** 64n - 1n],
};
const MAX_VALUE_DEPTH = 32;

export function judgeJson(signal: Signal, body: Buffer): Verdict {
  return judgeFrame((count) => {
    const type = OTLP[signal].request;
    const request = parse(body);
    const names = Object.keys(request);
    if (names.length > 0 && !names.some((name) => fieldsOf(type).has(name))) throw new Bad("another signal's body");
    judgeEnvelope(type, request, null, count);
  });
}

function parse(body: Buffer): JsonObject {
  if (!isUtf8(body)) throw new Bad("not UTF-8");
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    throw new Bad("not JSON");
  }
  return expectObject(value);
}

/** A message that holds records. What is wrong with its other fields refuses the records, or counts as one. */
function judgeEnvelope(type: Type, message: JsonObject, inherited: Error | null, count: Count): void {
  const before = count.max;
  const problem = inherited ?? problemOf(type, message);
  for (const [field, value] of givenFields(type, message)) {
    const inner = messageTypeOf(field);
    if (inner === null || !holdsRecords(inner)) continue;
    const items = field.repeated ? expectList(value) : [value];
    for (const item of items) judgeInner(inner, item, problem, count);
  }
  if (problem !== null && problem !== inherited && count.max === before) count.refuse(problem);
}

function judgeInner(type: Type, item: unknown, problem: Error | null, count: Count): void {
  if (RECORDS.has(type.name)) {
    count.record(() => {
      if (problem !== null) throw problem;
      checkMessage(type, item, 0);
      if (type.name === "Span") checkSpanIds(expectObject(item));
    });
  } else if (type.name === "Metric") judgeMetric(type, item, problem, count);
  else judgeEnvelope(type, expectObject(item), problem, count);
}

/** A metric whose frame is broken is refused with as many of its points as can be told. */
function judgeMetric(type: Type, item: unknown, problem: Error | null, count: Count): void {
  const inner = new Count();
  try {
    judgeEnvelope(type, expectObject(item), problem, inner);
    count.add(inner);
  } catch (thrown) {
    count.refuseSome(thrown);
  }
}

function checkSpanIds(span: JsonObject): void {
  for (const [camel, snake] of [
    ["traceId", "trace_id"],
    ["spanId", "span_id"],
  ] as const) {
    const id = span[camel] ?? span[snake];
    if (typeof id !== "string" || /^0*$/.test(id)) throw new Bad("a span needs both ids");
  }
}

function problemOf(type: Type, message: JsonObject): Error | null {
  try {
    checkRivals(type, message);
    for (const [field, value] of givenFields(type, message)) {
      const inner = messageTypeOf(field);
      if (inner === null || !holdsRecords(inner)) checkField(field, value, 0);
    }
  } catch (thrown) {
    if (thrown instanceof Bad || thrown instanceof Unsure) return thrown;
    throw thrown;
  }
  return null;
}

function messageTypeOf(field: Field): Type | null {
  const { resolvedType } = field.resolve();
  return resolvedType instanceof protobuf.Type ? resolvedType : null;
}

/** Types are few and asked about for every value: what was found out of one is remembered. */
function remember<Key extends object, Result>(find: (key: Key) => Result): (key: Key) => Result {
  const known = new Map<Key, Result>();
  return (key) => {
    const result = known.get(key) ?? find(key);
    known.set(key, result);
    return result;
  };
}

const holdsRecords: (type: Type) => boolean = remember((type) => reachesRecords(type, new Set()));
function reachesRecords(type: Type, seen: Set<string>): boolean {
  if (RECORDS.has(type.name)) return true;
  if (seen.has(type.name)) return false;
  seen.add(type.name);
  return type.fieldsArray.some((field) => {
    const inner = messageTypeOf(field);
    return inner !== null && reachesRecords(inner, seen);
  });
}

/** By name in JSON and by name in the schema. */
const fieldsOf: (type: Type) => Map<string, Field> = remember(
  (type) =>
    new Map(
      type.fieldsArray.flatMap((field) => [
        [field.name, field],
        [toSnakeCase(field.name), field],
      ]),
    ),
);
const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const givenFields = (type: Type, message: JsonObject): [Field, unknown][] =>
  Object.entries(message).flatMap(([name, value]): [Field, unknown][] => {
    const field = fieldsOf(type).get(name);
    return field === undefined || value === null ? [] : [[field, value]];
  });

function checkRivals(type: Type, message: JsonObject): void {
  const given = givenFields(type, message).map(([field]) => field.partOf?.name ?? field.name);
  if (new Set(given).size < given.length) throw new Bad("two of one");
}

function checkMessage(type: Type, value: unknown, depth: number): void {
  const message = expectObject(value);
  checkRivals(type, message);
  for (const [field, item] of givenFields(type, message)) checkField(field, item, depth);
}

function checkField(field: Field, value: unknown, depth: number): void {
  const type = messageTypeOf(field);
  const items = field.repeated ? expectList(value) : [value];
  for (const item of items) {
    if (type === null) checkScalar(field, item);
    else if (type.name !== "AnyValue") checkMessage(type, item, depth);
    else if (depth + 1 > MAX_VALUE_DEPTH) throw new Bad("too deep");
    // An empty place in an array of values is an empty value.
    else checkMessage(type, item === null && field.repeated ? {} : item, depth + 1);
  }
}

function checkScalar(field: Field, value: unknown): void {
  const range = RANGES[field.type];
  if (range !== undefined) checkInteger(field, value, range);
  else if (field.type === "bool") expect(typeof value === "boolean");
  else if (field.type === "double") {
    expect(
      typeof value === "number" ||
        (typeof value === "string" && /^(-?\d+(\.\d+)?([eE][+-]?\d+)?|NaN|-?Infinity)$/.test(value)),
    );
  } else {
    // Readers that keep long integers exact may have made text of one before they knew what it was for.
    if (typeof value === "number" && Math.abs(value) >= 1e15) throw new Unsure("a long number for text");
    if (typeof value !== "string") throw new Bad("not text");
    const idBytes = ID_BYTES[field.name];
    if (field.type === "string") expect(!/\p{Surrogate}/u.test(value));
    else if (idBytes !== undefined) expect(/^[0-9a-f]*$/i.test(value) && [0, idBytes * 2].includes(value.length));
    else expect(/^[A-Za-z0-9+/_-]*={0,2}$/.test(value) && value.replace(/=+$/, "").length % 4 !== 1);
  }
}

function checkInteger(field: Field, value: unknown, [min, max]: [bigint, bigint]): void {
  if (typeof value === "string" && ENUMS[field.name] !== undefined) {
    if (ENUMS[field.name]?.test(value)) return;
    // A name that is none; digits as text are for numbers that are no enum.
    throw /^-?\d+$/.test(value) ? new Unsure("an enum's number as text") : new Bad("not an enum's name");
  }
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new Unsure("a rounded integer");
  expect(typeof value === "string" ? /^-?\d{1,20}$/.test(value) : Number.isSafeInteger(value));
  const whole = BigInt(String(value));
  expect(whole >= min && whole <= (INSTANTS.has(field.name) ? 2n ** 63n - 1n : max));
}

function expect(holds: boolean): void {
  if (!holds) throw new Bad("a value that is none of its type");
}

function expectObject(value: unknown): JsonObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw new Bad("not an object");
}

function expectList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Bad("not a list");
}
