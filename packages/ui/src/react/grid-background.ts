/**
 * Vertical grid lines of an axis as one CSS background, set once on a table as `--grid` and used by each of its cells:
 * hundreds of rows would otherwise repeat every line as an element.
 */
import type {} from "react";

declare module "react" {
  interface CSSProperties {
    "--grid"?: string;
  }
}

const LINE = "linear-gradient(var(--line), var(--line))";

export function gridBackground(ticks: readonly { leftPct: number }[]): string {
  if (ticks.length === 0) return "none";
  return ticks.map(({ leftPct }) => `${LINE} ${Number(leftPct.toFixed(3))}% 0 / 1px 100% no-repeat`).join(", ");
}
