/**
 * A skeleton on the wire: some twenty bytes a span where JSON takes four hundred. A length, a header in JSON with what few
 * spans have, their ids, and four columns of numbers of as many bytes as they need: face, parent, start since the start of
 * the span before, duration. Reading what was written gives the same back; what is cut or of another kind is an error.
 */
import { z } from "zod";
import { money } from "./row-values.ts";
import { markMissing, NO_PARENT, readMissing, type TraceSkeleton } from "./trace-skeleton.ts";

export const SKELETON_TYPE = "application/vnd.centspan.skeleton";

const number = z.int().nonnegative();
const headerSchema = z.strictObject({
  version: z.literal(1),
  spans: number,
  traceId: z.string(),
  startNs: z.string().regex(/^-?\d+$/),
  faces: z.array(
    z.strictObject({
      name: z.string(),
      service: z.string(),
      layer: z.string(),
      host: z.string(),
      status: z.string(),
    }),
  ),
  missing: z.array(z.string()),
  links: z.array(z.tuple([number, number])),
  turns: z.array(z.tuple([number, z.string()])),
  costUsd: z.array(z.tuple([number, money])),
  wasteUsd: z.array(z.tuple([number, money])),
  wasted: z.array(number),
  conflicts: z.array(number),
  elsewhereUsd: money.nullable(),
});

const ID_BYTES = 8;
const LENGTH_BYTES = 4;

export function encodeSkeleton(skeleton: TraceSkeleton): Uint8Array<ArrayBuffer> {
  const { face, ids, parents, startsNs, durationsNs } = skeleton;
  const header: z.input<typeof headerSchema> = {
    version: 1,
    spans: face.length,
    traceId: skeleton.traceId,
    startNs: skeleton.startNs.toString(),
    faces: [...skeleton.faces],
    missing: [...skeleton.missing],
    links: [...skeleton.links],
    turns: [...skeleton.turns],
    costUsd: [...skeleton.costUsd],
    wasteUsd: [...skeleton.wasteUsd],
    wasted: [...skeleton.wasted],
    conflicts: [...skeleton.conflicts],
    elsewhereUsd: skeleton.elsewhereUsd,
  };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const writer = createWriter(LENGTH_BYTES + text.length + ids.length + face.length * 12);
  writer.bytes(Uint8Array.of(text.length, text.length >>> 8, text.length >>> 16, text.length >>> 24));
  writer.bytes(text);
  writer.bytes(ids);
  for (const place of face) writer.count(place);
  for (const [own, parent] of parents.entries()) writer.count(writeParent(own, parent));
  let before = 0n;
  for (const at of startsNs) {
    writer.signed(at - before);
    before = at;
  }
  for (const duration of durationsNs) writer.signed(duration);
  return writer.end();
}

/** Zero of a root, odd of a parent that is missing, even of one that is so many spans before or after. */
function writeParent(own: number, parent: number): number {
  if (parent === NO_PARENT) return 0;
  const place = readMissing(parent);
  if (place >= 0) return place * 2 + 1;
  const before = own - parent;
  return 2 + (before >= 0 ? before * 4 : -before * 4 + 2);
}

function readParent(own: number, written: number): number {
  if (written === 0) return NO_PARENT;
  if (written % 2 === 1) return markMissing((written - 1) / 2);
  const distance = Math.floor((written - 2) / 4);
  return (written - 2) % 4 === 0 ? own - distance : own + distance;
}

export function decodeSkeleton(body: Uint8Array): TraceSkeleton {
  if (body.length < LENGTH_BYTES) throw new RangeError("a skeleton is cut off in its length");
  const length = new DataView(body.buffer, body.byteOffset, LENGTH_BYTES).getUint32(0, true);
  const text = body.subarray(LENGTH_BYTES, LENGTH_BYTES + length);
  const { spans, version: _version, ...header } = headerSchema.parse(JSON.parse(new TextDecoder().decode(text)));
  const idsAt = LENGTH_BYTES + length;
  const numbersAt = idsAt + spans * ID_BYTES;
  const reader = createReader(body, numbersAt);
  const face = Uint32Array.from({ length: spans }, () => reader.count());
  const parents = Int32Array.from({ length: spans }, (_, own) => readParent(own, reader.count()));
  let at = 0n;
  const startsNs = BigInt64Array.from({ length: spans }, () => {
    at += reader.signed();
    return at;
  });
  const durationsNs = BigInt64Array.from({ length: spans }, () => reader.signed());
  if (!reader.isAtEnd()) throw new RangeError("a skeleton has more than its spans");
  if (face.some((place) => place >= header.faces.length)) throw new RangeError("a span of a skeleton has no face");
  return {
    ...header,
    startNs: BigInt(header.startNs),
    face,
    ids: body.subarray(idsAt, numbersAt),
    parents,
    startsNs,
    durationsNs,
    links: new Map(header.links),
    turns: new Map(header.turns),
    costUsd: new Map(header.costUsd),
    wasteUsd: new Map(header.wasteUsd),
  };
}

/** Seven bits a byte, the lowest first; the eighth says that more follow. */
function createWriter(expectedBytes: number) {
  let buffer = new Uint8Array(expectedBytes);
  let at = 0;
  const reserve = (bytes: number): void => {
    if (at + bytes <= buffer.length) return;
    const larger = new Uint8Array(Math.max(buffer.length * 2, at + bytes));
    larger.set(buffer);
    buffer = larger;
  };
  const count = (value: number): void => {
    reserve(8);
    let left = value;
    for (; left > 0x7f; left = Math.floor(left / 0x80)) buffer[at++] = (left % 0x80) | 0x80;
    buffer[at++] = left;
  };
  const big = (value: bigint): void => {
    reserve(10);
    let left = value;
    for (; left > 0x7fn; left >>= 7n) buffer[at++] = Number(left & 0x7fn) | 0x80;
    buffer[at++] = Number(left);
  };
  return {
    bytes(bytes: Uint8Array) {
      reserve(bytes.length);
      buffer.set(bytes, at);
      at += bytes.length;
    },
    count,
    /** The sign in the lowest bit. */
    signed(value: bigint) {
      const folded = value < 0n ? -value * 2n - 1n : value * 2n;
      if (folded <= Number.MAX_SAFE_INTEGER) count(Number(folded));
      else big(folded);
    },
    end: () => buffer.slice(0, at),
  };
}

/** As many bytes as an exact number has room for. */
const EXACT_BYTES = 7;

function createReader(body: Uint8Array, start: number) {
  let at = start;
  const next = (): number => {
    const byte = body[at];
    if (byte === undefined) throw new RangeError("a skeleton is cut off");
    at += 1;
    return byte;
  };
  const read = (): number | bigint => {
    let value = 0;
    let unit = 1;
    for (let bytes = 0; bytes < EXACT_BYTES; bytes += 1) {
      const byte = next();
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) return value;
      unit *= 0x80;
    }
    let large = BigInt(value);
    for (let shift = BigInt(EXACT_BYTES * 7); ; shift += 7n) {
      const byte = next();
      large |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return large;
    }
  };
  return {
    count: () => Number(read()),
    signed(): bigint {
      const folded = read();
      if (typeof folded === "number") return BigInt(folded % 2 === 1 ? -(folded + 1) / 2 : folded / 2);
      return folded % 2n === 1n ? -(folded + 1n) / 2n : folded / 2n;
    },
    isAtEnd: () => at === body.length,
  };
}
