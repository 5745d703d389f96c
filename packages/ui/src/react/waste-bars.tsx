/** The bars of waste: one from where the last one ended, one of a saving with its interval, and a whole in its parts. */
import { clsx } from "clsx";
import type { WasteBar, WasteSectionId } from "../waste/prepare-waste.ts";

const COLOURS: Record<WasteSectionId, string> = {
  useful: "var(--c-useful)",
  harness: "var(--c-harness)",
  api: "var(--c-api)",
  inference: "var(--c-infer)",
  failed: "var(--c-failed)",
  not_analysed: "var(--c-unknown)",
};

/** Of a mark beside words; what nobody looked at is outlined too, since its fill is faint. */
export function ToneMark({ tone }: { tone: WasteSectionId }) {
  return (
    <i
      className={clsx(
        "inline-block size-[9px] shrink-0",
        tone === "not_analysed" && "border border-ink-3 border-dashed",
      )}
      style={{ background: COLOURS[tone] }}
    />
  );
}

const place = ({ leftPct, widthPct }: WasteBar) => ({
  left: `min(${leftPct}%, calc(100% - 2px))`,
  width: widthPct === 0 ? 0 : `max(2px, ${widthPct}%)`,
});

/** `isSum`: of a section, fainter than the causes in it. */
export function CascadeBar({ bar, tone, isSum = false }: { bar: WasteBar; tone: WasteSectionId; isSum?: boolean }) {
  return (
    <span className="relative block h-[18px]" aria-hidden="true">
      <span
        className={clsx(
          "absolute top-1/2 -translate-y-1/2 rounded-[1px]",
          isSum ? "h-[12px]" : "h-[8px]",
          tone === "not_analysed" && "border border-ink-3 border-dashed",
        )}
        style={{ ...place(bar), background: COLOURS[tone], opacity: isSum && tone !== "useful" ? 0.45 : 1 }}
      />
    </span>
  );
}

type SavingProps = { barPct: number; reach: { lowPct: number; highPct: number } | null; isSimulated: boolean };

/** Saved capacity isn't saved cash: a simulated saving is outlined. */
export function SavingBar({ barPct, reach, isSimulated }: SavingProps) {
  return (
    <span className="relative block h-[18px] min-w-16" aria-hidden="true">
      <span
        className="absolute top-1/2 left-0 h-[9px] -translate-y-1/2 rounded-[1px] border border-[var(--c-now)]"
        style={{ width: `${barPct}%`, background: isSimulated ? "transparent" : "var(--c-now)" }}
      />
      {reach !== null && (
        <span
          className="absolute top-1/2 h-[7px] -translate-y-1/2 border-ink border-x"
          style={{ left: `${reach.lowPct}%`, width: `${reach.highPct - reach.lowPct}%` }}
        >
          <span className="absolute top-1/2 left-0 h-px w-full bg-ink" />
        </span>
      )}
    </span>
  );
}

/** A whole in its parts, in their order; `label` says them. */
export function PartsBar({
  parts,
  label,
}: {
  parts: readonly { tone: WasteSectionId; bar: WasteBar }[];
  label: string;
}) {
  return (
    <div className="relative h-[16px] overflow-hidden rounded-[2px] bg-sunken" role="img" aria-label={label}>
      {parts.map(({ tone, bar }) => (
        <span
          key={`${tone} ${bar.leftPct}`}
          className="absolute top-0 h-full border-surface border-r"
          style={{ ...place(bar), background: COLOURS[tone] }}
        />
      ))}
    </div>
  );
}
