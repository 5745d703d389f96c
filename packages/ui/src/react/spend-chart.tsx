"use client";
/** Spend by day: the period before hollow, this one filled, what is to come as a dashed line with its band, odd days marked. */
import {
  Area,
  Bar,
  CartesianGrid,
  ComposedChart,
  ErrorBar,
  Line,
  ResponsiveContainer,
  Scatter,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";
import { formatAxisMoney } from "../format/format-money.ts";
import type { SpendPoint } from "../spend/prepare-spend-chart.ts";
import { AXIS, readText, type TipProps } from "./chart-parts.ts";
import { ChartTip } from "./chart-tip.tsx";

export type SpendChartLabels = { spend: string; expected: string; interval: string; odd: string };

const MARGIN = { top: 14, right: 12, bottom: 0, left: 0 };

export function SpendChart({ points, labels }: { points: SpendPoint[]; labels: SpendChartLabels }) {
  const tip = ({ active, payload }: TipProps) => {
    const label = readText(payload?.[0]?.payload, "label");
    const point = points.find((candidate) => candidate.label === label);
    if (active !== true || point === undefined) return null;
    const rows: [string, string | null][] = [
      [labels.spend, point.spendText],
      [labels.expected, point.expectedText],
      [labels.interval, point.intervalText],
    ];
    return (
      <ChartTip
        title={point.label}
        rows={rows.flatMap(([name, value]): [string, string][] => (value === null ? [] : [[name, value]]))}
        {...(point.oddText === null ? {} : { note: `${labels.odd}: ${point.oddText}` })}
      />
    );
  };
  // A band of a single day has no width.
  const isOneDay = points.filter(({ band }) => band !== null).length === 1;
  return (
    <div className="chart">
      <ResponsiveContainer width="100%" height={230} initialDimension={{ width: 760, height: 230 }}>
        <ComposedChart data={points} margin={MARGIN} accessibilityLayer={false} barGap={0} barCategoryGap="18%">
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis {...AXIS} dataKey="label" scale="band" minTickGap={36} />
          <YAxis
            {...AXIS}
            width={58}
            axisLine={false}
            tickFormatter={formatAxisMoney}
            tickCount={5}
            domain={[0, "auto"]}
          />
          <Tooltip content={tip} cursor={{ fill: "var(--hover)" }} isAnimationActive={false} />
          <Bar
            dataKey="before"
            stackId="day"
            fill="transparent"
            stroke="var(--c-before)"
            maxBarSize={26}
            isAnimationActive={false}
          />
          <Bar dataKey="now" stackId="day" fill="var(--c-now)" maxBarSize={26} isAnimationActive={false} />
          <Area
            dataKey="band"
            stroke="none"
            fill="var(--band)"
            dot={false}
            activeDot={false}
            isAnimationActive={false}
          />
          <Line
            dataKey="expected"
            stroke="var(--c-now)"
            strokeWidth={2}
            strokeDasharray="4 4"
            dot={{ r: 2.5, fill: "var(--surface)", stroke: "var(--c-now)", strokeDasharray: "none" }}
            isAnimationActive={false}
          >
            {isOneDay && (
              <ErrorBar dataKey="reach" stroke="var(--c-now)" strokeWidth={1} width={5} isAnimationActive={false} />
            )}
          </Line>
          <Scatter dataKey="odd" shape="triangle" fill="var(--waste)" isAnimationActive={false} />
        </ComposedChart>
      </ResponsiveContainer>
    </div>
  );
}
