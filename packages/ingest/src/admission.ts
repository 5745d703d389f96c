/**
 * What became of a body's records: how many were taken, how many refused, and why. Shared by the JSON transcoder and
 * the block builders, so that a sender reads one kind of sentence whichever way its data came.
 * Invariants: a bad record refuses itself and never its neighbours (BadValue, counted by a tally); a body whose frame is
 * broken is refused whole (BadBody). The codes are few and fixed, because they are labels of a metric.
 */

export const REJECTION_CODES = [
  /** An id of the wrong length, not hexadecimal, or all zero where one is needed. */
  "invalid_id",
  /** An instant that 64 signed bits of nanoseconds can't hold. */
  "invalid_time",
  /** Text that is not Unicode: bytes that are not UTF-8, half a surrogate pair. */
  "invalid_text",
  /** A value of another type, or outside the range of its own. */
  "invalid_value",
  /** Attribute values nested without end. */
  "too_deep",
  /** Protobuf that breaks off inside the record, or is that of another message. */
  "malformed",
] as const;
export type RejectionCode = (typeof REJECTION_CODES)[number];

/** `message` names the field, what is wrong with it and what it must be. */
export type Rejection = { code: RejectionCode; message: string };

export type Admission = {
  accepted: number;
  rejected: number;
  /** `rejected` by code. */
  rejectedBy: Readonly<Partial<Record<RejectionCode, number>>>;
  /** The first ten different ones. */
  reasons: readonly Rejection[];
};

/** The whole body is refused (HTTP 400, gRPC INVALID_ARGUMENT). */
export class BadBody extends Error {
  readonly path: string;
  constructor(path: string, problem: string) {
    super(joinSentence(path, problem));
    this.name = "BadBody";
    this.path = path;
  }
}

/** The rows of a block have become too many, or too large together. */
export class BlockFull extends Error {}

/** A value that can't be taken; `path` names it relative to what was being read. */
export class BadValue extends Error {
  readonly code: RejectionCode;
  readonly path: string;
  constructor(code: RejectionCode, problem: string, path = "") {
    super(problem);
    this.name = "BadValue";
    this.code = code;
    this.path = path;
  }

  get rejection(): Rejection {
    return { code: this.code, message: joinSentence(this.path, this.message) };
  }
}

const joinSentence = (path: string, problem: string): string => (path === "" ? problem : `${path}: ${problem}`);

/** For catch blocks on the way out: what was thrown, its path seen from one level further out. */
export function seenFrom(segment: string, thrown: unknown): unknown {
  if (!(thrown instanceof BadValue) || segment === "") return thrown;
  const dot = thrown.path === "" || thrown.path.startsWith("[") ? "" : ".";
  return new BadValue(thrown.code, thrown.message, `${segment}${dot}${thrown.path}`);
}

const MAX_REASONS = 10;

/** Counts refusals; a problem that refuses many records (a resource that can't be read) is told once. */
export type Tally = {
  readonly rejected: number;
  refuse(problem: BadValue): void;
  admit(accepted: number): Admission;
};

export function createTally(): Tally {
  const rejectedBy: Partial<Record<RejectionCode, number>> = {};
  const reasons: Rejection[] = [];
  let rejected = 0;
  let latest: BadValue | undefined;
  return {
    get rejected() {
      return rejected;
    },
    refuse(problem) {
      rejected += 1;
      rejectedBy[problem.code] = (rejectedBy[problem.code] ?? 0) + 1;
      if (problem !== latest && reasons.length < MAX_REASONS) reasons.push(problem.rejection);
      latest = problem;
    },
    admit: (accepted) => ({ accepted, rejected, rejectedBy, reasons }),
  };
}

/** The sentence a sender reads when some of its records were refused; empty when none were. */
export function describeRejections({ rejected, reasons }: Pick<Admission, "rejected" | "reasons">): string {
  if (rejected === 0) return "";
  const more = rejected - reasons.length;
  return [...reasons.map(({ message }) => message), ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}
