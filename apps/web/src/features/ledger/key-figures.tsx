/** The ruled strip of key figures at the head of a page. */
import { type Comparison, type KeyFigures as Figures, formatCount, type PerPass, ProvenanceMark } from "@centspan/ui";
import { clsx } from "clsx";
import type { ReactNode } from "react";
import { PageLink } from "#components/page-link";
import type { Catalogue } from "#i18n";
import type { Filter } from "../page/filters.tsx";
import type { Page } from "../page/page.ts";

type FigureProps = {
  label: string;
  mark?: ReactNode;
  value: ReactNode;
  beside?: ReactNode;
  /** The rows behind the figure. */
  href?: string;
  /** Money that should not have been spent. */
  isAttention?: boolean;
  children?: ReactNode;
};

export function Figure({ label, mark, value, beside, href, isAttention = false, children }: FigureProps) {
  return (
    <div>
      <dt className="flex items-center gap-1.5 font-medium text-ink-2 text-note">
        {label}
        {mark}
      </dt>
      <dd>
        <p className={clsx("figure-value", isAttention && "text-waste")}>
          {href === undefined ? (
            value
          ) : (
            <PageLink className="figure-link" href={href}>
              {value}
            </PageLink>
          )}
          {beside !== undefined && (
            <>
              {" "}
              <small className="inline-block font-medium text-body text-ink-2 leading-snug tracking-normal">
                {beside}
              </small>
            </>
          )}
        </p>
        <div className="text-ink-2 text-note">{children}</div>
      </dd>
    </div>
  );
}

type StripProps = { label: string; isSmall?: boolean; children: ReactNode };

export function FigureStrip({ label, isSmall = false, children }: StripProps) {
  return (
    <section className="panel" aria-label={label}>
      <dl className={clsx("figure-strip", isSmall && "figure-strip-small")}>{children}</dl>
    </section>
  );
}

export function PerPassValue({ perPass, t }: { perPass: PerPass; t: Catalogue }) {
  if (perPass.kind === "point") return perPass.amount;
  return perPass.kind === "at_least" ? t.atLeast(perPass.amount) : "–";
}

function describePerPass(perPass: PerPass, t: Catalogue): string | null {
  if (perPass.kind === "at_least") return t.noPassYet(formatCount(perPass.tasks));
  return perPass.kind === "no_tasks" ? t.noFinishedTask : null;
}

const joinFacts = (facts: readonly (string | null)[]): string => facts.filter((fact) => fact !== null).join(" · ");

type KeyFiguresProps = {
  figures: Figures;
  page: Pick<Page, "t" | "href">;
  filter: Filter;
  /** Spend against the period before. */
  comparison?: Comparison | null;
};

export function KeyFigures({ figures, page, filter, comparison = null }: KeyFiguresProps) {
  const { t } = page;
  const { perPass, provenance, parts } = figures;
  const mark = provenance === null ? null : <ProvenanceMark kind={provenance} label={t.provenanceOf[provenance]} />;
  const counted = (count: number, text: (count: string) => string): string | null =>
    count === 0 ? null : text(formatCount(count));
  // Outcomes are of tasks: a list of runs would show failed attempts of tasks that passed.
  const tasksHref = page.href("/outcomes", { ...filter, groupBy: "task" });
  return (
    <FigureStrip label={t.keyFigures}>
      <Figure label={t.spend} mark={mark} value={figures.spend} href={page.href("/runs", filter)}>
        <p>
          {comparison === null
            ? t.countCalls(formatCount(figures.calls))
            : `${comparison.arrow} ${comparison.growth ?? ""} · ${comparison.difference} ${t.against(comparison.before)}`}
        </p>
        {parts.length > 0 && (
          <p className="mt-0.5 flex flex-wrap gap-x-3 text-axis text-ink-3">
            {parts.map(({ kind, share }) => (
              <span key={kind} className="flex items-center gap-1">
                <ProvenanceMark kind={kind} label={t.provenanceOf[kind]} /> {share}
              </span>
            ))}
          </p>
        )}
      </Figure>
      <Figure label={t.costPerPass} mark={mark} value={<PerPassValue perPass={perPass} t={t} />} href={tasksHref}>
        {perPass.kind === "point" && perPass.interval !== null && <p>95%: {perPass.interval}</p>}
        <p>{describePerPass(perPass, t)}</p>
        {figures.pendingBounds !== null && <p>{t.ifPendingResolve(figures.pendingBounds)}</p>}
      </Figure>
      <Figure
        label={t.passingOutcomes}
        href={tasksHref}
        value={formatCount(figures.passed)}
        beside={t.ofTasks(formatCount(figures.tasks))}
      >
        <p>
          {joinFacts([
            figures.passRate,
            counted(figures.failed, t.countFailed),
            counted(figures.pending, t.countPending),
            counted(figures.unknown, t.countUnknown),
          ])}
        </p>
        {figures.coverage !== null && <p>{t.coverageIs(figures.coverage)}</p>}
      </Figure>
      <Figure label={t.spentOnFailed} mark={mark} value={figures.failedSpend} href={tasksHref}>
        {figures.failedShare !== null && <p>{t.ofSpend(figures.failedShare)}</p>}
      </Figure>
    </FigureStrip>
  );
}

/** What part of the figures is simulated, and what in them is real. */
export function SimulatedNote({ share, t }: { share: string | null; t: Catalogue }) {
  if (share === null) return null;
  return (
    <aside className="flex items-baseline gap-2.5 rounded-panel border border-line border-l-[3px] border-l-[var(--c-before)] bg-sunken px-3.5 py-2.5 max-sm:rounded-none">
      <ProvenanceMark kind="simulated" label={t.provenanceOf.simulated} decorative />
      <p>
        <b className="font-semibold">{share === "100.0%" ? t.simulatedAll : t.simulatedTitle(share)}.</b>{" "}
        <span className="text-ink-2">{t.simulatedText}</span>
      </p>
    </aside>
  );
}

export function UnpricedNote({ figures, t }: { figures: Figures; t: Catalogue }) {
  if (figures.unpricedCalls === 0 && figures.quarantinedCalls === 0) return null;
  return (
    <p className="px-0.5 text-axis text-ink-3 max-sm:px-4">
      {t.notPriced(formatCount(figures.unpricedCalls), formatCount(figures.quarantinedCalls))}
    </p>
  );
}
