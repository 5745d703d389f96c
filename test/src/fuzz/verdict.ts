/** What a request must be answered: the statuses that are right, and how many records may be reported as refused. */
export type Verdict = { statuses: readonly number[]; rejected: readonly [min: number, max: number] };

export const BAD_BODY: Verdict = { statuses: [400], rejected: [0, 0] };
/** Bytes of which the protocol does not say whether a reader must take them. */
export const EITHER: Verdict = { statuses: [200, 400], rejected: [0, Number.POSITIVE_INFINITY] };

/** A record that must be refused, or a frame that is broken. */
export class Bad extends Error {}
/** Something that a reader may take or refuse. */
export class Unsure extends Error {}

const MANY = 1000;

/** Counts refused records. */
export class Count {
  min = 0;
  max = 0;

  /** Judges one record: it is refused when `check` finds it bad. */
  record(check: () => void): void {
    try {
      check();
    } catch (thrown) {
      this.refuse(thrown);
    }
  }

  refuse(thrown: unknown): void {
    if (!(thrown instanceof Bad || thrown instanceof Unsure)) throw thrown;
    this.max += 1;
    if (thrown instanceof Bad) this.min += 1;
  }

  /** Something that may count as one record or as each of those inside. */
  refuseSome(thrown: unknown): void {
    this.refuse(thrown);
    this.max += MANY;
  }

  add({ min, max }: Count): void {
    this.min += min;
    this.max += max;
  }

  get verdict(): Verdict {
    return { statuses: [200], rejected: [this.min, this.max] };
  }
}

/** The verdict of `judge`, or of what it threw about the frame. */
export function judgeFrame(judge: (count: Count) => void): Verdict {
  const count = new Count();
  try {
    judge(count);
  } catch (thrown) {
    if (thrown instanceof Bad) return BAD_BODY;
    if (thrown instanceof Unsure) return EITHER;
    throw thrown;
  }
  return count.verdict;
}
