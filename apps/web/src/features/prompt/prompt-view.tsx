/** A call's prompt against that of the call before: where they part, what that cost, the words there, both calls' figures. */
import type { PromptCall, PromptComparison } from "@centspan/model";
import {
  formatCount,
  formatPrecise,
  isZero,
  type PromptPart,
  ProvenanceMark,
  parseInstantNs,
  preparePrompt,
  type PromptView as View,
} from "@centspan/ui";
import { clsx } from "clsx";
import { DataTable, figures } from "#components/data-table";
import { PageLink } from "#components/page-link";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import { Facts } from "../run/facts.tsx";
import { describeChange, listEvidence } from "../waste/describe-evidence.ts";
import { describeLoss } from "../waste/evidence.tsx";
import type { CauseWords } from "../waste/words-of-cause.ts";

type Shown = Pick<Page, "t" | "href">;
type PromptProps = { page: Shown; comparison: PromptComparison; view: View };

const FILLS: Record<PromptPart["id"], string> = {
  cacheRead: "bg-[var(--c-useful)]",
  repeated: "repeated-bar",
  new: "bg-[var(--c-now)]",
};

function PaidBar({ page: { t }, view: { parts } }: PromptProps) {
  if (parts.length === 0) return null;
  return (
    <figure className="mt-3">
      <div
        className="flex h-[16px] overflow-hidden rounded-[2px]"
        role="img"
        aria-label={parts.map(({ id, tokens }) => `${t.promptPart[id]} ${tokens}`).join(", ")}
      >
        {parts.map(({ id, widthPct }) => (
          <span key={id} className={clsx("border-surface border-r", FILLS[id])} style={{ width: `${widthPct}%` }} />
        ))}
      </div>
      <figcaption className="mt-1.5 flex flex-wrap gap-x-4 text-ink-2 text-note">
        {parts.map(({ id, tokens }) => (
          <span key={id} className="flex items-center gap-1.5">
            <i className={clsx("inline-block size-[9px]", FILLS[id])} />
            {t.promptPart[id]} {tokens}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

function Verdict(props: PromptProps) {
  const { page, comparison, view } = props;
  const { t } = page;
  const { path, knownTokens, repeatedTokens, costUsd, seconds } = comparison;
  const isPaidAgain = !isZero(costUsd) || seconds > 0;
  const facts = listEvidence({ reasons: comparison.reasons }, t);
  return (
    <section className="panel px-4 py-3.5" aria-label={t.verdict}>
      <p className="flex flex-wrap items-baseline gap-x-2.5 text-title leading-snug">
        <b className="font-[650]">{t.promptVerdict[view.verdict]}</b>
        {isPaidAgain && <span className="text-waste">{t.paidAgain(describeLoss(comparison))}</span>}
      </p>
      {view.verdict === "broken" && (
        <p className="mt-1.5 flex flex-wrap items-baseline gap-x-2.5">
          {path !== "" && <code className="rounded-[3px] bg-sunken px-1.5 py-0.5 font-mono text-note">{path}</code>}
          <span>{describeChange(comparison, t)}</span>
          {view.shared !== null && <span className="text-ink-3 text-note">{t.sharedPieces(view.shared)}</span>}
        </p>
      )}
      <PaidBar {...props} />
      {knownTokens !== null && repeatedTokens > 0 && (
        <p className="mt-1.5 text-ink-2 text-note">
          {t.repeatedOfKnown(formatCount(repeatedTokens), formatCount(knownTokens))}
        </p>
      )}
      {facts.length > 0 && (
        <div className="mt-2 max-w-[60ch]">
          <Facts rows={facts} />
        </div>
      )}
    </section>
  );
}

function Side({ name, common, own }: { name: string; common: string; own: string }) {
  return (
    <div className="min-w-0">
      <p className="mb-1 text-ink-3 text-note">{name}</p>
      <pre className="code-block">
        <span className="text-ink-3">{common !== "" && `…${common}`}</span>
        <mark className="bg-waste-weak text-ink">{own}</mark>
      </pre>
    </div>
  );
}

function TextPanel({ page: { t }, comparison: { text } }: PromptProps) {
  const { state } = text;
  return (
    <Panel title={t.promptText} note={state === "shown" ? text.path : undefined}>
      {state === "shown" ? (
        <div className="grid grid-cols-2 gap-4 px-4 pt-2 pb-3.5 max-md:grid-cols-1">
          <Side name={t.callBefore} common={text.common} own={text.before} />
          <Side name={t.thisCall} common={text.common} own={text.after} />
        </div>
      ) : (
        <p className="px-4 pt-1.5 pb-3.5 text-ink-2">{t.promptTextState[state]}</p>
      )}
    </Panel>
  );
}

function CallsPanel({ page, comparison: { call, before }, view }: PromptProps) {
  const { t } = page;
  const mark = ({ provenance }: PromptCall) => <ProvenanceMark kind={provenance} label={t.provenanceOf[provenance]} />;
  return (
    <Panel title={t.bothCalls} note={view.idle === null ? undefined : t.idleBetween(view.idle)}>
      <DataTable headings={[t.figure, figures(t.callBefore), figures(t.thisCall)]}>
        <tr>
          <th scope="row">{t.startedAt}</th>
          {[before, call].map((one, at) => (
            <td key={at === 0 ? "before" : "this"} className="num">
              {one === null ? (
                "–"
              ) : (
                <PageLink href={page.href(`/runs/${one.traceId}`, { span: one.spanId })}>
                  {formatPrecise(parseInstantNs(one.at))}
                </PageLink>
              )}
            </td>
          ))}
        </tr>
        <tr>
          <th scope="row">{t.model}</th>
          <td className="num">{before?.model ?? "–"}</td>
          <td className="num">{call.model}</td>
        </tr>
        {view.rows.map(({ id, values }) => (
          <tr key={id}>
            <th scope="row" className="max-sm:whitespace-normal!">
              {t.promptFigure[id]}
            </th>
            <td className="num">
              {before === null ? "–" : (values[0] ?? t.unpriced)} {id === "cost" && before !== null && mark(before)}
            </td>
            <td className="num">
              {values[1] ?? t.unpriced} {id === "cost" && mark(call)}
            </td>
          </tr>
        ))}
      </DataTable>
    </Panel>
  );
}

function CausesPanel({ page, comparison: { causes }, wordsOf }: PromptProps & { wordsOf: CauseWords }) {
  const { t } = page;
  if (causes.length === 0) return null;
  return (
    <Panel title={t.whyPaidAgain}>
      <div className="flex flex-col gap-3 px-4 pt-1.5 pb-3.5">
        {causes.map((item) => {
          const { title, describe, remedy } = wordsOf(item.cause);
          return (
            <div key={item.cause} className="border-waste border-l-[3px] bg-waste-weak px-3 py-2 text-note">
              <p className="flex flex-wrap items-baseline gap-2">
                <PageLink className="font-semibold" href={page.href(`/waste/${encodeURIComponent(item.cause)}`)}>
                  {title}
                </PageLink>
                <span className="tag tag-attention">{describeLoss(item)}</span>
                <ProvenanceMark kind={item.provenance} label={t.provenanceOf[item.provenance]} />
                <span className="text-ink-3">{t.confidenceOf[item.confidence]}</span>
              </p>
              <p className="mt-1 text-ink-2">{describe}</p>
              <p className="mt-1">
                <b className="font-semibold">{t.remedy}</b> {remedy}
              </p>
            </div>
          );
        })}
      </div>
    </Panel>
  );
}

type ViewProps = { page: Shown; comparison: PromptComparison; wordsOf: CauseWords };

export function PromptView({ page, comparison, wordsOf }: ViewProps) {
  const shown: PromptProps = { page, comparison, view: preparePrompt(comparison) };
  return (
    <>
      <Verdict {...shown} />
      <TextPanel {...shown} />
      <div className="grid grid-cols-2 items-start gap-3.5 max-lg:grid-cols-1 max-sm:gap-2.5">
        <CallsPanel {...shown} />
        <CausesPanel {...shown} wordsOf={wordsOf} />
      </div>
    </>
  );
}
