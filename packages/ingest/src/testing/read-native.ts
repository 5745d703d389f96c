/**
 * For tests only: a block in ClickHouse's Native format back to rows, in the plainest way and independent of the writer.
 * 64-bit integers and instants (nanoseconds) are bigint, maps are objects, tuples objects by the names of their members.
 */
import type { Block } from "@centspan/model";

export type NativeRow = Record<string, unknown>;

/** Reads `rows` values; `prefix` comes first, once for each column. */
type Codec = { prefix(input: Input): void; read(input: Input, rows: number): unknown[] };

class Input {
  readonly #bytes: Buffer;
  #at = 0;
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }
  get done(): boolean {
    return this.#at === this.#bytes.length;
  }
  take(count: number): Buffer {
    if (this.#at + count > this.#bytes.length) throw new Error("the block ends in the middle of a value");
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }
  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.take(1).readUInt8();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }
  count(): number {
    return Number(this.take(8).readBigUInt64LE());
  }
  text(): string {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(this.take(this.varint()));
  }
}

const times = <T>(count: number, read: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => read(i));

const plain = (bytes: number, read: (value: Buffer) => unknown): Codec => ({
  prefix: () => undefined,
  read: (input, rows) => times(rows, () => read(input.take(bytes))),
});

const SCALARS: Partial<Record<string, Codec>> = {
  String: { prefix: () => undefined, read: (input, rows) => times(rows, () => input.text()) },
  Bool: plain(1, (value) => value.readUInt8() === 1),
  UInt8: plain(1, (value) => value.readUInt8()),
  UInt32: plain(4, (value) => value.readUInt32LE()),
  Int32: plain(4, (value) => value.readInt32LE()),
  UInt64: plain(8, (value) => value.readBigUInt64LE()),
  Int64: plain(8, (value) => value.readBigInt64LE()),
  Float64: plain(8, (value) => value.readDoubleLE()),
};

const lowCardinality: Codec = {
  prefix(input) {
    if (input.count() !== 1) throw new Error("LowCardinality: unknown version");
  },
  read(input, rows) {
    if (rows === 0) return [];
    const flags = input.count();
    const dictionary = times(input.count(), () => input.text());
    if (dictionary[0] !== "" || new Set(dictionary).size !== dictionary.length)
      throw new Error("LowCardinality: dictionary");
    if ((flags & ~3) !== 0x600 || input.count() !== rows) throw new Error("LowCardinality: flags or rows");
    const width = 1 << (flags & 3);
    return times(rows, () => dictionary[input.take(width).readUIntLE(0, width)] ?? fail("LowCardinality: index"));
  },
};

const nullable = (inner: Codec): Codec => ({
  prefix: inner.prefix,
  read(input, rows) {
    const nulls = [...input.take(rows)];
    return inner.read(input, rows).map((value, i) => (nulls[i] === 1 ? null : value));
  },
});

const array = (inner: Codec): Codec => ({
  prefix: inner.prefix,
  read(input, rows) {
    const ends = times(rows, () => input.count());
    const items = inner.read(input, ends.at(-1) ?? 0);
    return ends.map((end, i) => items.slice(ends[i - 1] ?? 0, end));
  },
});

const tuple = (members: readonly (readonly [name: string, codec: Codec])[]): Codec => ({
  prefix(input) {
    for (const [, codec] of members) codec.prefix(input);
  },
  read(input, rows) {
    const columns = members.map(([name, codec]) => [name, codec.read(input, rows)] as const);
    return times(rows, (i) => Object.fromEntries(columns.map(([name, values]) => [name, values[i]])));
  },
});

function map(key: Codec, value: Codec): Codec {
  const { prefix, read } = array(
    tuple([
      ["key", key],
      ["value", value],
    ]),
  );
  return {
    prefix,
    read: (input, rows) =>
      read(input, rows).map((pairs) => {
        const entries = Array.isArray(pairs)
          ? pairs.map((pair): [string, unknown] => [String(pair.key), pair.value])
          : [];
        if (new Set(entries.map(([name]) => name)).size !== entries.length) fail("Map: a key comes twice");
        return Object.fromEntries(entries);
      }),
  };
}

function codecOf(type: string): Codec {
  const scalar = SCALARS[type];
  if (scalar) return scalar;
  const [, name, inner] = /^(\w+)\((.*)\)$/.exec(type) ?? fail(`type ${type}`);
  const parts = splitArguments(inner ?? "");
  switch (name) {
    case "DateTime64":
      return SCALARS.Int64 ?? fail(type);
    case "LowCardinality":
      return parts[0] === "String" ? lowCardinality : fail(type);
    case "Nullable":
      return nullable(codecOf(inner ?? ""));
    case "Array":
      return array(codecOf(inner ?? ""));
    case "Map":
      return map(codecOf(parts[0] ?? ""), codecOf(parts[1] ?? ""));
    case "Tuple":
      return tuple(parts.map((part) => [part.slice(0, part.indexOf(" ")), codecOf(part.slice(part.indexOf(" ") + 1))]));
    default:
      return fail(`type ${type}`);
  }
}

/** By the commas that stand in no parentheses. */
function splitArguments(text: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const character of text) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (character === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim());
}

function fail(problem: string): never {
  throw new Error(problem);
}

export async function readNative(block: Block): Promise<NativeRow[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of block.read()) chunks.push(chunk);
  const input = new Input(Buffer.concat(chunks));
  const rows: NativeRow[] = [];
  while (!input.done) {
    const columns = input.varint();
    const count = input.varint();
    const read = times(columns, () => {
      const name = input.text();
      const codec = codecOf(input.text());
      codec.prefix(input);
      return [name, codec.read(input, count)] as const;
    });
    rows.push(...times(count, (i) => Object.fromEntries(read.map(([name, values]) => [name, values[i]]))));
  }
  return rows;
}
