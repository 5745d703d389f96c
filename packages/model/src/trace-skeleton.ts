/**
 * A trace as columns: what a waterfall of a hundred thousand rows needs of its spans, without an object for each and
 * without attributes, which are read with the span itself. Spans are numbers, in order of start, then of end, then of id.
 * How it crosses the wire: skeleton-codec.ts.
 */

/** What many spans have in common. */
export type SkeletonFace = { name: string; service: string; layer: string; host: string; status: string };

export type TraceSkeleton = {
  traceId: string;
  /** When the first span starts, in nanoseconds since 1970. */
  startNs: bigint;
  faces: readonly SkeletonFace[];
  face: Uint32Array;
  /** Eight bytes a span. */
  ids: Uint8Array;
  /** The parent's number; NO_PARENT; or, of one that has not arrived, the place in `missing` as `markMissing` writes it. */
  parents: Int32Array;
  missing: readonly string[];
  /** Nanoseconds from `startNs`. */
  startsNs: BigInt64Array;
  /** Below zero where a span ends before it starts. */
  durationsNs: BigInt64Array;
  /** By number, of the few that have one: links to other spans, the number of an agent's turn. */
  links: ReadonlyMap<number, number>;
  turns: ReadonlyMap<number, string>;
  /** What the distinct calls at and below a span cost, and what of that was paid for twice. */
  costUsd: ReadonlyMap<number, string>;
  wasteUsd: ReadonlyMap<number, string>;
  /** Where something was paid for twice. */
  wasted: readonly number[];
  /** Arrived twice with different content. */
  conflicts: readonly number[];
  /** The same of calls whose span has not arrived; null where there are none. */
  elsewhereUsd: string | null;
};

export const NO_PARENT = -1;
const FIRST_MISSING = -2;
export const markMissing = (place: number): number => FIRST_MISSING - place;
/** The place in `missing`; -1 of a parent that is there, or none. */
export const readMissing = (parent: number): number => (parent <= FIRST_MISSING ? FIRST_MISSING - parent : -1);

/** Columns of one length, in the order of a skeleton. */
export type SpanColumns = {
  spanIds: readonly string[];
  parentSpanIds: readonly string[];
  names: readonly string[];
  services: readonly string[];
  layers: readonly string[];
  hosts: readonly string[];
  statuses: readonly string[];
  startedNs: readonly bigint[];
  endedNs: readonly bigint[];
};

/** What is known of some spans, by id. Of spans that are not there it says nothing. */
export type SpanMarks = {
  links: ReadonlyMap<string, number>;
  turns: ReadonlyMap<string, string>;
  costUsd: ReadonlyMap<string, string>;
  wasteUsd: ReadonlyMap<string, string>;
  wasted: readonly string[];
  conflicts: readonly string[];
  elsewhereUsd: string | null;
};

/** Of two spans under one id children belong to the first. */
export function buildSkeleton(traceId: string, columns: SpanColumns, marks: SpanMarks): TraceSkeleton {
  const { spanIds, startedNs, endedNs } = columns;
  const startNs = startedNs[0] ?? 0n;
  const numberOf = new Map<string, number>();
  const repeated: number[] = [];
  for (const [number, id] of spanIds.entries()) {
    if (numberOf.has(id)) repeated.push(number);
    else numberOf.set(id, number);
  }
  const byNumber = <T>(known: ReadonlyMap<string, T>): Map<number, T> =>
    new Map([...known].flatMap(([id, value]) => pair(numberOf.get(id), value)));
  return {
    traceId,
    startNs,
    ...buildFaces(columns),
    ids: writeIds(spanIds),
    ...findParents(columns, numberOf),
    startsNs: BigInt64Array.from(startedNs, (at) => at - startNs),
    durationsNs: BigInt64Array.from(endedNs, (at, number) => at - (startedNs[number] ?? at)),
    links: byNumber(marks.links),
    turns: byNumber(marks.turns),
    costUsd: byNumber(marks.costUsd),
    wasteUsd: byNumber(marks.wasteUsd),
    wasted: marks.wasted.flatMap((id) => numberOf.get(id) ?? []),
    conflicts: [...marks.conflicts.flatMap((id) => numberOf.get(id) ?? []), ...repeated],
    elsewhereUsd: marks.elsewhereUsd,
  };
}

const pair = <T>(number: number | undefined, value: T): [number, T][] =>
  number === undefined ? [] : [[number, value]];

function buildFaces(columns: SpanColumns): Pick<TraceSkeleton, "faces" | "face"> {
  const { names, services, layers, hosts, statuses } = columns;
  const faces: SkeletonFace[] = [];
  const placeOf = new Map<string, number>();
  const face = Uint32Array.from(names, (name, number) => {
    const [service = "", layer = "", host = ""] = [services[number], layers[number], hosts[number]];
    const status = statuses[number] ?? "";
    const key = `${name}\n${service}\n${layer}\n${host}\n${status}`;
    const place = placeOf.get(key) ?? faces.length;
    if (place === faces.length) {
      placeOf.set(key, place);
      faces.push({ name, service, layer, host, status });
    }
    return place;
  });
  return { faces, face };
}

function findParents(
  { parentSpanIds }: SpanColumns,
  numberOf: ReadonlyMap<string, number>,
): Pick<TraceSkeleton, "parents" | "missing"> {
  const missing = new Map<string, number>();
  const parents = Int32Array.from(parentSpanIds, (id) => {
    if (id === "") return NO_PARENT;
    const number = numberOf.get(id);
    if (number !== undefined) return number;
    const place = missing.get(id) ?? missing.size;
    missing.set(id, place);
    return markMissing(place);
  });
  return { parents, missing: [...missing.keys()] };
}

const ID_BYTES = 8;

function writeIds(spanIds: readonly string[]): Uint8Array {
  const ids = new Uint8Array(spanIds.length * ID_BYTES);
  for (const [number, id] of spanIds.entries()) {
    for (let at = 0; at < ID_BYTES; at += 1) {
      ids[number * ID_BYTES + at] = readDigit(id, at * 2) * 16 + readDigit(id, at * 2 + 1);
    }
  }
  return ids;
}

/** Of digits and lower-case letters, which is how ids are stored. */
function readDigit(id: string, at: number): number {
  const code = id.charCodeAt(at);
  return code <= CODE_OF_9 ? code - CODE_OF_0 : code - CODE_OF_A + 10;
}
const [CODE_OF_0, CODE_OF_9, CODE_OF_A] = [0x30, 0x39, 0x61];

/** The id of a span as it is written everywhere: sixteen hexadecimal digits. */
export function readSpanId({ ids }: TraceSkeleton, number: number): string {
  let id = "";
  for (const byte of ids.subarray(number * ID_BYTES, (number + 1) * ID_BYTES)) id += byte.toString(16).padStart(2, "0");
  return id;
}

/** The number of a span; -1 where it is not there. Looks at every one: for a few ids, not for all. */
export function findSpan({ ids }: TraceSkeleton, spanId: string): number {
  if (!/^[0-9a-f]{16}$/.test(spanId)) return -1;
  const wanted = writeIds([spanId]);
  for (let at = 0; at < ids.length; at += ID_BYTES) {
    let same = 0;
    while (same < ID_BYTES && ids[at + same] === wanted[same]) same += 1;
    if (same === ID_BYTES) return at / ID_BYTES;
  }
  return -1;
}
