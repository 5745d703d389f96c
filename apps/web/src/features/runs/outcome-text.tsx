/** An outcome in words; pending and unknown stand in a frame, since they are not a verdict. */
import type { TraceRow } from "@centspan/model";
import { clsx } from "clsx";
import type { Catalogue } from "#i18n";

export function OutcomeText({ outcome, t }: { outcome: TraceRow["outcome"]; t: Catalogue }) {
  if (outcome === null) return <span className="text-ink-3">{t.noOutcome}</span>;
  const text = t.outcomeOf[outcome];
  if (outcome === "passed") return <span>{text}</span>;
  if (outcome === "failed") return <b className="font-semibold">{text}</b>;
  return <span className={clsx("tag", outcome === "pending" && "tag-accent")}>{text}</span>;
}

const SIGNS: Record<NonNullable<TraceRow["outcome"]>, string> = {
  passed: "✓",
  failed: "✕",
  partial: "~",
  unknown: "?",
  pending: "…",
};

/** A box with a sign: filled for a pass, so that a row of attempts reads at a glance. */
export function AttemptBox({ outcome, t }: { outcome: TraceRow["outcome"]; t: Catalogue }) {
  const passed = outcome === "passed";
  return (
    <span
      className={clsx(
        "inline-grid size-[15px] place-items-center rounded-[2px] border text-[10px] leading-none",
        passed ? "border-accent bg-accent text-[var(--accent-text)]" : "border-line-strong text-ink-2",
      )}
      role="img"
      aria-label={outcome === null ? t.noOutcome : t.outcomeOf[outcome]}
    >
      {outcome === null ? "–" : SIGNS[outcome]}
    </span>
  );
}
