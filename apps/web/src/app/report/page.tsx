import { nextMonth } from "@centspan/model";
import { formatMonth, prepareChange } from "@centspan/ui";
import { clsx } from "clsx";
import { PageLink } from "#components/page-link";
import { PrintButton } from "#components/print-button";
import { EmptyPeriod } from "#features/ledger/empty-states.tsx";
import { KeyFigures, SimulatedNote, UnpricedNote } from "#features/ledger/key-figures.tsx";
import { loadSituation } from "#features/ledger/load-situation.ts";
import { loadSpend } from "#features/ledger/load-spend.ts";
import { OutcomeTable } from "#features/ledger/outcome-table.tsx";
import { SituationStrip } from "#features/ledger/situation-strip.tsx";
import { TrendPanel } from "#features/ledger/trend-panel.tsx";
import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { PageFrame } from "#features/page/page-frame.tsx";
import { listMonths, readMonth } from "#features/report/months.ts";
import { ChangePanel } from "#features/spend/change-panel.tsx";
import { CausesPanel } from "#features/waste/causes-panel.tsx";
import { loadCauses } from "#features/waste/load-waste.ts";

export const dynamic = "force-dynamic";

const ROWS = 20;
const MOST_CELLS = 7;

/** The ledger of one calendar month on paper: the same figures as everywhere, in an order to be read through. */
export default function ReportPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/report", searchParams, async (opened) => {
    const month = readMonth(opened.params.month, opened);
    const [from, to] = [`${month}-01`, nextMonth(month)];
    const { t, language, zone } = opened;
    const lastDay = new Date(Date.parse(`${to}-01`) - 86_400_000).toISOString().slice(0, 10);
    // What every part of it asks for is what a person would who names the month's days.
    const page = { ...opened, params: { ...opened.params, from, to: lastDay } };
    const spend = await loadSpend(page, {}, ["team"]);
    const [situation, causes, change] = await Promise.all([
      loadSituation(page, spend.period),
      loadCauses(page, {}, spend.period),
      opened.api.costChange({ from: spend.period.range.from, to: spend.period.range.to, tz: zone }),
    ]);
    const [table] = spend.tables;
    return (
      <PageFrame
        page={opened}
        title={t.monthlyReport}
        subtitle={t.reportSubtitle(formatMonth(month, language))}
        crumbs={[{ label: t.monthClose, href: opened.href("/close") }, { label: t.monthlyReport }]}
        facts={[formatMonth(month, language)]}
        actions={<PrintButton text={t.print} />}
      >
        <nav aria-label={t.reportMonths} className="no-print flex flex-wrap gap-1.5 max-sm:px-4">
          {listMonths(opened).map((one) => (
            <PageLink
              key={one}
              href={opened.here({ month: one })}
              aria-current={one === month ? "true" : undefined}
              className={clsx("control", one === month && "border-accent-line! bg-accent-weak! text-accent!")}
            >
              {formatMonth(one, language)}
            </PageLink>
          ))}
        </nav>
        {spend.any ? (
          <>
            <KeyFigures figures={spend.figures} page={page} filter={{}} comparison={situation.comparison} />
            <SituationStrip page={page} situation={situation} />
            <SimulatedNote share={spend.figures.simulatedShare} t={t} />
            {table !== undefined && <OutcomeTable page={page} table={table} grouping="team" filter={{}} most={ROWS} />}
            <ChangePanel page={page} change={prepareChange(change, MOST_CELLS)} />
            <CausesPanel page={page} causes={causes} />
            <TrendPanel trend={spend.trend} t={t} />
            <UnpricedNote figures={spend.figures} t={t} />
          </>
        ) : (
          <EmptyPeriod page={page} />
        )}
      </PageFrame>
    );
  });
}
