/** Nested values as JSON. JSON has no NaN and no Infinity: they are strings, as in protobuf's JSON mapping. */
import { isUtf8 } from "./bytes";
import { enterPath, leavePath, refuseText } from "./failure";
import { refuse } from "./host";
import { countDigits, writeDigits, writeNumber } from "./numbers";
import { Reader } from "./reader";
import { Sink } from "./sink";

/** AnyValue's members. */
export const STRING: u32 = 0x0a;
export const BOOL: u32 = 0x10;
export const INT: u32 = 0x18;
export const DOUBLE: u32 = 0x21;
export const ARRAY: u32 = 0x2a;
export const LIST: u32 = 0x32;
export const BYTES_VALUE: u32 = 0x3a;
export const VALUE_NAMES: StaticArray<string> = [
  "",
  "stringValue",
  "boolValue",
  "intValue",
  "doubleValue",
  "arrayValue",
  "kvlistValue",
  "bytesValue",
];

const MAX_DEPTH: u32 = 32;
const VALUES: u32 = 0x0a;
const NESTED_NAMES: StaticArray<string> = ["", "values"];
/** KeyValue's fields. */
export const KEY: u32 = 0x0a;
export const VALUE: u32 = 0x12;
export const PAIR_NAMES: StaticArray<string> = ["", "key", "value"];

/** Reads the member of that tag, `depth` levels of lists deep. */
export function readJson(reader: Reader, tag: u32, out: Sink, depth: u32): void {
  switch (tag) {
    case STRING: {
      const start = reader.passBytes();
      writeQuoted(out, start, reader.at, "stringValue");
      return;
    }
    case BOOL:
      writeAscii(out, reader.readInt64() === 0 ? "false" : "true");
      return;
    case INT:
      writeInt64(out, reader.readInt64());
      return;
    case DOUBLE: {
      const value = load<f64>(reader.pass(8));
      if (!isFinite(value)) out.writeByte(QUOTE);
      const to = out.reserve(32);
      out.length += writeNumber(value, to);
      if (!isFinite(value)) out.writeByte(QUOTE);
      return;
    }
    case BYTES_VALUE: {
      const start = reader.passBytes();
      out.writeByte(QUOTE);
      writeBase64(out, start, u32(reader.at - start));
      out.writeByte(QUOTE);
      return;
    }
    default:
      readList(reader, tag, out, depth);
  }
}

/** ArrayValue and KeyValueList have the same shape: their field 1 is the list. */
function readList(reader: Reader, kind: u32, out: Sink, depth: u32): void {
  const outer = reader.enter();
  let index = 0;
  out.writeByte(kind === ARRAY ? 0x5b : 0x7b);
  while (reader.more) {
    const tag = reader.readTag();
    if (tag !== VALUES) {
      reader.skipUnknown(tag, NESTED_NAMES);
      continue;
    }
    enterPath(kind === ARRAY ? "arrayValue.values" : "kvlistValue.values", index);
    if (index > 0) out.writeByte(0x2c);
    if (kind === ARRAY) readValue(reader, out, depth + 1);
    else readPair(reader, out, depth + 1);
    leavePath();
    index += 1;
  }
  out.writeByte(kind === ARRAY ? 0x5d : 0x7d);
  reader.leave(outer);
}

/** A field that comes twice counts as it came last, wherever the key stands: it is looked for first. */
function readPair(reader: Reader, out: Sink, depth: u32): void {
  const outer = reader.enter();
  const start = reader.at;
  let key: usize = 0;
  let keyEnd: usize = 0;
  while (reader.more) {
    const tag = reader.readTag();
    if (tag === KEY) {
      key = reader.passBytes();
      keyEnd = reader.at;
    } else reader.skip(tag);
  }
  writeQuoted(out, key, keyEnd, "key");
  out.writeByte(0x3a);
  const value = out.length;
  reader.at = start;
  while (reader.more) {
    const tag = reader.readTag();
    if (tag === VALUE) {
      out.length = value;
      readValue(reader, out, depth);
    } else if (tag === KEY) reader.skip(tag);
    else reader.skipUnknown(tag, PAIR_NAMES);
  }
  if (out.length === value) writeAscii(out, "null");
  reader.leave(outer);
}

function readValue(reader: Reader, out: Sink, depth: u32): void {
  if (depth > MAX_DEPTH) refuse("too_deep", "is nested deeper than # levels", "", MAX_DEPTH);
  const outer = reader.enter();
  const start = out.length;
  while (reader.more) {
    const tag = reader.readTag();
    if (isMember(tag)) {
      // Of several members of the oneof the last one counts.
      out.length = start;
      readJson(reader, tag, out, depth);
    } else reader.skipUnknown(tag, VALUE_NAMES);
  }
  if (out.length === start) writeAscii(out, "null");
  reader.leave(outer);
}

function isMember(tag: u32): bool {
  switch (tag) {
    case STRING:
    case BOOL:
    case INT:
    case DOUBLE:
    case ARRAY:
    case LIST:
    case BYTES_VALUE:
      return true;
    default:
      return false;
  }
}

const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;

/** As JSON.stringify writes it. */
function writeQuoted(out: Sink, start: usize, end: usize, name: string): void {
  if (!isUtf8(start, end)) refuseText(name);
  out.writeByte(QUOTE);
  let plain = start;
  for (let at = start; at < end; at++) {
    const byte = u32(load<u8>(at));
    if (byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH) continue;
    out.write(plain, u32(at - plain));
    plain = at + 1;
    out.writeByte(BACKSLASH);
    if (byte === QUOTE || byte === BACKSLASH) out.writeByte(byte);
    else if (byte >= 0x08 && byte <= 0x0d && byte !== 0x0b) out.writeByte(SHORT_ESCAPES.charCodeAt(byte - 0x08));
    else {
      writeAscii(out, byte < 0x10 ? "u000" : "u001");
      out.writeByte(HEX_DIGITS.charCodeAt(byte & 15));
    }
  }
  out.write(plain, u32(end - plain));
  out.writeByte(QUOTE);
}

/** Of the control characters from 8 to 13; 11 has none. */
const SHORT_ESCAPES: string = "btn-fr";
const HEX_DIGITS: string = "0123456789abcdef";

function writeAscii(out: Sink, text: string): void {
  for (let i = 0; i < text.length; i++) out.writeByte(text.charCodeAt(i));
}

function writeInt64(out: Sink, value: i64): void {
  if (value < 0) out.writeByte(0x2d);
  const digits = value < 0 ? u64(-value) : u64(value);
  const count = countDigits(digits);
  writeDigits(digits, out.extend(count) + count);
}

const BASE64: string = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** RFC 4648, with padding. */
export function writeBase64(out: Sink, start: usize, count: u32): void {
  for (let i: u32 = 0; i < count; i += 3) {
    const left = count - i;
    const first = u32(load<u8>(start + i));
    const second = left > 1 ? u32(load<u8>(start + i, 1)) : 0;
    const third = left > 2 ? u32(load<u8>(start + i, 2)) : 0;
    const bits = (first << 16) | (second << 8) | third;
    out.writeByte(BASE64.charCodeAt(bits >> 18));
    out.writeByte(BASE64.charCodeAt((bits >> 12) & 63));
    out.writeByte(left > 1 ? BASE64.charCodeAt((bits >> 6) & 63) : 0x3d);
    out.writeByte(left > 2 ? BASE64.charCodeAt(bits & 63) : 0x3d);
  }
}
