import type { Deviation } from "@centspan/ui";

/** To the right of the middle is more, to the left less. */
export function DeviationBar({ bar: { leftPct, widthPct } }: { bar: Deviation }) {
  return (
    <span className="relative block h-[9px] min-w-16" aria-hidden="true">
      <span className="absolute -inset-y-1 left-1/2 w-px bg-[var(--line-strong)]" />
      <span
        className={leftPct < 50 ? "absolute h-full bg-[var(--c-now)]" : "absolute h-full bg-[var(--c-before)]"}
        style={{ left: `${leftPct}%`, width: widthPct === 0 ? 0 : `max(1px, ${widthPct}%)` }}
      />
    </span>
  );
}
