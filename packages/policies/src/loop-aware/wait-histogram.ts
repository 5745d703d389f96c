/**
 * How long a kind of thread, or of block, keeps one waiting, as counts over logarithmic bins; and what that says about one
 * that has waited for some time: when two in five will be back, and the best rate of return over any horizon, max over w
 * of P(return within w) ÷ E[time held, at most w] (the index of Gittins, "Bandit Processes and Dynamic Allocation
 * Indices", 1979). Waits that never ended count as infinite.
 */

const FIRST_BIN_S = 0.25;
const BINS_PER_DOUBLING = 10;
/** The best of a few that were tried on one public agent trace, where it ranks threads better than the index does. */
const RETURNED_SHARE = 0.4;
export const BINS = 19 * BINS_PER_DOUBLING;

export function binOf(waitS: number): number {
  if (waitS < FIRST_BIN_S) return 0;
  return Math.min(BINS - 1, 1 + Math.floor(Math.log2(waitS / FIRST_BIN_S) * BINS_PER_DOUBLING));
}

/** Where a bin begins, in seconds. */
export const binStartS = (bin: number): number => (bin === 0 ? 0 : FIRST_BIN_S * 2 ** ((bin - 1) / BINS_PER_DOUBLING));

export type WaitHistogram = {
  readonly samples: number;
  add(waitS: number): void;
  /** A wait has begun; until `end` says how long it was, it counts as endless. */
  begin(): void;
  end(waitS: number): void;
  /** Returns per second at best, of those that have waited so long; 0 when none ever came back from there. */
  index(waitedS: number): number;
  /** In how many seconds two in five of those that have waited so long are back; Infinity when fewer ever come. */
  leftS(waitedS: number): number;
};

export function createWaitHistogram(): WaitHistogram {
  const counts = new Float64Array(BINS);
  const sums = new Float64Array(BINS);
  const indices = new Float64Array(BINS);
  const returnsS = new Float64Array(BINS).fill(Number.POSITIVE_INFINITY);
  let samples = 0;
  let endless = 0;
  let evaluatedAt = 0;

  /** Histograms are evaluated anew with every tenth of samples; what changes less does not change a ranking. */
  const evaluate = (): void => {
    if (samples <= evaluatedAt * 1.1) return;
    evaluatedAt = samples;
    for (let age = 0; age < BINS; age += 1) {
      indices[age] = computeIndex(counts, sums, endless, age);
      returnsS[age] = findReturn(counts, endless, age);
    }
  };
  const count = (waitS: number): void => {
    const bin = binOf(waitS);
    counts[bin] = (counts[bin] ?? 0) + 1;
    sums[bin] = (sums[bin] ?? 0) + waitS;
  };
  const begin = (): void => {
    samples += 1;
    endless += 1;
  };
  return {
    get samples() {
      return samples;
    },
    add(waitS) {
      begin();
      if (waitS === Number.POSITIVE_INFINITY) return;
      endless -= 1;
      count(waitS);
    },
    begin,
    end(waitS) {
      endless -= 1;
      count(waitS);
    },
    index(waitedS) {
      evaluate();
      return indices[binOf(waitedS)] ?? 0;
    },
    leftS(waitedS) {
      evaluate();
      const bin = binOf(waitedS);
      const untilBinEndS = binStartS(bin + 1) - waitedS;
      return Math.max((returnsS[bin] ?? 0) - waitedS, untilBinEndS / 2);
    },
  };
}

/** When the share of those who are still away at the start of a bin has come back, evenly within bins. */
function findReturn(counts: Float64Array, endless: number, age: number): number {
  let away = endless;
  for (let bin = age; bin < BINS; bin += 1) away += counts[bin] ?? 0;
  let wanted = RETURNED_SHARE * away;
  for (let bin = age; bin < BINS && away > 0; bin += 1) {
    const count = counts[bin] ?? 0;
    if (count > 0 && count >= wanted) {
      return binStartS(bin) + ((binStartS(bin + 1) - binStartS(bin)) * wanted) / count;
    }
    wanted -= count;
  }
  return Number.POSITIVE_INFINITY;
}

/** `age` is a bin: those who are still away at its start. */
function computeIndex(counts: Float64Array, sums: Float64Array, endless: number, age: number): number {
  const ageS = binStartS(age);
  let away = endless;
  for (let bin = age; bin < BINS; bin += 1) away += counts[bin] ?? 0;
  let returned = 0;
  let heldS = 0;
  let best = 0;
  for (let bin = age; bin < BINS; bin += 1) {
    const count = counts[bin] ?? 0;
    if (count === 0) continue;
    returned += count;
    heldS += (sums[bin] ?? 0) - count * ageS;
    const horizonS = binStartS(bin + 1) - ageS;
    best = Math.max(best, returned / (heldS + (away - returned) * horizonS + 1e-9));
  }
  return best;
}
