/** Cost per passing outcome as text for a terminal; exact figures, no rounding of money. */
import type { OutcomeCostRow } from "@centspan/model";

const percent = (share: string | null): string => (share === null ? "–" : `${(Number(share) * 100).toFixed(1)}%`);

/** Ratios have ten decimals; a terminal shows five, cut from the text, never through a float. */
export const shorten = (amount: string | null): string =>
  amount === null ? "–" : amount.replace(/(\.\d{5})\d+$/, "$1");

function formatInterval({ interval }: OutcomeCostRow): string {
  if (interval === null) return "–";
  if (interval.highUsd === null) return `at least ${shorten(interval.lowUsd)}`;
  return `${shorten(interval.lowUsd)} to ${shorten(interval.highUsd)}`;
}

/** Rows of columns, right-aligned but for the first ones, which hold text. */
export function formatTable(rows: readonly (readonly string[])[], textColumns = 1): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const cell = (text: string, column: number): string =>
    column < textColumns ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  return rows.map((row) => `  ${row.map(cell).join("  ")}`.trimEnd()).join("\n");
}

export function formatOutcomeCosts(groupBy: string, rows: readonly OutcomeCostRow[], total: OutcomeCostRow): string {
  const line = (name: string, row: OutcomeCostRow): string[] => [
    name,
    row.allSpendUsd,
    `${row.passed} / ${row.tasks}`,
    String(row.pending),
    row.costPerPassUsd ?? "–",
    formatInterval(row),
    row.failedSpendUsd,
    percent(row.coverage),
    percent(row.simulatedShare),
  ];
  return formatTable([
    [
      groupBy,
      "spend USD",
      "passed / tasks",
      "pending",
      "USD per pass",
      "95% interval",
      "on failed USD",
      "coverage",
      "simulated",
    ],
    ...rows.map((row) => line(row.group === "" ? "(none)" : row.group, row)),
    line("all", total),
  ]);
}
