/** Pass rate over spend, attempt by attempt: drawn from percentages, so that it needs no client code. */
import type { ReturnsView } from "../outcomes/prepare-returns.ts";

const PLOT = { left: 46, top: 16, width: 340, height: 150 };

type CurveProps = { curve: ReturnsView["curve"]; label: string; xLabel: string };

export function CurveChart({ curve, label, xLabel }: CurveProps) {
  const toX = (pct: number): number => PLOT.left + (PLOT.width * pct) / 100;
  const toY = (pct: number): number => PLOT.top + PLOT.height * (1 - pct / 100);
  const bottom = PLOT.top + PLOT.height;
  const path = [{ xPct: 0, yPct: 0 }, ...curve.points].map(({ xPct, yPct }) => `${toX(xPct)},${toY(yPct)}`).join(" ");
  return (
    <svg className="max-w-[460px] text-axis" viewBox="0 0 420 204" role="img" aria-label={label}>
      {curve.yTicks.map((tick) => (
        <g key={tick.label}>
          <line x1={PLOT.left} x2={toX(100)} y1={toY(tick.pct)} y2={toY(tick.pct)} stroke="var(--line)" />
          <text x={PLOT.left - 7} y={toY(tick.pct) + 4} textAnchor="end" fill="var(--ink-3)">
            {tick.label}
          </text>
        </g>
      ))}
      {curve.xTicks.map((tick) => (
        <text key={tick.label} x={toX(tick.pct)} y={bottom + 17} textAnchor="middle" fill="var(--ink-3)">
          {tick.label}
        </text>
      ))}
      <text x={toX(50)} y={bottom + 34} textAnchor="middle" fill="var(--ink-3)">
        {xLabel}
      </text>
      <polyline points={path} fill="none" stroke="var(--c-now)" strokeWidth="2" />
      {curve.points.map(({ attempt, xPct, yPct }) => (
        <g key={attempt}>
          <circle cx={toX(xPct)} cy={toY(yPct)} r="3.5" fill="var(--c-now)" />
          <text x={toX(xPct)} y={toY(yPct) - 8} textAnchor="middle" fill="var(--ink)" fontWeight="600">
            {attempt}
          </text>
        </g>
      ))}
    </svg>
  );
}
