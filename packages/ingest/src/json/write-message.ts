/**
 * A message in protobuf's JSON mapping, already parsed → protobuf. Rules: protobuf.dev/programming-guides/json and
 * opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding: null is absent, unknown fields are ignored.
 * Must not: decide what becomes of a message that can't be written: BadValue names the field, the caller decides.
 */
import { BadValue, seenFrom } from "../admission.ts";
import { type FieldType, isMessage, type MessageType, messageType } from "./message-types.ts";
import { ProtobufWriter } from "./protobuf-writer.ts";

export type JsonObject = Record<string, unknown>;

/** Levels of values inside values that are taken; the protobuf readers have the same limit. */
export const MAX_VALUE_DEPTH = 32;

const SHAPES: Partial<Record<string, string>> = {
  AnyValue: 'an object such as {"stringValue": …}',
  KeyValue: 'an object such as {"key": …, "value": {"stringValue": …}}',
};

/** Bytes of one of the messages in the table, from an object as JSON would hold it. */
export function encodeMessage(name: string, message: JsonObject): Buffer {
  const out = new ProtobufWriter(1024);
  writeFields(out, messageType(name), message, 0);
  return out.finish();
}

export function expectObject(type: MessageType, value: unknown): JsonObject {
  if (isObject(value)) return value;
  throw new BadValue("invalid_value", `must be ${SHAPES[type.name] ?? "an object"}`);
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function expectList(type: FieldType["type"], value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const shape = isMessage(type) ? SHAPES[type.name] : undefined;
  throw new BadValue("invalid_value", shape ? `must be an array; each item is ${shape}` : "must be an array");
}

/** The fields of a message that is open in `out`; `depth` counts the values around it. */
export function writeFields(
  out: ProtobufWriter,
  type: MessageType,
  value: unknown,
  depth: number,
  leaveOutRecords = false,
): void {
  const message = expectObject(type, value);
  let filled = 0;
  for (const name of Object.keys(message)) {
    const field = type.fields.get(name);
    const item = message[name];
    if (field === undefined || item === null || item === undefined) continue;
    if (filled & field.rivals) throw describeRivals(type, field, filled);
    filled |= field.bit;
    if (leaveOutRecords && field.holdsRecords) continue;
    try {
      writeField(out, field, item, depth);
    } catch (thrown) {
      throw seenFrom(name, thrown);
    }
  }
}

function describeRivals(type: MessageType, field: FieldType, filled: number): BadValue {
  const rival = [...type.fields.values()].find((one) => one.bit & filled & field.rivals);
  if (rival === undefined || rival === field) return new BadValue("invalid_value", "is given twice", field.name);
  return new BadValue("invalid_value", `holds ${rival.name} and ${field.name}: one of them at most`);
}

function writeField(out: ProtobufWriter, field: FieldType, value: unknown, depth: number): void {
  if (!field.repeated) writeItem(out, field, value, depth);
  else if (field.packed) writePacked(out, field, value, depth);
  else writeList(out, field, value, depth);
}

function writePacked(out: ProtobufWriter, field: FieldType, value: unknown, depth: number): void {
  out.varint(field.tag);
  const opened = out.open();
  writeList(out, field, value, depth);
  out.close(opened);
}

function writeList(out: ProtobufWriter, field: FieldType, value: unknown, depth: number): void {
  expectList(field.type, value).forEach((item, i) => {
    writeListItem(out, field, item, i, depth);
  });
}

function writeListItem(out: ProtobufWriter, field: FieldType, item: unknown, index: number, depth: number): void {
  try {
    // Emitters write a missing value inside an array as null.
    writeItem(out, field, item ?? (isValue(field.type) ? {} : item), depth);
  } catch (thrown) {
    throw seenFrom(`[${index}]`, thrown);
  }
}

function writeItem(out: ProtobufWriter, field: FieldType, value: unknown, depth: number): void {
  if (!field.packed) out.varint(field.tag);
  const { type } = field;
  if (isMessage(type)) writeNested(out, type, value, depth);
  else type.write(out, value);
}

function writeNested(out: ProtobufWriter, type: MessageType, value: unknown, depth: number): void {
  const level = isValue(type) ? depth + 1 : depth;
  if (level > MAX_VALUE_DEPTH) throw new BadValue("too_deep", `is nested deeper than ${MAX_VALUE_DEPTH} levels`);
  const opened = out.open();
  writeFields(out, type, value, level);
  out.close(opened);
}

const isValue = (type: FieldType["type"]): boolean => isMessage(type) && type.name === "AnyValue";
