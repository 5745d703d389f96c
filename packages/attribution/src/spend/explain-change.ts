/**
 * Why spend differs between two periods: unit prices, how much was done, and what it was made of. Exact: the parts add up
 * to the difference to the last digit, because the mix is what the others leave.
 */
import { countToDecimal, type Decimal, quantiseLine, sumDecimals, ZERO } from "@centspan/base";
import type { Meter, MeterSpend } from "@centspan/model";

export type SpendPeriod = { calls: number; cells: readonly MeterSpend[] };

export type SpendChange = {
  changeUsd: Decimal;
  /** Calls became more or fewer, each costing what a call cost before. */
  volumeUsd: Decimal;
  /** Other models, more or fewer tokens a call, other kinds of tokens, at the prices of before. */
  mixUsd: Decimal;
  /** What was used after, at the prices of after instead of those of before. */
  priceUsd: Decimal;
  /** By model and meter, the largest difference first: what of it is price, and what is quantity. */
  cells: { model: string; meter: Meter; changeUsd: Decimal; priceUsd: Decimal; quantityUsd: Decimal }[];
};

/**
 * Laspeyres: quantities at the prices of before, prices at the quantities of after. A model or meter that was not there
 * before has no price of before, so all of its spend is mix. Without calls before, everything is volume.
 */
export function explainChange(before: SpendPeriod, after: SpendPeriod): SpendChange {
  const pairs = pairCells(before.cells, after.cells);
  const cells = pairs.map(({ was, is, ...name }) => {
    const changeUsd = is.costUsd.minus(was.costUsd);
    const priceUsd =
      was.quantity === 0n || is.quantity === 0n
        ? ZERO
        : is.costUsd.minus(scale(was.costUsd, is.quantity, was.quantity));
    return { ...name, changeUsd, priceUsd, quantityUsd: changeUsd.minus(priceUsd) };
  });
  cells.sort((a, b) => b.changeUsd.abs().cmp(a.changeUsd.abs()) || (nameOf(a) < nameOf(b) ? -1 : 1));

  const beforeUsd = sumDecimals(before.cells.map(({ costUsd }) => costUsd));
  const changeUsd = sumDecimals(cells.map((cell) => cell.changeUsd));
  const priceUsd = sumDecimals(cells.map((cell) => cell.priceUsd));
  const volumeUsd =
    before.calls === 0 ? changeUsd : scale(beforeUsd, BigInt(after.calls), BigInt(before.calls)).minus(beforeUsd);
  return {
    changeUsd,
    volumeUsd,
    mixUsd: changeUsd.minus(volumeUsd).minus(priceUsd),
    priceUsd,
    cells,
  };
}

const scale = (costUsd: Decimal, times: bigint, over: bigint): Decimal =>
  quantiseLine(costUsd.times(countToDecimal(times)).div(countToDecimal(over)));

const nameOf = ({ model, meter }: { model: string; meter: string }): string => JSON.stringify([model, meter]);

type Side = Pick<MeterSpend, "quantity" | "costUsd">;
type Pair = { model: string; meter: Meter; was: Side; is: Side };
const NOTHING: Side = { quantity: 0n, costUsd: ZERO };

function pairCells(before: readonly MeterSpend[], after: readonly MeterSpend[]): Pair[] {
  const pairs = new Map<string, Pair>();
  for (const cell of before) {
    pairs.set(nameOf(cell), { model: cell.model, meter: cell.meter, was: cell, is: NOTHING });
  }
  for (const cell of after) {
    const was = pairs.get(nameOf(cell))?.was ?? NOTHING;
    pairs.set(nameOf(cell), { model: cell.model, meter: cell.meter, was, is: cell });
  }
  return [...pairs.values()];
}
