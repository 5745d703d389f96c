/** What a call would have used instead, as a function of what is left of its counts. Nothing grows but what a cache reads or keeps. */
import type { Buckets } from "@centspan/model";

type Bucket = keyof Buckets;

/** Fresh tokens are the last of a prompt, cached ones the first. */
const FRESH_LAST: readonly Bucket[] = ["cacheWrite1h", "cacheWrite5m", "input"];
const FROM_FRONT: readonly Bucket[] = ["cacheRead", ...FRESH_LAST];
const FROM_BACK: readonly Bucket[] = [...FROM_FRONT].reverse();
const OUTPUT: readonly Bucket[] = ["outputText", "outputReasoning"];

/** So many tokens that were computed would have been read from the cache. */
export const readFromCache =
  (tokens: number) =>
  (left: Buckets): Buckets => {
    const { buckets, taken } = take(left, FRESH_LAST, tokens);
    return { ...buckets, cacheRead: buckets.cacheRead + taken };
  };

/** So many of its last tokens that were just computed would have been written to the cache as well. */
export const writeToCache =
  (tokens: number) =>
  (left: Buckets): Buckets => {
    const { buckets, taken } = take(left, ["input"], tokens);
    return { ...buckets, cacheWrite5m: buckets.cacheWrite5m + taken };
  };

/** What was written for five minutes would have been written for an hour. */
export const writeForAnHour = (left: Buckets): Buckets => ({
  ...left,
  cacheWrite5m: 0,
  cacheWrite1h: left.cacheWrite1h + left.cacheWrite5m,
});

/** So many tokens at the front of the prompt would not have been there. */
export const leaveOutFront =
  (tokens: number) =>
  (left: Buckets): Buckets =>
    take(left, FROM_FRONT, tokens).buckets;

/** So many at its end. */
export const leaveOutBack =
  (tokens: number) =>
  (left: Buckets): Buckets =>
    take(left, FROM_BACK, tokens).buckets;

export const leaveOutPrompt = leaveOutFront(Number.POSITIVE_INFINITY);

export const leaveOutAnswer = (left: Buckets): Buckets => take(left, OUTPUT, Number.POSITIVE_INFINITY).buckets;

export const leaveOutAll = (left: Buckets): Buckets => ({ ...leaveOutAnswer(leaveOutPrompt(left)), webSearches: 0 });

function take(left: Buckets, from: readonly Bucket[], tokens: number): { buckets: Buckets; taken: number } {
  const buckets = { ...left };
  let wanted = tokens;
  let taken = 0;
  for (const bucket of from) {
    const part = Math.min(buckets[bucket], wanted);
    buckets[bucket] -= part;
    wanted -= part;
    taken += part;
  }
  return { buckets, taken };
}
