/** Why spend moved: price, volume and mix, which add up to the difference, and the meters that moved most. */
import type { SpendChangeAnswer } from "@centspan/model";
import { type Deviation, placeBar, widestOf } from "../chart/deviation.ts";
import { addDecimals, isZero, negate } from "../format/decimal-text.ts";
import { columnDecimals, formatDifference } from "../format/format-money.ts";

export type ChangePart = { id: "price" | "volume" | "mix"; amount: string; bar: Deviation };
export type ChangeRow = {
  key: string;
  model: string;
  meter: string;
  price: string;
  quantity: string;
  total: string;
  bar: Deviation;
};
export type SpendChange = {
  difference: string;
  parts: ChangePart[];
  rows: ChangeRow[];
  /** What the rows leave out; null where that is nothing. */
  others: (Omit<ChangeRow, "key" | "model" | "meter"> & { count: number }) | null;
  /** The rows and the others together. */
  price: string;
  quantity: string;
};

export function prepareChange(change: SpendChangeAnswer, most: number): SpendChange {
  const moved = change.data.filter(({ changeUsd }) => !isZero(changeUsd));
  const [shown, rest] = [moved.slice(0, most), moved.slice(most)];
  const sum = (of: readonly Cell[], pick: (cell: Cell) => string): string => addDecimals(of.map(pick));
  const parts = [
    { id: "price", usd: change.priceUsd },
    { id: "volume", usd: change.volumeUsd },
    { id: "mix", usd: change.mixUsd },
  ] as const;
  const decimals = columnDecimals([change.before.costUsd, change.after.costUsd]);
  const write = (usd: string): string => formatDifference(usd, decimals);
  const restUsd = sum(rest, ({ changeUsd }) => changeUsd);
  const widest = widestOf([...shown.map(({ changeUsd }) => changeUsd), restUsd]);
  const widestPart = widestOf(parts.map(({ usd }) => usd));
  const toRow = (cell: Omit<Cell, "model" | "meter">) => ({
    price: write(cell.priceUsd),
    quantity: write(cell.quantityUsd),
    total: write(cell.changeUsd),
    bar: placeBar(cell.changeUsd, widest),
  });
  return {
    difference: write(change.changeUsd),
    parts: parts.map(({ id, usd }) => ({ id, amount: write(usd), bar: placeBar(usd, widestPart) })),
    rows: shown.map((cell) => ({
      key: `${cell.model} ${cell.meter}`,
      model: cell.model,
      meter: cell.meter,
      ...toRow(cell),
    })),
    others:
      rest.length === 0
        ? null
        : {
            count: rest.length,
            ...toRow({
              changeUsd: restUsd,
              priceUsd: sum(rest, ({ priceUsd }) => priceUsd),
              quantityUsd: sum(rest, ({ quantityUsd }) => quantityUsd),
            }),
          },
    price: write(change.priceUsd),
    quantity: write(addDecimals([change.changeUsd, negate(change.priceUsd)])),
  };
}

type Cell = SpendChangeAnswer["data"][number];
