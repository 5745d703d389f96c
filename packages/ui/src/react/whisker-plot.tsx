/** One row of the shared interval axis, and the axis's head. Positions come prepared, in percent of the width. */
import type { MoneyAxis, Whisker } from "../ledger/prepare-whisker.ts";

const COLOUR = "var(--c-now)";

function Arrow() {
  return (
    <svg className="absolute top-1/2 right-0 h-[10px] w-[6px] -translate-y-1/2" viewBox="0 0 6 10" aria-hidden="true">
      <path d="M1 1l4 4-4 4" fill="none" stroke={COLOUR} strokeWidth="1.6" />
    </svg>
  );
}

function Stroke({ leftPct, rightPct, dashed }: { leftPct: number; rightPct: number; dashed?: boolean }) {
  return (
    <span
      className="absolute top-1/2 h-0 -translate-y-1/2"
      style={{
        left: `${leftPct}%`,
        width: `${rightPct - leftPct}%`,
        borderTop: `2px ${dashed === true ? "dashed" : "solid"} ${COLOUR}`,
      }}
    />
  );
}

function End({ leftPct }: { leftPct: number }) {
  return (
    <span
      className="absolute top-1/2 h-[7px] w-px -translate-y-1/2"
      style={{ left: `${leftPct}%`, background: COLOUR }}
    />
  );
}

export function WhiskerPlot({ whisker, label }: { whisker: Whisker; label: string }) {
  return (
    <div className="whisker relative h-[18px] min-w-[120px]" role="img" aria-label={label}>
      {whisker.kind === "point" && (
        <>
          <Stroke leftPct={whisker.lowPct} rightPct={whisker.highPct} />
          <End leftPct={whisker.lowPct} />
          {whisker.beyond ? <Arrow /> : <End leftPct={whisker.highPct} />}
          {whisker.pointPct !== null && (
            <span
              className="-translate-x-1/2 -translate-y-1/2 absolute top-1/2 size-[7px] rounded-full"
              style={{ left: `${whisker.pointPct}%`, background: COLOUR }}
            />
          )}
        </>
      )}
      {whisker.kind === "bound" && (
        <>
          <End leftPct={whisker.lowPct} />
          <Stroke leftPct={whisker.lowPct} rightPct={100} dashed />
          <Arrow />
        </>
      )}
    </div>
  );
}

export function WhiskerAxis({ axis }: { axis: MoneyAxis }) {
  return (
    <div className="relative h-[13px] min-w-[120px] text-[10px]" aria-hidden="true">
      {axis.ticks.map((tick, i) => (
        <span
          key={tick.leftPct}
          className={`absolute ${i === 0 ? "" : i === axis.ticks.length - 1 ? "-translate-x-full" : "-translate-x-1/2"}`}
          style={{ left: `${tick.leftPct}%` }}
        >
          {tick.label}
        </span>
      ))}
    </div>
  );
}
