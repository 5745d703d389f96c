/** How much a response took, for "the largest counts": what is no number counts for nothing here and is kept as it came. */
import type { HistoryUsage } from "@centspan/model";

export const totalOf = ({ input, output }: HistoryUsage): number => orZero(input) + orZero(output);

const orZero = (count: number): number => (Number.isNaN(count) ? 0 : count);
