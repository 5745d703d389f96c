/** Forecasts, odd days and changes of spend as text for a terminal. */
import type { SpendAnomaliesAnswer, SpendChangeAnswer, SpendForecastAnswer } from "@centspan/model";
import { formatTable, shorten } from "./report.ts";

const named = (group: string): string => (group === "" ? "(none)" : group);
const signed = (amount: string): string => (amount.startsWith("-") || amount === "0" ? amount : `+${amount}`);

export function formatForecast(
  { from, until, level, data, others, total }: SpendForecastAnswer,
  groupBy: string,
): string {
  const line = (name: string, row: Omit<typeof total, "group" | "days">): string[] => [
    name,
    shorten(row.spentUsd),
    shorten(row.expectedUsd),
    row.lowUsd === null ? "–" : `${shorten(row.lowUsd)} to ${shorten(row.highUsd)}`,
    row.method ?? "fewer than three days",
  ];
  const head = [groupBy, "spent USD", "expected USD", `${level * 100}% interval`, "from past"];
  const rows = data.map((row) => line(named(row.group), row));
  if (others !== null) rows.push(line(`(${others.groups} others)`, others));
  return `${from} to ${until}\n${formatTable([head, ...rows, line("all", total)])}`;
}

export function formatAnomalies({ data, others }: SpendAnomaliesAnswer, groupBy: string): string {
  const left = others === 0 ? "" : `\n${others} groups on which less was spent are not judged.`;
  if (data.length === 0) return `No day stands out. A group is judged from its fourth week of spend on.${left}`;
  const head = ["day", groupBy, "spent USD", "usual USD", "deviations"];
  const lines = data.map(({ day, group, costUsd, expectedUsd, score }) => [
    day,
    named(group),
    shorten(costUsd),
    shorten(expectedUsd),
    score === null ? "–" : score.toFixed(1),
  ]);
  return formatTable([head, ...lines], 2) + left;
}

export function formatChange({
  before,
  after,
  changeUsd,
  volumeUsd,
  mixUsd,
  priceUsd,
  data,
}: SpendChangeAnswer): string {
  const period = (name: string, { from, to, calls, costUsd }: typeof before): string[] => [
    name,
    from.slice(0, 16),
    to.slice(0, 16),
    String(calls),
    costUsd,
  ];
  const periods = formatTable(
    [["period", "from", "to", "priced calls", "USD"], period("before", before), period("after", after)],
    3,
  );
  const parts = formatTable([
    ["why", "USD"],
    ["volume: more or fewer calls", signed(volumeUsd)],
    ["mix: other models or more tokens a call", signed(mixUsd)],
    ["price", signed(priceUsd)],
    ["together", signed(changeUsd)],
  ]);
  const cells = formatTable(
    [
      ["model", "meter", "change USD", "by price", "by quantity"],
      ...data.map((cell) => [
        cell.model,
        cell.meter,
        signed(cell.changeUsd),
        signed(cell.priceUsd),
        signed(cell.quantityUsd),
      ]),
    ],
    2,
  );
  return [periods, parts, ...(data.length === 0 ? [] : [cells])].join("\n\n");
}
