/**
 * Revisions order the versions of a replaceable row. They follow the clock, so that writers in several processes agree,
 * and always rise past what is stored, so that a clock that is behind loses nothing.
 */
export type Revisions = {
  next(stored: Iterable<bigint>): bigint;
  /** What time it is: a revision may be far past it, where one clock once was. */
  nowNs(): bigint;
};

export function createRevisions(nowNs: () => bigint = () => BigInt(Date.now()) * 1_000_000n): Revisions {
  let last = 0n;
  return {
    nowNs,
    next(stored) {
      for (const revision of stored) if (revision > last) last = revision;
      const now = nowNs();
      last = now > last ? now : last + 1n;
      return last;
    },
  };
}
