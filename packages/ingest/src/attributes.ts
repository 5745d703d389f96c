/**
 * Attributes on the wire (KeyValue, AnyValue of common/v1/common.proto) → one row of an attributes column. Scalars are
 * written plainly, what is nested as JSON, 64-bit integers exactly at any depth.
 */
import { isUtf8 } from "node:buffer";
import { BadValue, seenFrom } from "./admission.ts";
import type { AttributesColumn } from "./native/attributes-column.ts";
import type { TextColumn } from "./native/column.ts";
import { skipUnknown, tagOf, WIRE, type WireReader } from "./wire/wire-reader.ts";

const KEY = tagOf(1, WIRE.bytes);
const VALUE = tagOf(2, WIRE.bytes);
const PAIR_FIELDS = { 1: "key", 2: "value" };

export const MAX_VALUE_DEPTH = 32;

/** Reads the KeyValue at the position as the next attribute of the open row; returns the class of its key. */
export function readAttribute(reader: WireReader, column: AttributesColumn): number {
  const keyClass = readShortPair(reader, column);
  return keyClass === NOT_SHORT ? readAnyAttribute(reader, column) : keyClass;
}

const NOT_SHORT = -1;

/**
 * Nearly all attributes are a key and a value, once each, in this order, with lengths of one byte. Those are read here
 * without walking the message; whatever looks otherwise is left to the general reader.
 */
function readShortPair(reader: WireReader, column: AttributesColumn): number {
  const { view, at } = reader;
  // Length, key's tag and length: then as many bytes as the length says, all within the message around.
  if (at + 3 > reader.end) return NOT_SHORT;
  const length = view.getUint8(at);
  const end = at + 1 + length;
  const keyLength = view.getUint8(at + 2);
  if (length > 0x7f || end > reader.end || keyLength > 0x7f || view.getUint8(at + 1) !== KEY) return NOT_SHORT;
  const keyStart = at + 3;
  const value = keyStart + keyLength;
  // Value's tag and length: the value ends where the message does.
  if (value + 4 > end || view.getUint8(value) !== VALUE || view.getUint8(value + 1) !== end - value - 2)
    return NOT_SHORT;
  const keyClass = appendKey(reader, column, keyStart, value);
  const textStart = value + 4;
  if (view.getUint8(value + 2) === STRING && textStart + view.getUint8(value + 3) === end) {
    reader.at = end;
    appendText(column.value, reader, textStart, end);
  } else {
    reader.at = value + 1;
    readValue(reader, column.value);
  }
  return keyClass;
}

function appendText(values: TextColumn, reader: WireReader, start: number, end: number): void {
  try {
    values.appendUtf8(reader, start, end);
  } catch (thrown) {
    throw seenFrom("value.stringValue", thrown);
  }
}

function appendKey(reader: WireReader, column: AttributesColumn, start: number, end: number): number {
  try {
    return column.appendKey(reader, start, end);
  } catch (thrown) {
    throw seenFrom("key", thrown);
  }
}

function readAnyAttribute(reader: WireReader, column: AttributesColumn): number {
  const outer = reader.enter();
  const values = column.value;
  const row = values.rows;
  let keyStart = 0;
  let keyEnd = 0;
  while (reader.more) {
    const tag = reader.readTag();
    if (tag === KEY) {
      keyStart = reader.passBytes();
      keyEnd = reader.at;
    } else if (tag === VALUE) {
      // A field that comes twice counts as it came last.
      if (values.rows > row) values.truncate(row);
      readValue(reader, values);
    } else skipUnknown(reader, tag, PAIR_FIELDS);
  }
  if (values.rows === row) values.appendEmpty();
  reader.leave(outer);
  return appendKey(reader, column, keyStart, keyEnd);
}

const STRING = tagOf(1, WIRE.bytes);
const BOOL = tagOf(2, WIRE.varint);
const INT = tagOf(3, WIRE.varint);
const DOUBLE = tagOf(4, WIRE.fixed64);
const ARRAY = tagOf(5, WIRE.bytes);
const LIST = tagOf(6, WIRE.bytes);
const BYTES = tagOf(7, WIRE.bytes);
const VALUE_FIELDS = {
  1: "stringValue",
  2: "boolValue",
  3: "intValue",
  4: "doubleValue",
  5: "arrayValue",
  6: "kvlistValue",
  7: "bytesValue",
};

/**
 * Reads the AnyValue at the position, the field `name` of its message, into one row. Of several members of its oneof
 * the last one counts.
 */
export function readValue(reader: WireReader, values: TextColumn, name = "value"): void {
  try {
    const outer = reader.enter();
    const row = values.rows;
    while (reader.more) {
      const tag = reader.readTag();
      if (values.rows > row && MEMBERS.has(tag)) values.truncate(row);
      switch (tag) {
        case STRING: {
          const start = reader.passBytes();
          values.appendUtf8(reader, start, reader.at);
          break;
        }
        case INT:
          values.appendAscii(reader.readInt64Text());
          break;
        case BOOL:
          values.appendAscii(readBool(reader));
          break;
        case DOUBLE:
          values.appendAscii(String(reader.readDouble()));
          break;
        case ARRAY:
        case LIST:
        case BYTES:
          values.appendText(tag === BYTES ? readBase64(reader) : readNested(reader, tag, 1));
          break;
        default:
          skipUnknown(reader, tag, VALUE_FIELDS);
      }
    }
    if (values.rows === row) values.appendEmpty();
    reader.leave(outer);
  } catch (thrown) {
    throw seenFrom(name, thrown);
  }
}

const MEMBERS: ReadonlySet<number> = new Set([STRING, BOOL, INT, DOUBLE, ARRAY, LIST, BYTES]);

const readBool = (reader: WireReader): string => (reader.readInt64() === 0n ? "false" : "true");

function readText(reader: WireReader, name: string): string {
  const bytes = reader.bytes.subarray(reader.passBytes(), reader.at);
  if (!isUtf8(bytes)) throw new BadValue("invalid_text", "must be UTF-8", name);
  return bytes.toString();
}

function readBase64(reader: WireReader): string {
  const start = reader.passBytes();
  return reader.bytes.toString("base64", start, reader.at);
}

/** ArrayValue and KeyValueList have the same shape: their field 1 is the list. */
function readNested(reader: WireReader, kind: typeof ARRAY | typeof LIST, depth: number): string {
  const outer = reader.enter();
  const items: string[] = [];
  while (reader.more) {
    const tag = reader.readTag();
    if (tag !== VALUES) {
      skipUnknown(reader, tag, NESTED_FIELDS);
      continue;
    }
    try {
      items.push(kind === ARRAY ? readNestedValue(reader, depth + 1) : readNestedPair(reader, depth + 1));
    } catch (thrown) {
      throw seenFrom(`${kind === ARRAY ? "arrayValue" : "kvlistValue"}.values[${items.length}]`, thrown);
    }
  }
  reader.leave(outer);
  return kind === ARRAY ? `[${items.join(",")}]` : `{${items.join(",")}}`;
}

const VALUES = tagOf(1, WIRE.bytes);
const NESTED_FIELDS = { 1: "values" };

function readNestedPair(reader: WireReader, depth: number): string {
  const outer = reader.enter();
  let key = "";
  let value = "null";
  while (reader.more) {
    const tag = reader.readTag();
    if (tag === KEY) key = readText(reader, "key");
    else if (tag === VALUE) value = readNestedValue(reader, depth);
    else skipUnknown(reader, tag, PAIR_FIELDS);
  }
  reader.leave(outer);
  return `${JSON.stringify(key)}:${value}`;
}

/** An AnyValue as JSON. JSON has no NaN and no Infinity: they are strings, as in protobuf's JSON mapping. */
function readNestedValue(reader: WireReader, depth: number): string {
  if (depth > MAX_VALUE_DEPTH) throw new BadValue("too_deep", `is nested deeper than ${MAX_VALUE_DEPTH} levels`);
  const outer = reader.enter();
  let text = "null";
  while (reader.more) {
    const tag = reader.readTag();
    switch (tag) {
      case STRING:
        text = JSON.stringify(readText(reader, "stringValue"));
        break;
      case BOOL:
        text = readBool(reader);
        break;
      case INT:
        text = reader.readInt64Text();
        break;
      case DOUBLE: {
        const value = reader.readDouble();
        text = Number.isFinite(value) ? String(value) : JSON.stringify(String(value));
        break;
      }
      case ARRAY:
      case LIST:
        text = readNested(reader, tag, depth);
        break;
      case BYTES:
        text = JSON.stringify(readBase64(reader));
        break;
      default:
        skipUnknown(reader, tag, VALUE_FIELDS);
    }
  }
  reader.leave(outer);
  return text;
}
