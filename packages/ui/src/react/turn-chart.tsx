"use client";
/** Context per turn: stacked tokens of every call, read from cache at the bottom, paid for again hatched, new above, generated on top. */
import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { formatAxisCount, formatCount } from "../format/format-quantity.ts";
import type { TurnBar } from "../run/prepare-turns.ts";
import { AXIS, readText, type TipProps } from "./chart-parts.ts";
import { ChartTip } from "./chart-tip.tsx";

export type TurnLabels = {
  turn: string;
  cacheRead: string;
  repeated: string;
  cacheWrite: string;
  input: string;
  output: string;
  reasoning: string;
  cost: string;
};

const SERIES = ["cacheRead", "repeated", "cacheWrite", "input", "output", "reasoning"] as const;
const FILLS: Record<(typeof SERIES)[number], string> = {
  cacheRead: "var(--c-unknown)",
  repeated: "url(#repeated)",
  cacheWrite: "var(--c-before)",
  input: "var(--ink-2)",
  output: "var(--c-useful)",
  reasoning: "var(--c-failed)",
};

export function TurnChart({ bars, labels }: { bars: TurnBar[]; labels: TurnLabels }) {
  const tip = ({ active, payload }: TipProps) => {
    const key = readText(payload?.[0]?.payload, "key");
    const bar = bars.find((candidate) => candidate.key === key);
    if (active !== true || bar === undefined) return null;
    const rows = SERIES.filter((name) => bar[name] > 0).map((name): [string, string] => [
      labels[name],
      formatCount(bar[name]),
    ]);
    return (
      <ChartTip title={`${labels.turn} ${bar.turn}`} rows={[...rows, [labels.cost, bar.cost ?? bar.costStatus]]} />
    );
  };
  const shown = SERIES.filter((name) => bars.some((bar) => bar[name] > 0));
  return (
    <div className="chart">
      <ResponsiveContainer width="100%" height={170} initialDimension={{ width: 1100, height: 170 }}>
        <BarChart data={bars} margin={{ top: 8, right: 8, bottom: 0, left: 0 }} accessibilityLayer={false}>
          <defs>
            <pattern id="repeated" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect width="5" height="5" fill="var(--waste-weak)" />
              <rect width="2.5" height="5" fill="var(--waste)" />
            </pattern>
          </defs>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis {...AXIS} dataKey="key" minTickGap={8} tickFormatter={(key: string) => turnOf(bars, key)} />
          <YAxis {...AXIS} width={48} axisLine={false} tickFormatter={formatAxisCount} tickCount={4} />
          <Tooltip content={tip} cursor={{ fill: "var(--hover)" }} isAnimationActive={false} />
          {shown.map((name) => (
            <Bar
              key={name}
              dataKey={name}
              stackId="tokens"
              fill={FILLS[name]}
              stroke={name === "cacheRead" ? "var(--c-before)" : "none"}
              strokeWidth={0.7}
              maxBarSize={30}
              isAnimationActive={false}
            />
          ))}
        </BarChart>
      </ResponsiveContainer>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 pl-[48px] text-axis text-ink-2">
        {shown.map((name) => (
          <li key={name} className="flex items-center gap-1.5">
            <span
              className="inline-block size-[9px]"
              style={{
                background: name === "repeated" ? "var(--waste)" : FILLS[name],
                border: name === "cacheRead" ? "1px solid var(--c-before)" : undefined,
              }}
            />
            {labels[name]}
          </li>
        ))}
      </ul>
    </div>
  );
}

const turnOf = (bars: readonly TurnBar[], key: string): string => bars.find((bar) => bar.key === key)?.turn ?? "";
