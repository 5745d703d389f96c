/** What was paid for twice as text for a terminal; exact figures, no rounding of money. */
import type { BalanceRow, WasteAnswer, WasteFixRow, WasteItemRow } from "@centspan/model";
import { formatTable, shorten } from "./report.ts";

const named = (group: string): string => (group === "" ? "(none)" : group);
const time = (seconds: number): string => `${seconds.toFixed(1)} s`;

export function formatWaste({ data, total }: WasteAnswer, groupBy: string): string {
  const rows = data.map((row) => [
    named(row.group),
    row.layer || "–",
    row.costUsd,
    time(row.seconds),
    String(row.calls),
    String(row.runs),
    row.topEvidence === null ? "–" : `${row.topEvidence.traceId}/${row.topEvidence.spanId}`,
  ]);
  const table =
    data.length === 0
      ? "Nothing was paid for twice."
      : formatTable([[groupBy, "layer", "USD", "time", "calls", "runs", "dearest call"], ...rows], 2);
  return `${table}\n\n${formatTable([
    ["where it went", "USD"],
    ["useful", total.usefulUsd],
    ["paid twice", total.wasteUsd],
    ["work that failed", total.failedUsd],
    ["not analysed", total.notAnalysedUsd],
    ["all spend", total.spendUsd],
  ])}`;
}

export function formatFixes(data: readonly WasteFixRow[]): string {
  if (data.length === 0) return "Nothing was paid for twice.";
  return data
    .map((fix, index) => {
      const { interval } = fix;
      const bounds =
        interval === null
          ? " (too few days for an interval)"
          : ` (${shorten(interval.lowUsd)} to ${shorten(interval.highUsd)})`;
      const what = [fix.change, fix.path].filter((text) => text !== "").join(" at ");
      return [
        `${index + 1}. ${fix.title}${what === "" ? "" : `: ${what}`}`,
        `   saves ${shorten(fix.savingPerMonthUsd)} USD${bounds} and ${time(fix.secondsPerMonth)} a month; ${fix.calls} calls in ${fix.runs} runs since ${fix.since}`,
        `   ${fix.remedy}`,
        ...fix.proof.map(
          ({ traceId, spanId, costUsd }) => `   proof: /runs/${traceId}?span=${spanId} in the pages, ${costUsd} USD`,
        ),
      ].join("\n");
    })
    .join("\n");
}

export function formatItems(data: readonly WasteItemRow[]): string {
  if (data.length === 0) return "Nothing was paid for twice.";
  const rows = data.map(({ cause, traceId, spanId, costUsd, seconds, confidence, evidence }) => [
    cause,
    `${traceId}/${spanId}`,
    [evidence.change, evidence.path].filter((text) => text !== undefined).join(" at ") || "–",
    confidence,
    costUsd,
    time(seconds),
  ]);
  return formatTable([["cause", "call", "what changed", "confidence", "USD", "time"], ...rows], 4);
}

export function formatBalance(balance: BalanceRow): string {
  return formatTable([
    ["balance", "USD", "time"],
    ["paid", balance.paidUsd, ""],
    ["useful", balance.usefulUsd, ""],
    ...balance.causes.map(({ title, layer, costUsd, seconds }) => [`${title} (${layer})`, costUsd, time(seconds)]),
    ["not analysed", balance.notAnalysedUsd, ""],
  ]);
}
