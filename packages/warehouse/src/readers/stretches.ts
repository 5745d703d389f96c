/** Stretches of time, both ends included, within what the store can hold. */
import type { SpanRecord } from "@centspan/model";
import { limitInstant } from "../instants.ts";

export type Stretch = { fromNs: bigint; toNs: bigint };

export const widen = ({ fromNs, toNs }: Stretch, byNs: bigint): Stretch => ({
  fromNs: limitInstant(fromNs - byNs),
  toNs: limitInstant(toNs + byNs),
});

/** The least stretch that holds all of these; null of none. */
export function boundOf(stretches: Iterable<Stretch>): Stretch | null {
  let bound: Stretch | null = null;
  for (const { fromNs, toNs } of stretches) {
    bound ??= { fromNs, toNs };
    if (fromNs < bound.fromNs) bound.fromNs = fromNs;
    if (toNs > bound.toNs) bound.toNs = toNs;
  }
  return bound;
}

/** From the first start to the last end; a span that was never finished ends where it starts. */
export function extentOf(spans: readonly SpanRecord[]): Stretch | null {
  const [first] = spans;
  if (first === undefined) return null;
  let [fromNs, toNs] = [first.startedAtNs, first.startedAtNs];
  for (const { startedAtNs, endedAtNs } of spans) {
    if (startedAtNs < fromNs) fromNs = startedAtNs;
    if (startedAtNs > toNs) toNs = startedAtNs;
    if (endedAtNs > toNs) toNs = endedAtNs;
  }
  return { fromNs, toNs };
}

export const isWithin = ({ fromNs, toNs }: Stretch, atNs: bigint): boolean => fromNs <= atNs && atNs <= toNs;
