/** The segments that hold what the store may not have yet, how many bytes of them wait, and the bound on that. */
import { CentspanError } from "@centspan/base";
import { isBefore, type Position } from "./checkpoint.ts";
import type { Segment } from "./frame-writer.ts";

export type Backlog = {
  /** In order. */
  readonly segments: readonly Segment[];
  readonly bytes: number;
  /** Bytes more at the end of a segment, which may be a new one. */
  add(segment: Segment, bytes: number): void;
  /** Throws `store_unavailable` where so many bytes more would be too many. A write into an empty backlog never is. */
  requireRoom(bytes: number): void;
  /** The store has everything before the position. False: that was known. */
  release(position: Position): boolean;
  /** Takes out the first segment if the store has all of it and it is not the one that is being written. */
  takeReleased(active: Segment | null): Segment | null;
};

type BacklogOptions = { segments: readonly Segment[]; released: Position; maxBytes: number };

const RETRY_AFTER_S = 5;

export function createBacklog({ maxBytes, ...found }: BacklogOptions): Backlog {
  const segments = [...found.segments];
  let { released } = found;
  const countBytes = (): number =>
    segments
      .filter(({ generation }) => generation >= released.generation)
      .reduce((sum, { generation, end }) => sum + end - (generation === released.generation ? released.offset : 0), 0);
  let bytes = countBytes();
  return {
    segments,
    get bytes() {
      return bytes;
    },
    add(segment, more) {
      if (segments.at(-1) !== segment) segments.push(segment);
      bytes += more;
    },
    requireRoom(more) {
      if (bytes < maxBytes && (bytes === 0 || bytes + more <= maxBytes)) return;
      throw new CentspanError(
        "store_unavailable",
        `${bytes} bytes of at most ${maxBytes} already wait for the warehouse`,
        {
          retryAfterS: RETRY_AFTER_S,
        },
      );
    },
    release(position) {
      if (!isBefore(released, position)) return false;
      released = position;
      bytes = countBytes();
      return true;
    },
    takeReleased(active) {
      const [first] = segments;
      if (first === undefined || first === active) return null;
      if (isBefore(released, { generation: first.generation, offset: first.end })) return null;
      segments.shift();
      return first;
    },
  };
}
