/** The drawn parts of a waterfall: a row's bar, a lane of engine steps, the overview strip. Geometry comes prepared. */
import { clsx } from "clsx";
import { memo } from "react";
import type { MarkKind, OverviewMark } from "../waterfall/prepare-overview.ts";
import type { Bar, WaterfallRow } from "../waterfall/prepare-rows.ts";
import type { StepBar } from "../waterfall/prepare-steps.ts";

const LAYER_COLOURS: Record<string, string> = {
  harness: "var(--l-harness)",
  api: "var(--l-api)",
  inference: "var(--l-infer)",
};

export const layerColour = (layer: string): string => LAYER_COLOURS[layer] ?? "var(--l-other)";

/** Zero-width spans keep 2 px, inside the track. */
const place = (bar: { leftPct: number; widthPct: number }) => ({
  left: `min(${bar.leftPct}%, calc(100% - 2px))`,
  width: `max(2px, ${bar.widthPct}%)`,
});

function Clip({ side }: { side: "left" | "right" }) {
  return (
    <svg
      className={clsx("absolute top-1/2 h-[8px] w-[5px] -translate-y-1/2", side === "left" ? "left-px" : "right-px")}
      viewBox="0 0 5 8"
      aria-hidden="true"
    >
      <path
        d={side === "left" ? "M4 0L0 4l4 4" : "M1 0l4 4-4 4"}
        fill="none"
        stroke="var(--surface)"
        strokeWidth="1.5"
      />
    </svg>
  );
}

/** About how much of a track a character takes. */
const CHARACTER_PCT = 2;

/** The note stands after the bar, before it where there is no room after, and nowhere where there is none at all. */
function BarNote({ bar, text, attention }: { bar: Bar; text: string; attention: boolean }) {
  const end = bar.leftPct + bar.widthPct;
  const needed = text.length * CHARACTER_PCT;
  const after = end + needed <= 100;
  if (!after && bar.leftPct < needed) return null;
  const style = after
    ? { left: `calc(max(${end}%, ${bar.leftPct}% + 2px) + 6px)` }
    : { right: `calc(${100 - bar.leftPct}% + 6px)` };
  return (
    <span
      className={clsx(
        "absolute top-[4px] whitespace-nowrap text-axis",
        attention ? "font-semibold text-waste" : "text-ink-3",
      )}
      style={style}
    >
      {text}
    </span>
  );
}

/** What something at an instant is drawn with: a log record in its row. */
export type Tick = { leftPct: number; attention: boolean };

type WaterfallBarProps = {
  row: WaterfallRow;
  note: string | null;
  attention: boolean;
  ticks?: readonly Tick[] | undefined;
};

export function WaterfallBar({ row, note, attention, ticks = [] }: WaterfallBarProps) {
  const { bar, critical } = row;
  const missing = row.spanId === null;
  return (
    <>
      {bar !== null && (
        <span
          className={clsx(
            "absolute top-[7px] h-[12px] rounded-[1px]",
            missing && "border border-ink-3 border-dashed",
            row.wasted && "wf-repeated",
          )}
          style={{ ...place(bar), backgroundColor: missing ? "transparent" : layerColour(row.layer) }}
        >
          {bar.clippedLeft && <Clip side="left" />}
          {bar.clippedRight && <Clip side="right" />}
        </span>
      )}
      {critical !== null && <span className="absolute top-[21px] h-[1.5px] bg-ink" style={place(critical)} />}
      {ticks.map(({ leftPct, attention: isLoud }) => (
        <span
          key={leftPct}
          className={clsx("absolute top-[2px] h-[4px] w-[4px] rotate-45", isLoud ? "bg-waste" : "bg-ink-2")}
          style={{ left: `calc(${leftPct}% - 2px)` }}
        />
      ))}
      {bar !== null && note !== null && <BarNote bar={bar} text={note} attention={attention} />}
      {row.outside !== null && (
        <span
          className={clsx(
            "absolute top-[4px] text-axis text-ink-3",
            row.outside === "before" ? "left-0.5" : "right-0.5",
          )}
          aria-hidden="true"
        >
          {row.outside === "before" ? "◂" : "▸"}
        </span>
      )}
    </>
  );
}

/** Engine steps as thin bars where they were; those that also worked for others stand out. */
export function StepBars({ bars, label }: { bars: readonly (StepBar & { mixed?: boolean })[]; label: string }) {
  return (
    <svg
      className="absolute inset-0 size-full"
      viewBox="0 0 100 26"
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {[false, true].map((mixed) => (
        <path
          key={String(mixed)}
          fill={mixed ? "var(--waste)" : "var(--l-infer)"}
          d={bars
            .filter((bar) => (bar.mixed ?? false) === mixed)
            .map(({ leftPct, widthPct, heightPct }) => {
              const [width, height] = [Math.max(0.12, widthPct * 0.82), (heightPct / 100) * 20];
              return `M${leftPct.toFixed(3)} ${(24 - height).toFixed(2)}h${width.toFixed(3)}v${height.toFixed(2)}h-${width.toFixed(3)}z`;
            })
            .join("")}
        />
      ))}
    </svg>
  );
}

const MARK_STYLE: Record<MarkKind, { top: number; height: number; colour: string }> = {
  turn: { top: 9, height: 8, colour: "var(--l-harness)" },
  call: { top: 4, height: 18, colour: "var(--l-api)" },
  tool: { top: 9, height: 8, colour: "var(--c-before)" },
};

/** The whole run in one strip; turns are faint, calls tall, tools short; what needs attention stands out. */
export const WaterfallOverview = memo(({ marks }: { marks: readonly OverviewMark[] }) => (
  <svg className="block h-[26px] w-full" viewBox="0 0 100 26" preserveAspectRatio="none" aria-hidden="true">
    {marks.map((mark) => {
      const { top, height, colour } = MARK_STYLE[mark.kind];
      return (
        <rect
          key={`${mark.kind}${mark.leftPct}`}
          x={mark.leftPct}
          width={Math.max(0.1, mark.widthPct)}
          y={top}
          height={height}
          fill={mark.attention ? "var(--waste)" : colour}
          opacity={mark.kind === "turn" && !mark.attention ? 0.45 : 1}
        />
      );
    })}
  </svg>
));
