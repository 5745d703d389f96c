/** Differences as bars: from the middle of a track, where there is none, to the right for more and to the left for less. */
import { toGeometry } from "../format/decimal-text.ts";

export type Deviation = { leftPct: number; widthPct: number };

export const widestOf = (amounts: readonly string[]): number =>
  Math.max(0, ...amounts.map((usd) => Math.abs(toGeometry(usd))));

export function placeBar(usd: string, widest: number): Deviation {
  const widthPct = widest === 0 ? 0 : (50 * Math.abs(toGeometry(usd))) / widest;
  return { leftPct: toGeometry(usd) < 0 ? 50 - widthPct : 50, widthPct };
}
