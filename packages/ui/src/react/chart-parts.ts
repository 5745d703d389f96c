/** What charts share: how axes look, and what recharts tells a tooltip. */

export const AXIS = {
  stroke: "var(--line-strong)",
  tick: { fill: "var(--ink-3)", fontSize: 11 },
  tickLine: false,
} as const;

export type TipProps = { active?: boolean; payload?: readonly { payload?: unknown }[] };

/** A text of what a tooltip points at; null where it is none. */
export function readText(payload: unknown, name: string): string | null {
  const value: unknown = typeof payload === "object" && payload !== null ? Reflect.get(payload, name) : null;
  return typeof value === "string" ? value : null;
}
