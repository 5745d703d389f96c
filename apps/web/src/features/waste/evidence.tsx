/** What shows a cause at one call: where its prompt differed and how, what of it was paid for again, and what ends that. */
import type { WasteItemRow } from "@centspan/model";
import { formatMoney, formatSeconds, headlineDecimals, isZero, ProvenanceMark } from "@centspan/ui";
import type { Catalogue } from "#i18n";
import { Facts } from "../run/facts.tsx";
import { describeChange, describeTokens, listEvidence } from "./describe-evidence.ts";
import type { CauseText } from "./words-of-cause.ts";

/** What the prompt held already: served by a cache, and paid for again, hatched so that it is not told by colour alone. */
function TokenBar({ evidence, label }: { evidence: WasteItemRow["evidence"]; label: string }) {
  const { knownTokens = 0, repeatedTokens = 0 } = evidence;
  if (knownTokens === 0) return null;
  const repeatedPct = Math.min(100, (repeatedTokens / knownTokens) * 100);
  return (
    <div className="flex h-[14px] overflow-hidden rounded-[2px] bg-[var(--c-useful)]" role="img" aria-label={label}>
      <span className="ml-auto repeated-bar" style={{ width: `${repeatedPct}%` }} />
    </div>
  );
}

/** "$0.0369 · 1.2 s"; of waste that costs only time, the time. */
export const describeLoss = ({ costUsd, seconds }: Pick<WasteItemRow, "costUsd" | "seconds">): string =>
  [
    ...(isZero(costUsd) && seconds > 0 ? [] : [formatMoney(costUsd, Math.max(4, headlineDecimals(costUsd)))]),
    ...(seconds > 0 ? [formatSeconds(seconds)] : []),
  ].join(" · ");

export function Evidence({ item, words, t }: { item: WasteItemRow; words: CauseText; t: Catalogue }) {
  const { evidence } = item;
  const tokens = describeTokens(evidence, t);
  const facts = listEvidence(evidence, t);
  return (
    <div className="flex flex-col gap-2 text-note">
      <p className="flex flex-wrap items-baseline gap-2">
        <b className="font-semibold text-body text-waste">{words.title}</b>
        <span className="tag tag-attention">{describeLoss(item)}</span>
        <ProvenanceMark kind={item.provenance} label={t.provenanceOf[item.provenance]} />
        <span className="text-ink-3">{t.confidenceOf[item.confidence]}</span>
      </p>
      {evidence.path !== undefined && <code className="code-block py-1.5!">{evidence.path}</code>}
      {describeChange(evidence, t) !== "" && <p>{describeChange(evidence, t)}</p>}
      {tokens !== "" && (
        <>
          <TokenBar evidence={evidence} label={tokens} />
          <p className="text-ink-2">{tokens}</p>
        </>
      )}
      {facts.length > 0 && <Facts rows={facts} />}
    </div>
  );
}
