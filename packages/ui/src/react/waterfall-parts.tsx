/** The drawn parts of a waterfall: a row's bar, the lane of engine steps, the overview strip. Geometry comes prepared. */
import { clsx } from "clsx";
import type { StepLane } from "../waterfall/prepare-lane.ts";
import type { Bar, OverviewMark, WaterfallRow } from "../waterfall/prepare-waterfall.ts";

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
const CHARACTER_PCT = 1.5;

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

type WaterfallBarProps = { row: WaterfallRow; note: string | null; attention: boolean };

export function WaterfallBar({ row, note, attention }: WaterfallBarProps) {
  const { bar, critical } = row;
  const missing = row.spanId === null;
  return (
    <div className="relative h-[25px] overflow-hidden">
      {bar !== null && (
        <span
          className={clsx("absolute top-[6px] h-[12px] rounded-[1px]", missing && "border border-ink-3 border-dashed")}
          style={{ ...place(bar), background: missing ? "transparent" : layerColour(row.layer) }}
        >
          {bar.clippedLeft && <Clip side="left" />}
          {bar.clippedRight && <Clip side="right" />}
        </span>
      )}
      {critical !== null && <span className="absolute top-[20px] h-[1.5px] bg-ink" style={place(critical)} />}
      {bar !== null && note !== null && <BarNote bar={bar} text={note} attention={attention} />}
      {row.outside !== null && (
        <span
          className={clsx(
            "absolute top-[3px] text-axis text-ink-3",
            row.outside === "before" ? "left-0.5" : "right-0.5",
          )}
          aria-hidden="true"
        >
          {row.outside === "before" ? "◂" : "▸"}
        </span>
      )}
    </div>
  );
}

/** Bars of engine steps on their own axis; `anchor` is the decode bar above, which the lane unfolds from. */
export function StepLaneChart({ lane, anchor, label }: { lane: StepLane; anchor: Bar | null; label: string }) {
  const left = anchor?.leftPct ?? 0;
  const right = left + (anchor?.widthPct ?? 100);
  return (
    <svg
      className="block h-[46px] w-full"
      viewBox="0 0 100 46"
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path d={`M${left} 0L${right} 0L100 12L0 12Z`} fill="var(--sunken)" />
      {lane.bars.map((bar) => (
        <rect
          key={bar.leftPct}
          x={bar.leftPct}
          width={Math.max(0.12, bar.widthPct * 0.82)}
          y={46 - (bar.heightPct / 100) * 30}
          height={(bar.heightPct / 100) * 30}
          fill={bar.mixed ? "var(--waste)" : "var(--l-infer)"}
        />
      ))}
    </svg>
  );
}

const MARK_STYLE: Record<OverviewMark["kind"], { top: number; height: number; colour: string }> = {
  turn: { top: 8, height: 8, colour: "var(--l-harness)" },
  call: { top: 3, height: 18, colour: "var(--l-api)" },
  tool: { top: 8, height: 8, colour: "var(--c-before)" },
};

/** The whole run in one strip; turns are faint, calls tall, tools short; the window is outlined. */
export function WaterfallOverview({ marks, window }: { marks: readonly OverviewMark[]; window: Bar | null }) {
  return (
    <div className="relative h-[24px] rounded-control bg-sunken" aria-hidden="true">
      {marks.map((mark) => {
        const { top, height, colour } = MARK_STYLE[mark.kind];
        return (
          <span
            key={mark.key}
            className={clsx("absolute", mark.kind === "turn" && "opacity-45")}
            style={{ ...place(mark), top, height, background: mark.error ? "var(--waste)" : colour }}
          />
        );
      })}
      {window !== null && (
        <span className="absolute inset-y-[-2px] rounded-control border-2 border-accent" style={place(window)} />
      )}
    </div>
  );
}
