/** How much a response took, for "the largest counts": what is no number counts for nothing here and is kept as it came. */
import type { HistoryUsage } from "@centspan/model";

export const totalOf = (usage: HistoryUsage | null): number =>
  usage === null ? 0 : orZero(usage.input) + orZero(usage.output);

const orZero = (count: number): number => (Number.isNaN(count) ? 0 : count);
