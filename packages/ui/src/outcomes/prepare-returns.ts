/** What further spend bought: attempt by attempt as a curve of pass rate over spend, and group by group beside the thriftiest. */
import type { Returns } from "@centspan/model";
import { addDecimals, divideDecimals, roundDecimal, toGeometry } from "../format/decimal-text.ts";
import { columnDecimals, formatAxisMoney, formatMoney } from "../format/format-money.ts";
import { formatPoints, formatRatio } from "../format/format-quantity.ts";
import { chooseValueTicks } from "../waterfall/choose-ticks.ts";

export type AttemptRow = { attempt: number; morePasses: number; spend: string; perPass: string | null };
export type ReturnGroup = {
  group: string;
  passed: number;
  tasks: number;
  perTask: string;
  /** "10.0×" the spend per task of the group that spends least. */
  times: string | null;
  passRate: string;
  /** "+6.0" points above that group. */
  gain: string;
  perFurtherPass: string | null;
};
export type ReturnsView = {
  attempts: AttemptRow[];
  total: AttemptRow;
  curve: {
    points: { attempt: number; xPct: number; yPct: number; rate: string }[];
    xTicks: { pct: number; label: string }[];
    yTicks: { pct: number; label: string }[];
  };
  groups: ReturnGroup[];
};

const sumUsd = (rows: Returns["byAttempt"]): string => addDecimals(rows.map(({ spendUsd }) => spendUsd));
const sumPasses = (rows: Returns["byAttempt"]): number => rows.reduce((sum, { morePasses }) => sum + morePasses, 0);

function drawCurve(rows: Returns["byAttempt"]): ReturnsView["curve"] {
  const tasks = rows[0]?.tasks ?? 0;
  const xTicks = chooseValueTicks(toGeometry(sumUsd(rows)), 4);
  const rates = rows.map((_, at) => (tasks === 0 ? 0 : sumPasses(rows.slice(0, at + 1)) / tasks));
  const yTicks = chooseValueTicks(Math.max(0, ...rates), 4);
  const [xMax, yMax] = [xTicks.at(-1) || 1, yTicks.at(-1) || 1];
  return {
    points: rows.map(({ attempt }, at) => ({
      attempt,
      xPct: (toGeometry(sumUsd(rows.slice(0, at + 1))) / xMax) * 100,
      yPct: ((rates[at] ?? 0) / yMax) * 100,
      rate: formatRatio((rates[at] ?? 0).toFixed(10)),
    })),
    xTicks: xTicks.map((value) => ({ pct: (value / xMax) * 100, label: formatAxisMoney(value) })),
    yTicks: yTicks.map((value) => ({ pct: (value / yMax) * 100, label: `${Number((value * 100).toPrecision(3))}%` })),
  };
}

export function prepareReturns({ byAttempt, byGroup }: Returns): ReturnsView {
  const spendDecimals = columnDecimals(byAttempt.map(({ spendUsd }) => spendUsd));
  const passDecimals = columnDecimals(byAttempt.map((row) => row.costPerFurtherPassUsd));
  const groupDecimals = columnDecimals(byGroup.flatMap((row) => [row.spendPerTaskUsd, row.costPerFurtherPassUsd]));
  const write = (usd: string | null, decimals: number): string | null =>
    usd === null ? null : formatMoney(usd, decimals);
  const [spendUsd, passes] = [sumUsd(byAttempt), sumPasses(byAttempt)];
  return {
    attempts: byAttempt.map(({ attempt, morePasses, spendUsd: usd, costPerFurtherPassUsd }) => ({
      attempt,
      morePasses,
      spend: formatMoney(usd, spendDecimals),
      perPass: write(costPerFurtherPassUsd, passDecimals),
    })),
    total: {
      attempt: 0,
      morePasses: passes,
      spend: formatMoney(spendUsd, spendDecimals),
      perPass: write(divideDecimals(spendUsd, passes.toString(), 12), passDecimals),
    },
    curve: drawCurve(byAttempt),
    groups: byGroup.map((row) => ({
      group: row.group,
      passed: row.passed,
      tasks: row.tasks,
      perTask: formatMoney(row.spendPerTaskUsd, groupDecimals),
      times: row.spendTimes === null ? null : `${roundDecimal(row.spendTimes, 1)}×`,
      passRate: formatRatio(row.passRate),
      gain: formatPoints(row.passRateGain),
      perFurtherPass: write(row.costPerFurtherPassUsd, groupDecimals),
    })),
  };
}
