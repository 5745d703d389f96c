/**
 * Scalar values of protobuf's JSON mapping, checked and written: one row per type.
 * Lenient where emitters differ (whole numbers as numbers or text, both base64 alphabets, ids in either case), strict
 * otherwise: what can't be kept exactly is refused, never rounded, cut or replaced.
 */
import { BadValue } from "../admission.ts";
import type { EnumRow } from "./messages.ts";
import { type ProtobufWriter, WIRE } from "./protobuf-writer.ts";

export type Scalar = { wire: number; write(out: ProtobufWriter, value: unknown): void };

const invalid = (problem: string): BadValue => new BadValue("invalid_value", problem);

function writeText(out: ProtobufWriter, value: unknown): void {
  if (typeof value !== "string") throw invalid("must be a string");
  if (/\p{Surrogate}/u.test(value)) throw new BadValue("invalid_text", "must not hold half a surrogate pair");
  out.text(value, "utf8");
}

function writeBytes(out: ProtobufWriter, value: unknown): void {
  if (typeof value !== "string" || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(value) || value.replace(/=+$/, "").length % 4 === 1)
    throw invalid("must be base64");
  out.text(value, "base64");
}

/** Ids are bytes that OTLP writes as hex; absent ones as an empty string. */
const id = (bytes: number): Scalar => ({
  wire: WIRE.bytes,
  write(out, value) {
    if (typeof value !== "string" || !/^[0-9a-fA-F]*$/.test(value) || ![0, bytes * 2].includes(value.length))
      throw new BadValue("invalid_id", `must be ${bytes} bytes, written as ${bytes * 2} hexadecimal digits`);
    out.text(value, "hex");
  },
});

function writeBool(out: ProtobufWriter, value: unknown): void {
  if (typeof value !== "boolean") throw invalid("must be true or false");
  out.varint(value ? 1 : 0);
}

const DOUBLE = /^(-?\d+(\.\d+)?([eE][+-]?\d+)?|NaN|-?Infinity)$/;

function writeDouble(out: ProtobufWriter, value: unknown): void {
  if (typeof value !== "number" && !(typeof value === "string" && DOUBLE.test(value)))
    throw invalid("must be a number, or text that is one (also NaN, Infinity and -Infinity)");
  out.double(Number(value));
}

const DIGITS = /^-?\d{1,20}$/;

function toInteger(value: unknown): bigint {
  if (typeof value === "string" ? DIGITS.test(value) : Number.isSafeInteger(value)) return BigInt(String(value));
  throw invalid("must be a whole number, as a number or a string of digits");
}

const integer = (
  wire: number,
  [min, max]: readonly [bigint, bigint],
  write: (out: ProtobufWriter, value: bigint) => void,
): Scalar => ({
  wire,
  write(out, value) {
    const whole = toInteger(value);
    if (whole < min || whole > max) throw invalid(`must be between ${min} and ${max}`);
    write(out, whole);
  },
});

const signed = (bits: bigint): [bigint, bigint] => [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
const unsigned = (bits: bigint): [bigint, bigint] => [0n, 2n ** bits - 1n];

const INT32 = integer(WIRE.varint, signed(32n), (out, value) => out.varint64(value));

export const SCALARS: Readonly<Record<string, Scalar>> = {
  string: { wire: WIRE.bytes, write: writeText },
  bytes: { wire: WIRE.bytes, write: writeBytes },
  id8: id(8),
  id16: id(16),
  bool: { wire: WIRE.varint, write: writeBool },
  double: { wire: WIRE.fixed64, write: writeDouble },
  int32: INT32,
  sint32: integer(WIRE.varint, signed(32n), (out, value) => out.varint64((value << 1n) ^ (value >> 31n))),
  uint32: integer(WIRE.varint, unsigned(32n), (out, value) => out.varint64(value)),
  int64: integer(WIRE.varint, signed(64n), (out, value) => out.varint64(value)),
  uint64: integer(WIRE.varint, unsigned(64n), (out, value) => out.varint64(value)),
  fixed32: integer(WIRE.fixed32, unsigned(32n), (out, value) => out.fixed32(Number(value))),
  fixed64: integer(WIRE.fixed64, unsigned(64n), (out, value) => out.fixed64(value)),
  sfixed64: integer(WIRE.fixed64, signed(64n), (out, value) => out.fixed64(value)),
};

/** By number, defined or not (protobuf's enums are open), or by name. */
export function createEnum({ prefix, names }: EnumRow): Scalar {
  const numbers = new Map(names.map((name, number) => [prefix + name, number]));
  return {
    wire: WIRE.varint,
    write(out, value) {
      const number = typeof value === "string" ? numbers.get(value) : value;
      if (number === undefined) throw invalid(`must be a number or one of ${prefix}*`);
      INT32.write(out, number);
    },
  };
}
