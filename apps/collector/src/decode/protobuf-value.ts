/** Attributes in protobuf: KeyValue and AnyValue of common/v1/common.proto, read straight into text. */
import { BadValue, within } from "./decoded-traces.ts";
import {
  MAX_VALUE_DEPTH,
  type Place,
  setAttribute,
  writeArray,
  writeBool,
  writeBytes,
  writeDouble,
  writeEmpty,
  writeInt,
  writeList,
  writeString,
} from "./value-text.ts";
import {
  type Cursor,
  expectWire,
  readBytes,
  readDouble,
  readFields,
  readInt64,
  readMessage,
  readString,
  WIRE,
} from "./wire-reader.ts";

/** Reads one KeyValue at the cursor into `attributes`; `index` is its place in the list, for the error. */
export function readAttribute(cursor: Cursor, index: number, attributes: Record<string, string>): void {
  const message = readMessage(cursor);
  within(`attributes[${index}]`, () => {
    const [key, text] = readKeyValue(message, "top", 1);
    setAttribute(attributes, key, text);
  });
}

function readKeyValue(cursor: Cursor, place: Place, depth: number): [key: string, text: string] {
  let key = "";
  let text = writeEmpty(place);
  readFields(cursor, (field, wire) => {
    switch (field) {
      case 1:
        expectWire(wire, WIRE.bytes, "key");
        key = within("key", () => readString(cursor));
        return true;
      case 2:
        expectWire(wire, WIRE.bytes, "value");
        text = within("value", () => readValue(readMessage(cursor), place, depth));
        return true;
      default:
        return false;
    }
  });
  return [key, text];
}

const VALUE_WIRES: Partial<Record<number, number>> = {
  1: WIRE.bytes,
  2: WIRE.varint,
  3: WIRE.varint,
  4: WIRE.fixed64,
  5: WIRE.bytes,
  6: WIRE.bytes,
  7: WIRE.bytes,
};

/** An AnyValue; of several members of its oneof the last one counts, as protobuf says. */
function readValue(cursor: Cursor, place: Place, depth: number): string {
  if (depth > MAX_VALUE_DEPTH) throw new BadValue("", `is nested deeper than ${MAX_VALUE_DEPTH} levels`);
  let text = writeEmpty(place);
  readFields(cursor, (field, wire) => {
    const expected = VALUE_WIRES[field];
    if (expected === undefined) return false;
    expectWire(wire, expected, "");
    text = readMember(cursor, field, place, depth);
    return true;
  });
  return text;
}

function readMember(cursor: Cursor, field: number, place: Place, depth: number): string {
  switch (field) {
    case 1:
      return writeString(readString(cursor), place);
    case 2:
      return writeBool(readInt64(cursor) !== 0n);
    case 3:
      return writeInt(readInt64(cursor));
    case 4:
      return writeDouble(readDouble(cursor), place);
    case 5:
      return writeArray(readValues(cursor, (item) => readValue(item, "nested", depth + 1)));
    case 6:
      return writeList(readValues(cursor, (item) => readKeyValue(item, "nested", depth + 1)));
    default:
      return writeBytes(readBytes(cursor), place);
  }
}

/** ArrayValue and KeyValueList have the same shape: their field 1 is the list. */
function readValues<T>(cursor: Cursor, read: (item: Cursor) => T): T[] {
  const list = readMessage(cursor);
  const items: T[] = [];
  readFields(list, (field, wire) => {
    if (field !== 1) return false;
    expectWire(wire, WIRE.bytes, "values");
    const item = readMessage(list);
    items.push(within(`values[${items.length}]`, () => read(item)));
    return true;
  });
  return items;
}
