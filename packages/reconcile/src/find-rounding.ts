/**
 * Which gaps are no more than rounding: within half of the file's last place a line, and, because what is rounded lies on
 * both sides, together no further from zero than that many lines rounded by chance. A price that is a little too high is
 * within the one on every day, and not within the other. Of a gap that is larger, only that half counts among others, so
 * that one mistake does not make its neighbours look wrong.
 */
import { countToDecimal, type Decimal, sumDecimals, ZERO } from "@centspan/base";
import type { InvoiceLine } from "@centspan/model";
import { type Gap, groupBy } from "./match-lines.ts";

/** Of money a file says nothing beyond: the cheapest token costs more than one of the tenth. */
const MOST_DECIMALS = 9;
/** Bills have cents. */
const LEAST_DECIMALS = 2;
/** Five standard deviations of a sum of roundings, squared: each is evenly distributed, with a variance of a third of half a place, squared. */
const BOUND = countToDecimal(5 ** 2).div(countToDecimal(3));

/** Whose gaps are looked at together: a series, a price, a key or project, all of the file. */
const TOGETHER: readonly ((gap: Gap) => string)[] = [
  ({ series }) => series.name,
  ({ series: { terms } }) => JSON.stringify([terms.provider, terms.model, terms.meter]),
  ({ series: { terms } }) => JSON.stringify([terms.provider, terms.project, terms.key]),
  () => "",
];

export type Rounding = {
  /** As little as each line of them may be off by rounding. */
  little: ReadonlySet<Gap>;
  /** Of these, those that are not all to one side. */
  rounded: ReadonlySet<Gap>;
};

export function findRounding(gaps: readonly Gap[], lines: readonly InvoiceLine[]): Rounding {
  const half = readHalfPlace(lines);
  const little = new Set(gaps.filter((gap) => differenceOf(gap).abs().lte(mostOf(gap, half))));
  let likely = gaps;
  for (const nameOf of TOGETHER) {
    likely = [...groupBy(likely, nameOf).values()].filter((group) => isByChance(group, half)).flat();
  }
  return { little, rounded: new Set(likely.filter((gap) => little.has(gap))) };
}

/** Of the last place that the file has: as much as a line may be off by rounding. */
export function readHalfPlace(lines: readonly InvoiceLine[]): Decimal {
  const most = lines.reduce((sofar, { cost }) => Math.max(sofar, cost?.decimals ?? 0), LEAST_DECIMALS);
  return countToDecimal(1).div(countToDecimal(2 * 10 ** Math.min(most, MOST_DECIMALS)));
}

const differenceOf = ({ invoiced, rated }: Gap): Decimal => invoiced.value.minus(rated.value);
/** A line that is not there was rounded to nothing. */
const linesOf = ({ invoiced }: Gap): number => Math.max(1, invoiced.rows.length);
export const mostOf = (gap: Gap, half: Decimal): Decimal => half.times(countToDecimal(linesOf(gap)));

function isByChance(gaps: readonly Gap[], half: Decimal): boolean {
  const sum = sumDecimals(
    gaps.map((gap) => {
      const [difference, most] = [differenceOf(gap), mostOf(gap, half)];
      if (difference.abs().lte(most)) return difference;
      return difference.lt(ZERO) ? ZERO.minus(most) : most;
    }),
  );
  const lines = gaps.reduce((total, gap) => total + linesOf(gap), 0);
  return sum.times(sum).lte(half.times(half).times(BOUND).times(countToDecimal(lines)));
}
