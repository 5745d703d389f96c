/**
 * A slow, obvious reading of an export request in protobuf: an object for each field, a table for each message, nothing
 * shared with the collector. Fields that the collector does not keep are not in the table, and need only be passable.
 * Rules: a broken frame refuses the body, anything wrong in a record refuses the record, anything wrong in what records
 * share refuses them all. A field under a wire type that is not its own is wrong.
 */
import { isUtf8 } from "node:buffer";
import type { OTLP } from "../otlp/schema.ts";
import { Bad, Count, judgeFrame, Unsure, type Verdict } from "./verdict.ts";
import { type Field, fieldsOf, readVarint } from "./wire-fields.ts";

export type Signal = keyof typeof OTLP;
type Rule =
  | "varint"
  | "fixed32"
  | "fixed64"
  | "instant"
  | "id8"
  | "id16"
  | "text"
  | "lastText"
  | "bytes"
  | "fixed64s"
  | "varints"
  | { message: string };
type Shape = Record<number, Rule>;

const WIRE_OF: Record<string, readonly number[]> = {
  varint: [0],
  fixed64: [1],
  instant: [1],
  fixed32: [5],
  fixed64s: [1, 2],
  varints: [0, 2],
};
const message = (name: string): Rule => ({ message: name });

const POINT = { 2: "instant", 3: "instant" } as const;
const SHAPES: Record<string, Shape> = {
  Resource: { 1: message("KeyValue") },
  Scope: { 1: "text", 2: "text" },
  KeyValue: { 1: "lastText", 2: message("AnyValue") },
  AnyValue: {
    1: "text",
    2: "varint",
    3: "varint",
    4: "fixed64",
    5: message("ArrayValue"),
    6: message("KeyValueList"),
    7: "bytes",
  },
  ArrayValue: { 1: message("AnyValue") },
  KeyValueList: { 1: message("NestedKeyValue") },
  NestedKeyValue: { 1: "text", 2: message("AnyValue") },
  Span: {
    1: "id16",
    2: "id8",
    3: "lastText",
    4: "id8",
    5: "lastText",
    6: "varint",
    7: "instant",
    8: "instant",
    9: message("KeyValue"),
    10: "varint",
    11: message("Event"),
    12: "varint",
    13: message("Link"),
    14: "varint",
    15: message("Status"),
    16: "fixed32",
  },
  Event: { 1: "instant", 2: "lastText", 3: message("KeyValue") },
  Link: { 1: "id16", 2: "id8", 4: message("KeyValue") },
  Status: { 2: "lastText", 3: "varint" },
  LogRecord: {
    1: "instant",
    2: "varint",
    3: "lastText",
    5: message("AnyValue"),
    6: message("KeyValue"),
    7: "varint",
    8: "fixed32",
    9: "id16",
    10: "id8",
    11: "instant",
    12: "lastText",
  },
  NumberPoint: { ...POINT, 4: "fixed64", 5: message("Exemplar"), 6: "fixed64", 7: message("KeyValue"), 8: "varint" },
  HistogramPoint: {
    ...POINT,
    4: "fixed64",
    5: "fixed64",
    6: "fixed64s",
    7: "fixed64s",
    8: message("Exemplar"),
    9: message("KeyValue"),
    10: "varint",
    11: "fixed64",
    12: "fixed64",
  },
  ExponentialPoint: {
    ...POINT,
    1: message("KeyValue"),
    4: "fixed64",
    5: "fixed64",
    6: "varint",
    7: "fixed64",
    8: message("Buckets"),
    9: message("Buckets"),
    10: "varint",
    11: message("Exemplar"),
    12: "fixed64",
    13: "fixed64",
    14: "fixed64",
  },
  Buckets: { 1: "varint", 2: "varints" },
  SummaryPoint: { ...POINT, 4: "fixed64", 5: "fixed64", 6: message("Quantile"), 7: message("KeyValue"), 8: "varint" },
  Quantile: { 1: "fixed64", 2: "fixed64" },
  Exemplar: { 2: "instant", 3: "fixed64", 4: "id8", 5: "id16", 6: "fixed64", 7: message("KeyValue") },
};
const METRIC_DATA: Record<number, { point: string; others: readonly number[] }> = {
  5: { point: "NumberPoint", others: [] },
  7: { point: "NumberPoint", others: [2, 3] },
  9: { point: "HistogramPoint", others: [2] },
  10: { point: "ExponentialPoint", others: [2] },
  11: { point: "SummaryPoint", others: [] },
};
const MAX_VALUE_DEPTH = 32;

export function judgeProtobuf(signal: Signal, body: Buffer): Verdict {
  return judgeFrame((count) => {
    for (const resourceGroup of messagesOf(fieldsOf(body), 1)) {
      const inResource = fieldsOf(resourceGroup);
      const resourceProblem = problemOf(messagesOf(inResource, 1), "Resource");
      for (const scopeGroup of messagesOf(inResource, 2)) {
        const inScope = fieldsOf(scopeGroup);
        const scopeProblem = problemOf(messagesOf(inScope, 1), "Scope");
        const problem = resourceProblem ?? scopeProblem;
        for (const record of messagesOf(inScope, 2)) {
          if (signal === "metrics") judgeMetric(record, problem, count);
          else count.record(() => checkRecord(signal, record, problem));
        }
      }
    }
  });
}

function checkRecord(signal: "traces" | "logs", record: Buffer, problem: Error | null): void {
  if (problem !== null) throw problem;
  checkMessage(signal === "traces" ? "Span" : "LogRecord", record, 0);
  if (signal === "logs") return;
  const fields = fieldsOf(record);
  for (const number of [1, 2]) {
    const last = fields.findLast((field) => field.number === number);
    if (last === undefined || last.value.every((byte) => byte === 0)) throw new Bad("a span needs both ids");
  }
}

/** A metric is no record: its points are. One that can't be read is refused with as many of them as can be told. */
function judgeMetric(metric: Buffer, shared: Error | null, total: Count): void {
  const count = new Count();
  let problem = shared;
  try {
    const fields = fieldsOf(metric);
    for (const { number, wire, value } of fields) {
      if ([1, 2, 3].includes(number)) {
        if (wire !== 2) throw new Bad("wire type");
        if (!isUtf8(value)) problem ??= new Bad("text");
      }
      if (number in METRIC_DATA && wire !== 2) throw new Bad("wire type");
    }
    const kind = fields.findLast(({ number }) => number in METRIC_DATA)?.number ?? 0;
    const { point, others } = METRIC_DATA[kind] ?? { point: "", others: [] };
    for (const data of fields.filter(({ number }) => number === kind && kind !== 0)) {
      const inData = fieldsOf(data.value);
      if (inData.some(({ number, wire }) => others.includes(number) && wire !== 0)) throw new Bad("wire type");
      for (const record of messagesOf(inData, 1)) {
        count.record(() => {
          if (problem !== null) throw problem;
          checkMessage(point, record, 0);
        });
      }
    }
  } catch (thrown) {
    total.refuseSome(thrown);
    return;
  }
  if (problem !== null && problem !== shared && count.max === 0) count.refuse(problem);
  total.add(count);
}

function problemOf(messages: readonly Buffer[], name: string): Error | null {
  for (const bytes of messages) {
    try {
      checkMessage(name, bytes, 0);
    } catch (thrown) {
      if (thrown instanceof Bad || thrown instanceof Unsure) return thrown;
      throw thrown;
    }
  }
  return null;
}

function checkMessage(name: string, bytes: Buffer, depth: number): void {
  const shape = SHAPES[name] ?? {};
  const fields = fieldsOf(bytes);
  for (const [index, field] of fields.entries()) {
    const rule = shape[field.number];
    if (rule === undefined) continue;
    const isLast = !fields.slice(index + 1).some(({ number }) => number === field.number);
    if (typeof rule === "string") checkScalar(rule, field, isLast);
    else {
      if (field.wire !== 2) throw new Bad("wire type");
      const level = rule.message === "AnyValue" ? depth + 1 : depth;
      if (level > MAX_VALUE_DEPTH) throw new Bad("too deep");
      if (rule.message === "Status" && !isLast) checkMerged(rule.message, field.value);
      else checkMessage(rule.message, field.value, level);
    }
  }
}

/** A message that comes twice is merged: what the later one says may hide what is wrong with the one before. */
function checkMerged(name: string, bytes: Buffer): void {
  try {
    checkMessage(name, bytes, 0);
  } catch (thrown) {
    if (thrown instanceof Bad) throw new Unsure(thrown.message);
    throw thrown;
  }
}

function checkScalar(rule: Exclude<Rule, object>, { wire, value }: Field, isLast: boolean): void {
  if (!(WIRE_OF[rule] ?? [2]).includes(wire)) throw new Bad("wire type");
  if (rule === "instant" && (value[7] ?? 0) > 0x7f) throw new Bad("an instant after 2262");
  if (rule === "id8" && value.length !== 8 && value.length !== 0) throw new Bad("id");
  if (rule === "id16" && value.length !== 16 && value.length !== 0) throw new Bad("id");
  if (rule === "text" && !isUtf8(value)) throw new Bad("text");
  // Of a field that comes twice only the last is kept; whether the others are looked at is nobody's business.
  if (rule === "lastText" && !isUtf8(value)) throw isLast ? new Bad("text") : new Unsure("text");
  if (wire !== 2) return;
  if (rule === "fixed64s" && value.length % 8 !== 0) throw new Bad("packed");
  if (rule === "varints") for (let at = 0; at < value.length; ) at = readVarint(value, at).next;
}

/** The messages in the fields of that number; a field of the number that holds none breaks the frame. */
function messagesOf(fields: readonly Field[], number: number): Buffer[] {
  return fields.flatMap((field) => {
    if (field.number !== number) return [];
    if (field.wire !== 2) throw new Bad("wire type");
    return [field.value];
  });
}
