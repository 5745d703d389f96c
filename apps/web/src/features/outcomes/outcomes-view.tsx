/** The outcomes page: what passes cost, who is cheapest and how sure that is, what further spend bought, what is not linked. */
import { PageLink } from "#components/page-link";
import { EmptyPeriod } from "../ledger/empty-states.tsx";
import { KeyFigures, SimulatedNote, UnpricedNote } from "../ledger/key-figures.tsx";
import { OutcomeTable } from "../ledger/outcome-table.tsx";
import { Panel } from "../ledger/panel.tsx";
import { GroupingTabs } from "../page/filters.tsx";
import type { Page } from "../page/page.ts";
import { ComparisonPanel } from "./comparison-panel.tsx";
import { isListed, MATURITIES, type OutcomesPage } from "./load-outcomes.ts";
import { AttemptsPanel, SpendersPanel } from "./returns-panel.tsx";
import { TaskPanel } from "./task-panel.tsx";
import { UnlinkedPanel } from "./unlinked-panel.tsx";
import { WorkPanel } from "./work-panel.tsx";

export function MaturityMenu({ page, maturity }: { page: Page; maturity: OutcomesPage["maturity"] }) {
  const { t } = page;
  const shown = maturity === null ? t.atOnce : t.afterDays(maturity);
  return (
    <details className="menu">
      <summary className="control" aria-label={`${t.maturity}: ${shown}`}>
        {t.maturity}: {shown}
      </summary>
      <div className="menu-list">
        {[null, ...MATURITIES].map((days) => (
          <PageLink key={days ?? "none"} className="menu-item" href={page.here({ maturity: days })}>
            {days === null ? t.atOnce : t.afterDays(days)}
          </PageLink>
        ))}
      </div>
    </details>
  );
}

export function OutcomesView({ page, shown }: { page: Page; shown: OutcomesPage }) {
  const { t } = page;
  const { grouping, filter, figures, table, returns } = shown;
  if (!shown.any) return <EmptyPeriod page={page} />;
  return (
    <>
      <KeyFigures figures={figures} page={page} filter={filter} />
      <SimulatedNote share={figures.simulatedShare} t={t} />
      <GroupingTabs page={page} groupings={shown.groupings} current={grouping} />
      {shown.comparison !== null && <ComparisonPanel page={page} shown={shown} comparison={shown.comparison} />}
      {grouping === "task" && <TaskPanel page={page} tasks={shown.tasks} all={figures.tasks} />}
      {shown.work !== null && <WorkPanel page={page} work={shown.work} />}
      {!isListed(grouping) && <OutcomeTable page={page} table={table} grouping={grouping} filter={filter} />}
      <UnpricedNote figures={figures} t={t} />
      <AttemptsPanel page={page} returns={returns} />
      <SpendersPanel page={page} returns={returns} heading={t.group[isListed(grouping) ? "team" : grouping]} />
      <UnlinkedPanel page={page} unlinked={shown.unlinked} />
      <Panel title={t.readingTitle}>
        <ul className="flex max-w-[90ch] flex-col gap-1.5 px-4 pt-1.5 pb-3.5 text-ink-2">
          {[t.readingInterval, t.readingBound, t.readingPending, t.readingCohort, t.readingCoverage].map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      </Panel>
    </>
  );
}
