/** The effect in each block of the later traffic, over what was predicted. */
import type { HeldOutPlot as Plot } from "@centspan/ui";

const RADIUS = 3.5;

export function HeldOutPlot({ plot, label, zero }: { plot: Plot; label: string; zero: string }) {
  const { width, height, zeroY, band, judgedY, points, ticks } = plot;
  return (
    <svg className="w-full px-4 pt-2 pb-3" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      {band && <rect x="48" y={band.y} width={width - 60} height={band.height} fill="var(--band)" />}
      <line x1="48" x2={width - 12} y1={zeroY} y2={zeroY} stroke="var(--line-strong)" />
      <text x={width - 12} y={zeroY - 4} textAnchor="end" fontSize="11" fill="var(--ink-3)">
        {zero}
      </text>
      {judgedY !== null && (
        <line x1="48" x2={width - 12} y1={judgedY} y2={judgedY} stroke="var(--c-now)" strokeWidth="1.5" />
      )}
      {ticks.map(({ y, text }) => (
        <text key={text} x="42" y={y + 4} textAnchor="end" fontSize="11" fill="var(--ink-2)">
          {text}
        </text>
      ))}
      {points.map(({ x, y, text }) => (
        <circle key={x} cx={x} cy={y} r={RADIUS} fill="var(--c-now)">
          <title>{text}</title>
        </circle>
      ))}
    </svg>
  );
}
