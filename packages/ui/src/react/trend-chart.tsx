"use client";
/** Cost per pass with its band above, spend below, on one time axis. Client code because recharts measures its box. */
import {
  Area,
  Bar,
  BarChart,
  CartesianGrid,
  ComposedChart,
  ErrorBar,
  Line,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";
import { formatAxisMoney } from "../format/format-money.ts";
import { AXIS, readText, type TipProps } from "./chart-parts.ts";
import { ChartTip } from "./chart-tip.tsx";

/** What the chart needs of a trend point; everything that is read comes as text. */
export type TrendDatum = {
  label: string;
  spend: number;
  perPass: number | null;
  band: [number, number] | null;
  reach: [number, number] | null;
  spendText: string;
  perPassText: string | null;
  intervalText: string | null;
  passesText: string;
};

export type TrendLabels = { perPass: string; spend: string; interval: string };

const MARGIN = { top: 8, right: 12, bottom: 0, left: 0 };
const DENSE = 40;

export function TrendChart({ points, labels }: { points: TrendDatum[]; labels: TrendLabels }) {
  const tip = ({ active, payload }: TipProps) => {
    const label = readText(payload?.[0]?.payload, "label");
    const point = points.find((candidate) => candidate.label === label);
    if (active !== true || point === undefined) return null;
    return (
      <ChartTip
        title={point.label}
        rows={[
          [labels.perPass, point.perPassText ?? "–"],
          [labels.interval, point.intervalText ?? "–"],
          [labels.spend, point.spendText],
        ]}
        note={point.passesText}
      />
    );
  };
  return (
    <div className="chart">
      <ResponsiveContainer width="100%" height={190} initialDimension={{ width: 760, height: 190 }}>
        <ComposedChart data={points} margin={MARGIN} syncId="trend" accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis dataKey="label" scale="band" hide />
          <YAxis
            {...AXIS}
            width={58}
            axisLine={false}
            domain={[0, "auto"]}
            tickFormatter={formatAxisMoney}
            tickCount={4}
          />
          <Tooltip content={tip} cursor={{ stroke: "var(--line-strong)" }} isAnimationActive={false} />
          <Area
            dataKey="band"
            stroke="none"
            fill="var(--band)"
            dot={false}
            isAnimationActive={false}
            activeDot={false}
          />
          <Line
            dataKey="perPass"
            stroke="var(--c-now)"
            strokeWidth={2}
            dot={points.length > DENSE ? false : { r: 3, fill: "var(--c-now)", stroke: "none" }}
            isAnimationActive={false}
          >
            {points.length <= DENSE && (
              <ErrorBar dataKey="reach" stroke="var(--c-now)" strokeWidth={1} width={5} isAnimationActive={false} />
            )}
          </Line>
        </ComposedChart>
      </ResponsiveContainer>
      <p className="pl-[58px] text-axis text-ink-3">{labels.spend}</p>
      <ResponsiveContainer width="100%" height={92} initialDimension={{ width: 760, height: 92 }}>
        <BarChart data={points} margin={MARGIN} syncId="trend" accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis {...AXIS} dataKey="label" scale="band" minTickGap={28} />
          <YAxis {...AXIS} width={58} axisLine={false} tickFormatter={formatAxisMoney} tickCount={3} />
          <Tooltip content={() => null} cursor={{ fill: "var(--hover)" }} />
          <Bar dataKey="spend" fill="var(--c-useful)" maxBarSize={28} isAnimationActive={false} />
        </BarChart>
      </ResponsiveContainer>
    </div>
  );
}
