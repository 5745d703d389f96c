/** Builds invented spans for tests: times in milliseconds from a fixed start, ids as short words. */
import { buildSkeleton, type SpanRow, type TraceSkeleton } from "@centspan/model";

const START_NS = 1_795_000_000_000_000_000n;
export const TRACE_ID = "a".repeat(32);

export const toInstant = (offsetNs: bigint): string => {
  const at = START_NS + offsetNs;
  const seconds = new Date(Number(at / 1_000_000n)).toISOString().slice(0, 19);
  return `${seconds}.${(at % 1_000_000_000n).toString().padStart(9, "0")}Z`;
};

export type SpanInput = Partial<SpanRow> & { spanId: string; parent?: string; fromMs?: number; toMs?: number };

export function makeSpan({ parent, fromMs = 0, toMs = 10, ...rest }: SpanInput): SpanRow {
  return {
    traceId: TRACE_ID,
    parentSpanId: parent ?? "",
    name: "work",
    service: "test",
    layer: "harness",
    startedAt: toInstant(BigInt(Math.round(fromMs * 1e6))),
    durationNs: BigInt(Math.round((toMs - fromMs) * 1e6)).toString(),
    status: "ok",
    facts: {},
    linked: false,
    links: [],
    costUsd: null,
    ...rest,
  };
}

/** A word as the sixteen digits of a span id, and back. */
export function toId(word: string): string {
  if (word === "") return "";
  let id = "";
  for (const character of word) id += character.charCodeAt(0).toString(16);
  return id.padStart(16, "20").slice(-16);
}

export const toWord = (id: string): string =>
  new TextDecoder().decode(Uint8Array.from(id.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))).trim();

/** What a store knows of a span besides what `makeSpan` has. */
export type StoredSpan = {
  word: string;
  parent?: string;
  name?: string;
  layer?: string;
  host?: string;
  status?: string;
  fromNs?: bigint;
  toNs?: bigint;
  links?: number;
  turn?: string;
  costUsd?: string;
  wasteUsd?: string;
};

/** In the order that the store gives: by start, then by end, then by id. */
export function makeSkeleton(stored: readonly StoredSpan[], conflicts: readonly string[] = []): TraceSkeleton {
  const spans = stored
    .map((span) => ({
      ...span,
      id: toId(span.word),
      from: span.fromNs ?? 0n,
      to: span.toNs ?? (span.fromNs ?? 0n) + 10n,
    }))
    .sort((a, b) => compare(a.from, b.from) || compare(a.to, b.to) || compare(a.id, b.id));
  const known = <T>(pick: (span: (typeof spans)[number]) => T | undefined): Map<string, T> =>
    new Map(
      spans.flatMap((span): [string, T][] => {
        const value = pick(span);
        return value === undefined ? [] : [[span.id, value]];
      }),
    );
  return buildSkeleton(
    TRACE_ID,
    {
      spanIds: spans.map(({ id }) => id),
      parentSpanIds: spans.map(({ parent }) => toId(parent ?? "")),
      names: spans.map(({ name }) => name ?? "work"),
      services: spans.map(() => "test"),
      layers: spans.map(({ layer }) => layer ?? "harness"),
      hosts: spans.map(({ host }) => host ?? ""),
      statuses: spans.map(({ status }) => status ?? "ok"),
      startedNs: spans.map(({ from }) => START_NS + from),
      endedNs: spans.map(({ to }) => START_NS + to),
    },
    {
      links: known(({ links }) => links),
      turns: known(({ turn }) => turn),
      costUsd: known(({ costUsd }) => costUsd),
      wasteUsd: known(({ wasteUsd }) => wasteUsd),
      wasted: spans.filter(({ wasteUsd }) => wasteUsd !== undefined).map(({ id }) => id),
      conflicts: conflicts.map(toId),
      elsewhereUsd: null,
    },
  );
}

const compare = <T>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);
