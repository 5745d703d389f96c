/** What every panel of the comparison is told, and the address of one. */
import type { TraceRow } from "@centspan/model";
import type { Pair, RunComparisonView } from "@centspan/ui";
import type { Page } from "../page/page.ts";

export type Compared = { page: Page; runs: Pair<TraceRow>; view: RunComparisonView };

export const compareHref = ({ href }: Pick<Page, "href">, first: string, second: string): string =>
  `${href("/runs/compare", { run: first })}&run=${second}`;

/** Both, each with which it is: "A" or "B" of what is told of runs. */
export const ends = <T>([a, b]: Pair<T>): [of: T, at: 0 | 1][] => [
  [a, 0],
  [b, 1],
];
