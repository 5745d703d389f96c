/** Budgets: what each may spend and has, who is told, and forms to make, change and end one. */
import { type BudgetSubject, type BudgetView, ProvenanceMark } from "@centspan/ui";
import { clsx } from "clsx";
import { DataTable, figures, wideFigures } from "#components/data-table";
import { PageLink } from "#components/page-link";
import type { Catalogue } from "#i18n";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import { endBudget, saveBudget } from "./actions.ts";
import { BudgetFormPanel } from "./budget-fields.tsx";
import { beginState, fillForm, newForm, pickTexts } from "./budget-form.ts";
import { EndForm } from "./end-form.tsx";
import type { Budgets } from "./load-budgets.ts";

type ViewProps = { page: Page; budgets: Budgets; views: readonly BudgetView[]; canChange: boolean };

const nameOf = ({ keyNames }: Budgets, scope: BudgetView["scope"], subject: string): string =>
  scope === "key" ? (keyNames.get(subject) ?? subject) : subject;

function describeSubject(view: BudgetView, budgets: Budgets, t: Catalogue): string {
  const scope = t.budgetScope[view.scope];
  return view.subject === "*" ? t.eachOf(scope) : `${scope} ${nameOf(budgets, view.scope, view.subject)}`;
}

function Enforcement({ view, t }: { view: BudgetView; t: Catalogue }) {
  return view.enforcement === "hard" ? (
    <span className="tag tag-accent">{t.hardTag}</span>
  ) : (
    <span className="tag">{t.softTag}</span>
  );
}

/** Spent filled, held hatched, up to the limit at the right edge. */
function LimitBar({ subject, label }: { subject: BudgetSubject; label: string }) {
  const { spentPct, heldPct, stand } = subject;
  return (
    <span role="img" aria-label={label} className="flex h-[11px] w-full border border-line-strong bg-sunken">
      <span
        className={stand === "over" ? "bg-waste" : "bg-[var(--c-now)]"}
        style={{ width: spentPct === 0 ? 0 : `max(1px, ${spentPct}%)` }}
      />
      <span className="held-bar" style={{ width: `${heldPct}%` }} />
    </span>
  );
}

function SubjectCells({ subject, limit, t }: { subject: BudgetSubject; limit: string; t: Catalogue }) {
  const { stand, forecast, forecastIsOver } = subject;
  return (
    <>
      <td className="num font-[650]">{subject.spent}</td>
      <td className="w-[16%] min-w-24">
        <LimitBar subject={subject} label={t.limitBar(subject.spent, subject.held, limit)} />
      </td>
      <td className={clsx("num", stand === "over" ? "font-semibold text-waste" : "text-ink-2")}>{subject.share}</td>
      <td className="num cell-wide text-ink-2">{subject.held}</td>
      <td className={clsx("num", subject.isOverspent && "text-waste")}>{subject.left}</td>
      <td className={clsx("num cell-wide", forecastIsOver && "font-semibold text-waste")}>
        {forecast === null ? (
          <span className="text-ink-3">–</span>
        ) : (
          <>
            {forecast} <ProvenanceMark kind="estimated" label={t.provenanceOf.estimated} />
          </>
        )}
      </td>
    </>
  );
}

function tellAlerts(view: BudgetView, t: Catalogue): string {
  const when = [...view.thresholds, ...(view.tellsForecast ? [t.onForecast] : [])].join(", ");
  const to = [t.toLog, ...(view.webhookHost === null ? [] : [view.webhookHost]), ...view.emails].join(", ");
  return when === "" ? t.noAlerts : `${when} → ${to}`;
}

function BudgetPanel({ page, budgets, view, canChange }: Omit<ViewProps, "views"> & { view: BudgetView }) {
  const { t } = page;
  const period = view.period === "life" ? t.budgetPeriod.life : `${t.budgetPeriod[view.period]}, ${view.timeZone}`;
  return (
    <Panel
      title={view.name}
      note={
        <>
          {describeSubject(view, budgets, t)} · <b className="font-semibold text-ink">{view.limit}</b> · {period} ·{" "}
          <Enforcement view={view} t={t} />
        </>
      }
      aside={
        canChange && (
          <span className="flex gap-3">
            <PageLink href={page.here({ edit: view.budgetId, end: null, saved: null, ended: null })}>
              {t.changeOf(view.name)}
            </PageLink>
            <PageLink href={page.here({ end: view.budgetId, edit: null, saved: null, ended: null })}>
              {t.endOf(view.name)}
            </PageLink>
          </span>
        )
      }
    >
      {view.subjects.length === 0 ? (
        <p className="px-4 pt-1 text-ink-2">{t.nothingSpentYet}</p>
      ) : (
        <DataTable
          headings={[
            t.budgetScope[view.scope],
            figures(t.spent),
            { text: t.ofLimit(view.limit) },
            figures("%"),
            wideFigures(t.held),
            figures(t.left),
            wideFigures(t.budgetForecast),
          ]}
        >
          {view.subjects.map((subject) => (
            <tr key={subject.subject}>
              <td className="max-w-[240px] truncate" title={subject.subject}>
                {nameOf(budgets, view.scope, subject.subject)}
              </td>
              <SubjectCells subject={subject} limit={view.limit} t={t} />
            </tr>
          ))}
        </DataTable>
      )}
      <p className="flex flex-wrap gap-x-4 px-4 pt-1.5 pb-3 text-note text-ink-3">
        {view.others > 0 && <span>{t.otherSubjects(String(view.others))}</span>}
        <span>{view.resetsAt === null ? t.neverResets : t.resetsAt(view.resetsAt)}</span>
        <span>
          {t.alerts}: {tellAlerts(view, t)}
        </span>
        {view.enforcement === "hard" && <span>{t.unpricedRule[view.unpriced]}</span>}
      </p>
    </Panel>
  );
}

function EditPanel({ page, budgets, editId }: Omit<ViewProps, "views" | "canChange"> & { editId: string }) {
  const { t, params } = page;
  const edited = budgets.budgets.find(({ budgetId }) => budgetId === editId);
  const target = { workspace: params.workspace, budgetId: edited?.budgetId ?? null };
  const title = edited === undefined ? t.newBudget : t.changeOf(edited.name);
  return (
    <Panel title={title}>
      <BudgetFormPanel
        key={editId}
        t={pickTexts(t)}
        label={title}
        initial={beginState(edited === undefined ? newForm(budgets.timeZone) : fillForm(edited))}
        action={saveBudget.bind(null, target)}
        isNew={edited === undefined}
        subjects={budgets.subjects}
        cancelHref={page.here({ edit: null })}
      />
    </Panel>
  );
}

function EndPanel({ page, view: { budgetId, name } }: { page: Page; view: BudgetView }) {
  const { t, params } = page;
  return (
    <Panel title={t.endQuestion(name)}>
      <EndForm
        key={budgetId}
        action={endBudget.bind(null, { workspace: params.workspace, budgetId })}
        texts={{ consequence: t.endText, end: t.endOf(name), keep: t.keepIt }}
        keepHref={page.here({ end: null })}
      />
    </Panel>
  );
}

function Said({ page: { t, params }, views }: Pick<ViewProps, "page" | "views">) {
  const saved = views.find(({ name }) => name === params.saved);
  const text =
    saved !== undefined
      ? t.budgetSaved(saved.name)
      : params.ended !== undefined && views.every(({ budgetId }) => budgetId !== params.ended)
        ? t.budgetEnded
        : null;
  return (
    <p role="status" className={clsx("text-ink-2 max-sm:px-4", text === null && "sr-only")}>
      {text}
    </p>
  );
}

const COMMANDS = "npx centspan budgets create ci --team platform --limit 200 --per month\nnpx centspan budgets list";

function Command({ t }: { t: Catalogue }) {
  return (
    <section className="panel max-w-[760px] p-4">
      <h2 className="font-[650] text-figure">{t.noBudgets}</h2>
      <p className="mb-3 text-ink-2">{t.noBudgetsText}</p>
      <pre className="code-block">{COMMANDS}</pre>
    </section>
  );
}

export function BudgetsView({ page, budgets, views, canChange }: ViewProps) {
  const { t, params } = page;
  const ending = views.find(({ budgetId }) => budgetId === params.end);
  return (
    <>
      <Said page={page} views={views} />
      {canChange && params.edit !== undefined && <EditPanel page={page} budgets={budgets} editId={params.edit} />}
      {canChange && ending !== undefined && <EndPanel page={page} view={ending} />}
      {views.length === 0 && <Command t={t} />}
      {views.map((view) => (
        <BudgetPanel key={view.budgetId} page={page} budgets={budgets} view={view} canChange={canChange} />
      ))}
      <p className="px-0.5 text-axis text-ink-3 max-sm:px-4">{canChange ? t.budgetNote : t.pagesChangeNothing}</p>
    </>
  );
}
