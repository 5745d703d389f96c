/** Ways to spoil a request, each a function of bytes and chance. Which one was taken is told with a failure. */
import { pick, type Random, type Seed } from "./payloads.ts";

type Mutation = (bytes: Buffer, random: Random) => Buffer;

const at = (bytes: Buffer, random: Random): number => Math.floor(random() * (bytes.length + 1));
const splice = (bytes: Buffer, from: number, to: number, inserted: Uint8Array): Buffer =>
  Buffer.concat([bytes.subarray(0, from), inserted, bytes.subarray(to)]);
const randomBytes = (random: Random, count: number): Buffer =>
  Buffer.from(Array.from({ length: count }, () => Math.floor(random() * 256)));

const truncate: Mutation = (bytes, random) => bytes.subarray(0, at(bytes, random));

const flipBits: Mutation = (bytes, random) => {
  const copy = Buffer.from(bytes);
  for (let left = 1 + Math.floor(random() * 4); left > 0 && copy.length > 0; left -= 1) {
    const place = Math.floor(random() * copy.length);
    copy[place] = (copy[place] ?? 0) ^ (1 << Math.floor(random() * 8));
  }
  return copy;
};

const insertNoise: Mutation = (bytes, random) => {
  const place = at(bytes, random);
  return splice(bytes, place, place, randomBytes(random, 1 + Math.floor(random() * 8)));
};

const removeRange: Mutation = (bytes, random) => {
  const place = at(bytes, random);
  return splice(bytes, place, Math.min(bytes.length, place + 1 + Math.floor(random() * 12)), new Uint8Array());
};

const repeatRange: Mutation = (bytes, random) => {
  const place = at(bytes, random);
  const end = Math.min(bytes.length, place + Math.floor(random() * 64));
  return splice(bytes, end, end, bytes.subarray(place, end));
};

/** Invalid UTF-8 in place of something. */
const spoilText: Mutation = (bytes, random) => {
  const noise = pick(random, [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80], [0xe2, 0x82]]);
  const place = at(bytes, random);
  return splice(bytes, place, Math.min(bytes.length, place + noise.length), Buffer.from(noise));
};

/** A place where a field begins, with all fields around it: found by walking what looks like messages. */
function findFields(bytes: Buffer, start: number, end: number, found: number[] = []): number[] {
  for (let place = start; place < end; ) {
    const wire = (bytes[place] ?? 0) & 7;
    found.push(place);
    const body = place + ((bytes[place] ?? 0) < 128 ? 1 : 2);
    if (wire === 1) place = body + 8;
    else if (wire === 5) place = body + 4;
    else if (wire === 0) {
      place = body;
      while ((bytes[place] ?? 0) >= 128) place += 1;
      place += 1;
    } else if (wire === 2) {
      const isLong = (bytes[body] ?? 0) >= 128;
      const length = isLong ? ((bytes[body] ?? 0) & 127) + ((bytes[body + 1] ?? 0) << 7) : (bytes[body] ?? 0);
      const inner = body + (isLong ? 2 : 1);
      if (length > 0 && inner + length <= end && found.length < 400) findFields(bytes, inner, inner + length, found);
      place = inner + length;
    } else return found;
  }
  return found;
}

const changeWireType: Mutation = (bytes, random) => {
  const copy = Buffer.from(bytes);
  const place = pick(random, [0, ...findFields(bytes, 0, bytes.length)]);
  copy[place] = ((copy[place] ?? 0) & 0xf8) | Math.floor(random() * 8);
  return copy;
};

const changeField: Mutation = (bytes, random) => {
  const copy = Buffer.from(bytes);
  copy[pick(random, [0, ...findFields(bytes, 0, bytes.length)])] = Math.floor(random() * 128);
  return copy;
};

const HUGE = [
  [0xff, 0xff, 0xff, 0xff, 0x07],
  [0xff, 0xff, 0xff, 0xff, 0x0f],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
  Array(9).fill(0xff).concat(1),
  Array(12).fill(0xff),
];
/** A length or count far beyond what follows. */
const declareHuge: Mutation = (bytes, random) => {
  const place = pick(random, [0, ...findFields(bytes, 0, bytes.length)]) + 1;
  return splice(bytes, place, place + 1, Buffer.from(pick(random, HUGE)));
};

const appendUnknown: Mutation = (bytes, random) =>
  Buffer.concat([
    bytes,
    Buffer.from(
      pick(random, [
        [0xa2, 0x06, 2, 65, 66],
        [0xa0, 0x06, 5],
        [0xa5, 0x06, 1, 2, 3, 4],
        [0xa3, 0x06, 0xa4, 0x06],
      ]),
    ),
  ]);

/** Messages in messages: each level is a field of that tag. */
function nest(tag: number, levels: number): Buffer {
  let inner: Buffer = Buffer.alloc(0);
  for (let level = 0; level < levels; level += 1)
    inner = Buffer.concat([Buffer.from([tag, ...varint(inner.length)]), inner]);
  return inner;
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(Math.floor(value / 128))];
}

const wrap = (tag: number, inner: Buffer): Buffer =>
  Buffer.concat([Buffer.from([tag, ...varint(inner.length)]), inner]);

/** A span, or whatever field 2 of field 2 is, with values nested so deep. */
const nestDeep: Mutation = (bytes, random) => {
  const levels = random() < 0.01 ? 2000 : pick(random, [10, 31, 32, 33, 64]);
  // Each pair of levels is an ArrayValue in an AnyValue, or a KeyValueList whose pairs hold values.
  const tag = pick(random, [0x2a, 0x0a, 0x12, 0x32]);
  const value = tag === 0x2a ? nestArrays(levels) : nest(tag, levels);
  const attribute = wrap(0x4a, Buffer.concat([Buffer.from([0x0a, 1, 97]), wrap(0x12, value)]));
  return Buffer.concat([bytes, wrap(0x0a, wrap(0x12, wrap(0x12, attribute)))]);
};

function nestArrays(levels: number): Buffer {
  let value: Buffer = Buffer.from([0x18, 1]);
  for (let level = 0; level < levels; level += 1) value = wrap(0x2a, wrap(0x0a, value));
  return value;
}

const noise: Mutation = (_bytes, random) => randomBytes(random, Math.floor(random() * 200));
const empty: Mutation = () => Buffer.alloc(0);
const keep: Mutation = (bytes) => bytes;

const BINARY: Record<string, Mutation> = {
  truncate,
  flipBits,
  insertNoise,
  removeRange,
  repeatRange,
  spoilText,
  changeWireType,
  changeField,
  declareHuge,
  appendUnknown,
  nestDeep,
  noise,
  empty,
  keep,
};

const JUNK = [
  "null",
  "0",
  "-1",
  "1.5",
  "1e400",
  '"x"',
  '""',
  "true",
  "[]",
  "{}",
  "[[]]",
  "[null]",
  '{"a":1}',
  "18446744073709551616",
  '"9223372036854775808"',
  '"\\ud800"',
  '"0"',
  "12345678901234567890",
  '"00000000000000000000000000000000"',
  '"0000000000000000"',
  "-0",
  '"NaN"',
  '"SPAN_KIND_SERVER"',
];

/** Another value in place of one that is there. */
const replaceValue: Mutation = (bytes, random) => {
  const text = bytes.toString();
  const values = [...text.matchAll(/(?<=[:[,])("(\\.|[^"\\])*"|-?\d[\d.eE+-]*|true|false|null|\[\]|\{\})(?=[,\]}])/g)];
  if (values.length === 0) return bytes;
  const { 0: old, index } = pick(random, values);
  return Buffer.from(text.slice(0, index) + pick(random, JUNK) + text.slice(index + old.length));
};

const renameMember: Mutation = (bytes, random) => {
  const text = bytes.toString();
  const names = [...text.matchAll(/"(\w+)"(?=:)/g)];
  if (names.length === 0) return bytes;
  const { 0: old, 1: name = "", index } = pick(random, names);
  const renamed = pick(random, [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    "unknown",
    name.toUpperCase(),
    "__proto__",
    pick(random, names)[1] ?? "",
  ]);
  return Buffer.from(`${text.slice(0, index)}"${renamed}"${text.slice(index + old.length)}`);
};

const nestJson: Mutation = (bytes, random) => {
  const depth = random() < 0.005 ? 100_000 : pick(random, [10, 31, 33, 40, 200]);
  const [open, close] = pick(random, [
    ["[", "]"],
    ['{"a":', "}"],
    ['{"arrayValue":{"values":[', "]}}"],
    ['{"kvlistValue":{"values":[{"key":"k","value":', "}]}}"],
  ]);
  const inner =
    (open ?? "").repeat(depth) + (open === '{"a":' || open?.endsWith(":") ? "{}" : "") + (close ?? "").repeat(depth);
  const text = bytes.toString();
  const place = text.lastIndexOf('"value":');
  return Buffer.from(place < 0 ? inner : `${text.slice(0, place)}"value":${inner},"was":${text.slice(place + 8)}`);
};

const JSON_ONLY: Record<string, Mutation> = { replaceValue, replaceAgain: replaceValue, renameMember, nestJson };
const OF_BYTES: Record<string, Mutation> = {
  truncate,
  flipBits,
  insertNoise,
  removeRange,
  repeatRange,
  spoilText,
  noise,
  empty,
  keep,
};

export type Mutated = { body: Buffer; how: string };

export const mutateProtobuf = (seed: Seed, random: Random): Mutated => mutate(seed.protobuf, BINARY, random);
export const mutateJson = (seed: Seed, random: Random): Mutated =>
  mutate(Buffer.from(seed.json), random() < 0.6 ? JSON_ONLY : OF_BYTES, random);

function mutate(bytes: Buffer, mutations: Record<string, Mutation>, random: Random): Mutated {
  const [name, mutation] = pick(random, Object.entries(mutations));
  const once = mutation(bytes, random);
  // Now and then a second one on top.
  if (random() > 0.15) return { body: once, how: name };
  const [second, again] = pick(random, Object.entries(mutations));
  return { body: again(once, random), how: `${name}, ${second}` };
}
