/**
 * Attributes on the wire (KeyValue, AnyValue of common/v1/common.proto) → one row of an attributes column. Scalars are
 * written plainly, what is nested as JSON, 64-bit integers exactly at any depth.
 */
import { AttributesColumn } from "./attributes-column";
import { TextColumn } from "./column";
import { enterPath, leavePath } from "./failure";
import {
  ARRAY,
  BOOL,
  BYTES_VALUE,
  DOUBLE,
  INT,
  KEY,
  LIST,
  PAIR_NAMES,
  readJson,
  STRING,
  VALUE,
  VALUE_NAMES,
  writeBase64,
} from "./nested-value";
import { writeNumber } from "./numbers";
import { Reader } from "./reader";
import { Sink } from "./sink";

/** Reads the KeyValue at the position as the next attribute of the open row; returns the class of its key. */
export function readAttribute(reader: Reader, column: AttributesColumn): u32 {
  const at = reader.at;
  const limit = reader.end;
  // Nearly all attributes are a key and a value, once each, in this order, with lengths of one byte. Those are read here
  // without walking the message; whatever looks otherwise is left to the general reader.
  if (at + 3 > limit) return readAnyAttribute(reader, column);
  const end = at + 1 + load<u8>(at);
  const keyCount = load<u8>(at, 2);
  const value = at + 3 + keyCount;
  const isShort =
    load<u8>(at) < 0x80 &&
    end <= limit &&
    load<u8>(at, 1) === KEY &&
    keyCount < 0x80 &&
    value + 4 <= end &&
    load<u8>(value) === VALUE &&
    load<u8>(value, 1) === end - value - 2;
  if (!isShort) return readAnyAttribute(reader, column);
  const keyClass = column.appendKey(at + 3, keyCount);
  const text = value + 4;
  if (load<u8>(value, 2) === STRING && text + load<u8>(value, 3) === end) {
    reader.at = end;
    column.values.appendUtf8(text, u32(end - text), "value.stringValue");
  } else {
    reader.at = value + 1;
    readValue(reader, column.values, "value");
  }
  return keyClass;
}

function readAnyAttribute(reader: Reader, column: AttributesColumn): u32 {
  const outer = reader.enter();
  const values = column.values;
  const start = values.sink.length;
  let key: usize = 0;
  let keyEnd: usize = 0;
  while (reader.more) {
    const tag = reader.readTag();
    if (tag === KEY) {
      key = reader.passBytes();
      keyEnd = reader.at;
    } else if (tag === VALUE) {
      // A field that comes twice counts as it came last.
      values.sink.length = start;
      readValue(reader, values, "value");
    } else reader.skipUnknown(tag, PAIR_NAMES);
  }
  if (values.sink.length === start) values.appendEmpty();
  reader.leave(outer);
  return column.appendKey(key, u32(keyEnd - key));
}

/**
 * Reads the AnyValue at the position, the field `name` of its message, into one row. Of several members of its oneof
 * the last one counts.
 */
export function readValue(reader: Reader, values: TextColumn, name: string): void {
  enterPath(name, -1);
  const outer = reader.enter();
  const sink = values.sink;
  const start = sink.length;
  while (reader.more) {
    const tag = reader.readTag();
    switch (tag) {
      case STRING: {
        sink.length = start;
        const text = reader.passBytes();
        values.appendUtf8(text, u32(reader.at - text), "stringValue");
        break;
      }
      case INT:
        sink.length = start;
        values.appendInt64(reader.readInt64());
        break;
      case BOOL:
      case DOUBLE:
      case ARRAY:
      case LIST:
      case BYTES_VALUE:
        sink.length = start;
        written.length = 0;
        writeValue(reader, tag);
        values.append(written.start, written.length);
        break;
      default:
        reader.skipUnknown(tag, VALUE_NAMES);
    }
  }
  if (sink.length === start) values.appendEmpty();
  reader.leave(outer);
  leavePath();
}

/** The text of a value whose length is known only when it is written. */
const written = new Sink();

function writeValue(reader: Reader, tag: u32): void {
  if (tag === DOUBLE) {
    const to = written.reserve(32);
    written.length += writeNumber(load<f64>(reader.pass(8)), to);
  } else if (tag === BYTES_VALUE) {
    const start = reader.passBytes();
    writeBase64(written, start, u32(reader.at - start));
  } else readJson(reader, tag, written, 1);
}
