/** Attributes and scalar fields in OTLP's JSON: typed readers that name the field they complain about. */
import { BadValue, within } from "./decoded-traces.ts";
import {
  isInt64,
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

export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Absent and null mean the same in protobuf's JSON mapping. */
export function readObject(message: JsonObject, field: string): JsonObject {
  const value = message[field] ?? {};
  if (!isObject(value)) throw new BadValue(field, "must be an object");
  return value;
}

export function readList(message: JsonObject, field: string): unknown[] {
  const value = message[field] ?? [];
  if (!Array.isArray(value)) throw new BadValue(field, "must be an array");
  return value;
}

export function readText(message: JsonObject, field: string): string {
  const value = message[field] ?? "";
  if (typeof value !== "string") throw new BadValue(field, "must be a string");
  return checkText(value, field);
}

/** Half a surrogate pair can be written in JSON but not stored as UTF-8. */
function checkText(text: string, path: string): string {
  if (/\p{Surrogate}/u.test(text)) throw new BadValue(path, "must not hold half a surrogate pair");
  return text;
}

export const readInteger = (message: JsonObject, field: string): bigint => parseInteger(message[field] ?? 0, field);

function parseInteger(value: unknown, path: string): bigint {
  if (typeof value === "string" ? /^-?\d{1,20}$/.test(value) : Number.isSafeInteger(value))
    return BigInt(String(value));
  throw new BadValue(path, "must be a whole number, as a number or a string");
}

export function readAttributes(message: JsonObject): Record<string, string> {
  const attributes: Record<string, string> = {};
  readList(message, "attributes").forEach((item, i) => {
    within(`attributes[${i}]`, () => {
      const [key, text] = readKeyValue(item, "top", 1);
      setAttribute(attributes, key, text);
    });
  });
  return attributes;
}

function readKeyValue(item: unknown, place: Place, depth: number): [key: string, text: string] {
  if (!isObject(item)) throw new BadValue("", "must be an object with key and value");
  return [readText(item, "key"), within("value", () => readValue(item.value ?? {}, place, depth))];
}

type MemberReader = (value: unknown, place: Place, depth: number) => string;

/** Members of AnyValue's oneof. */
const MEMBERS: Record<string, MemberReader> = {
  stringValue(value, place) {
    if (typeof value !== "string") throw new BadValue("stringValue", "must be a string");
    return writeString(checkText(value, "stringValue"), place);
  },
  boolValue(value) {
    if (typeof value !== "boolean") throw new BadValue("boolValue", "must be true or false");
    return writeBool(value);
  },
  intValue(value) {
    const integer = parseInteger(value, "intValue");
    if (!isInt64(integer)) throw new BadValue("intValue", "must fit 64 bits");
    return writeInt(integer);
  },
  doubleValue: (value, place) => writeDouble(parseDouble(value), place),
  arrayValue: (value, _place, depth) =>
    writeArray(readValues(value, "arrayValue", (item) => readValue(item, "nested", depth + 1))),
  kvlistValue: (value, _place, depth) =>
    writeList(readValues(value, "kvlistValue", (item) => readKeyValue(item, "nested", depth + 1))),
  bytesValue: (value, place) => writeBytes(parseBase64(value), place),
};

function readValue(value: unknown, place: Place, depth: number): string {
  if (depth > MAX_VALUE_DEPTH) throw new BadValue("", `is nested deeper than ${MAX_VALUE_DEPTH} levels`);
  if (!isObject(value)) throw new BadValue("", 'must be an object such as {"stringValue": …}');
  const set = Object.keys(MEMBERS).filter((name) => (value[name] ?? null) !== null);
  if (set.length > 1) throw new BadValue("", `holds ${set.join(" and ")}: one of them at most`);
  const [name] = set;
  return name === undefined ? writeEmpty(place) : (MEMBERS[name]?.(value[name], place, depth) ?? writeEmpty(place));
}

function readValues<T>(list: unknown, path: string, read: (item: unknown) => T): T[] {
  if (!isObject(list)) throw new BadValue(path, "must be an object with values");
  return within(path, () => readList(list, "values").map((item, i) => within(`values[${i}]`, () => read(item ?? {}))));
}

const DOUBLE = /^(-?\d+(\.\d+)?([eE][+-]?\d+)?|NaN|-?Infinity)$/;

function parseDouble(value: unknown): number {
  if (typeof value === "number") return value;
  if (typeof value === "string" && DOUBLE.test(value)) return Number(value);
  throw new BadValue("doubleValue", "must be a number");
}

/** Both base64 alphabets, padded or not. */
function parseBase64(value: unknown): Buffer {
  if (typeof value === "string" && /^[A-Za-z0-9+/_-]*={0,2}$/.test(value)) return Buffer.from(value, "base64");
  throw new BadValue("bytesValue", "must be base64");
}
