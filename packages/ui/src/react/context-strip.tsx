"use client";
/** Context per turn: left bar what is in a prompt, right bar how it was paid; what was paid for again is hatched and priced. */
import { formatAxisCount } from "../format/format-quantity.ts";
import { SECTIONS, type Strip, type TurnBar } from "../run/prepare-turns.ts";

const HEIGHT = 132;
const TOP = 16;

const SECTION_FILLS = {
  system: "var(--t-system)",
  tools: "var(--t-tools)",
  history: "var(--t-history)",
  results: "var(--t-results)",
};
const PAID = ["cacheRead", "repeated", "cacheWrite", "input"] as const;
const PAID_FILLS = {
  cacheRead: "var(--c-unknown)",
  repeated: "url(#repeated)",
  cacheWrite: "var(--c-before)",
  input: "var(--ink-2)",
};

export type StripLabels = Record<(typeof SECTIONS)[number] | (typeof PAID)[number], string> & {
  turn: string;
  describe(bar: TurnBar, calls: number): string;
};

type Piece = { key: string; tokens: number; fill: string; outlined: boolean };

const paidPieces = (bar: TurnBar): Piece[] =>
  PAID.map((name) => ({ key: name, tokens: bar[name], fill: PAID_FILLS[name], outlined: name === "cacheRead" }));

function sectionPieces({ sections }: TurnBar): Piece[] {
  if (sections === null) return [];
  return SECTIONS.map((name) => ({ key: name, tokens: sections[name], fill: SECTION_FILLS[name], outlined: false }));
}

type BarProps = { pieces: readonly Piece[]; x: number; width: number; most: number };

function Bar({ pieces, x, width, most }: BarProps) {
  let base = HEIGHT;
  return pieces.map(({ key, tokens, fill, outlined }) => {
    const height = (tokens / most) * (HEIGHT - TOP);
    base -= height;
    if (height === 0) return null;
    return (
      <rect
        key={key}
        x={x}
        y={base}
        width={width}
        height={height}
        fill={fill}
        stroke={outlined ? "var(--c-before)" : "none"}
        strokeWidth={0.6}
      />
    );
  });
}

type StripProps = {
  strip: Strip;
  labels: StripLabels;
  /** Key of the bar of the chosen turn. */
  chosen: string | null;
  onChoose(bar: TurnBar): void;
  width: number;
};

const LEFT = 44;
const LEAST_LABEL = 26;
const WIDEST = 64;

type ColumnProps = { bar: TurnBar; x: number; step: number; most: number; hasLabel: boolean };

function Column({ bar, x, step, most, hasLabel }: ColumnProps) {
  const thick = Math.max(1, Math.min(18, step * 0.36));
  return (
    <>
      <Bar pieces={sectionPieces(bar)} x={x - thick - 0.5} width={thick} most={most} />
      <Bar pieces={paidPieces(bar)} x={bar.sections === null ? x - thick / 2 : x + 0.5} width={thick} most={most} />
      {bar.repeatedCost !== null && step > 40 && (
        <text x={x} y={11} textAnchor="middle" className="fill-waste font-semibold text-[10px]">
          {bar.repeatedCost}
        </text>
      )}
      {hasLabel && (
        <text x={x} y={HEIGHT + 14} textAnchor="middle" className="fill-ink-3 text-axis">
          {bar.turn}
        </text>
      )}
    </>
  );
}

export function ContextStrip({ strip, labels, chosen, onChoose, width }: StripProps) {
  const { columns, ticks, most } = strip;
  const step = Math.min(WIDEST, (width - LEFT) / Math.max(1, columns.length));
  const every = Math.max(1, Math.ceil(LEAST_LABEL / step));
  return (
    <div className="relative" style={{ width, height: HEIGHT + 20 }}>
      <svg className="block" width={width} height={HEIGHT + 20} aria-hidden="true">
        <defs>
          <pattern id="repeated" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect width="5" height="5" fill="var(--waste-weak)" />
            <rect width="2.5" height="5" fill="var(--waste)" />
          </pattern>
        </defs>
        {ticks.map((tick) => {
          const y = HEIGHT - (tick / most) * (HEIGHT - TOP);
          return (
            <g key={tick}>
              <line x1={LEFT} x2={width} y1={y} y2={y} stroke="var(--line)" shapeRendering="crispEdges" />
              <text x={LEFT - 6} y={y + 4} textAnchor="end" className="fill-ink-3 text-axis">
                {formatAxisCount(tick)}
              </text>
            </g>
          );
        })}
        {columns.map(({ bar }, i) => (
          <Column
            key={bar.key}
            bar={bar}
            x={LEFT + i * step + step / 2}
            step={step}
            most={most}
            hasLabel={i % every === 0}
          />
        ))}
      </svg>
      {columns.map(({ bar, calls }, i) => (
        <button
          key={bar.key}
          type="button"
          className="strip-column"
          style={{ left: LEFT + i * step, width: step }}
          // One stop for the tab key, arrows from there.
          tabIndex={i === 0 ? 0 : -1}
          aria-label={labels.describe(bar, calls)}
          aria-pressed={chosen === bar.key}
          title={labels.describe(bar, calls)}
          onClick={() => onChoose(bar)}
          onKeyDown={({ key, currentTarget }) => {
            const beside =
              key === "ArrowRight" ? "nextElementSibling" : key === "ArrowLeft" ? "previousElementSibling" : null;
            const element = beside === null ? null : currentTarget[beside];
            if (element instanceof HTMLElement) element.focus();
          }}
        />
      ))}
    </div>
  );
}

/** What the fills mean, of those that are there. */
export function StripKey({ strip, labels }: Pick<StripProps, "strip" | "labels">) {
  const bars = strip.columns.map(({ bar }) => bar);
  const sections = SECTIONS.filter((name) => bars.some((bar) => (bar.sections?.[name] ?? 0) > 0));
  const paid = PAID.filter((name) => bars.some((bar) => bar[name] > 0));
  const items = [
    ...sections.map((name) => ({ name, fill: SECTION_FILLS[name] })),
    ...paid.map((name) => ({ name, fill: name === "repeated" ? "var(--waste)" : PAID_FILLS[name] })),
  ];
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 pl-[44px] text-axis text-ink-2">
      {items.map(({ name, fill }) => (
        <li key={name} className="flex items-center gap-1.5">
          <span
            className="inline-block size-[9px]"
            style={{ background: fill, border: name === "cacheRead" ? "1px solid var(--c-before)" : undefined }}
          />
          {labels[name]}
        </li>
      ))}
    </ul>
  );
}
