/**
 * A lane of engine steps below a node that has them in its own trace: hundreds of spans are one row of thin bars where they
 * were, as tall as they took long. More than fit are merged by column, the longest one shown.
 */
import { childrenOf, type Forest } from "./build-forest.ts";
import { isStep } from "./choose-open.ts";
import type { TimeWindow } from "./prepare-rows.ts";

const COLUMNS = 300;

export type StepBar = { leftPct: number; widthPct: number; heightPct: number };
export type StepsLane = { bars: StepBar[]; count: number; medianNs: bigint; longestNs: bigint };

const LEAST_HEIGHT_PCT = 12;

export function prepareSteps(forest: Forest, node: number, { fromNs, toNs }: TimeWindow): StepsLane {
  const steps = childrenOf(forest, node).filter((child) => isStep(forest, child));
  const lengthOf = (step: number): number => (forest.endsNs[step] ?? 0) - (forest.startsNs[step] ?? 0);
  const lengths = Float64Array.from(steps, lengthOf).sort();
  const longest = lengths.at(-1) ?? 0;
  const scale = 100 / (toNs - fromNs || 1);
  const columns = new Map<number, StepBar>();
  for (const step of steps) {
    const leftPct = ((forest.startsNs[step] ?? 0) - fromNs) * scale;
    const widthPct = lengthOf(step) * scale;
    if (leftPct > 100 || leftPct + widthPct < 0) continue;
    const column = Math.floor((Math.max(0, leftPct) / 100) * COLUMNS);
    const heightPct = Math.max(LEAST_HEIGHT_PCT, longest === 0 ? 100 : (lengthOf(step) / longest) * 100);
    const before = columns.get(column);
    if (before === undefined || before.heightPct < heightPct) columns.set(column, { leftPct, widthPct, heightPct });
  }
  return {
    bars: [...columns.values()],
    count: steps.length,
    medianNs: BigInt(Math.round(lengths[Math.floor(lengths.length / 2)] ?? 0)),
    longestNs: BigInt(Math.round(longest)),
  };
}
