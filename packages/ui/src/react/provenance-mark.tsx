/** The mark of how a figure came to be. The shape carries the meaning, never a colour; `label` is its name in words. */
import type { Provenance } from "@centspan/model";

const INK = "var(--ink-2)";

const SHAPES: Record<Provenance, React.ReactNode> = {
  measured: <circle cx="5" cy="5" r="4.2" fill={INK} />,
  derived: (
    <>
      <circle cx="5" cy="5" r="4" fill="none" stroke={INK} strokeWidth="1.2" />
      <circle cx="5" cy="5" r="1.8" fill={INK} />
    </>
  ),
  estimated: (
    <>
      <circle cx="5" cy="5" r="4" fill="none" stroke={INK} strokeWidth="1.2" />
      <path d="M5 1a4 4 0 0 0 0 8z" fill={INK} />
    </>
  ),
  allocated: (
    <>
      <rect x="1" y="1" width="8" height="8" fill="none" stroke={INK} strokeWidth="1.2" />
      <path d="M1 9V5h4V1h4v4H5v4z" fill={INK} />
    </>
  ),
  simulated: <circle cx="5" cy="5" r="4" fill="none" stroke={INK} strokeWidth="1.3" strokeDasharray="2 1.6" />,
};

/** `decorative` where the label stands beside it in words. */
export function ProvenanceMark({ kind, label, decorative }: { kind: Provenance; label: string; decorative?: boolean }) {
  if (decorative === true) {
    return (
      <svg className="inline-block size-[9px] shrink-0" viewBox="0 0 10 10" aria-hidden="true">
        {SHAPES[kind]}
      </svg>
    );
  }
  return (
    <svg className="inline-block size-[9px] shrink-0" viewBox="0 0 10 10" role="img" aria-label={label}>
      <title>{label}</title>
      {SHAPES[kind]}
    </svg>
  );
}
