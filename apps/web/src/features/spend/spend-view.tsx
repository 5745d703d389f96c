/** The spend page: what was spent against before and what the month will cost, day by day, why it moved, and by whom. */
import {
  formatCount,
  formatMonth,
  ProvenanceMark,
  prepareChange,
  prepareSpendChart,
  prepareSpendFigures,
  prepareSpendTable,
  SpendChart,
  type SpendFigures,
} from "@centspan/ui";
import { PageLink } from "#components/page-link";
import { EmptyWorkspace } from "../ledger/empty-states.tsx";
import { Figure, FigureStrip, SimulatedNote } from "../ledger/key-figures.tsx";
import { Panel } from "../ledger/panel.tsx";
import { RowsOnRequest } from "../ledger/rows-on-request.tsx";
import { GroupingTabs } from "../page/filters.tsx";
import type { Page } from "../page/page.ts";
import { ChangePanel } from "./change-panel.tsx";
import { callsOf, type Explorer, GROUPINGS } from "./load-explorer.ts";
import { OddDays } from "./odd-days.tsx";
import { SpendTablePanel } from "./spend-table.tsx";

const MOST_ROWS = 200;
const MOST_CELLS = 7;

type ViewProps = { page: Page; explorer: Explorer };

function Figures({ page, figures, explorer }: ViewProps & { figures: SpendFigures }) {
  const { t } = page;
  const { comparison, forecast, provenance } = figures;
  const mark = provenance === null ? null : <ProvenanceMark kind={provenance} label={t.provenanceOf[provenance]} />;
  const derived = <ProvenanceMark kind="derived" label={t.provenanceOf.derived} />;
  const unknown = figures.unpricedCalls + figures.quarantinedCalls;
  return (
    <FigureStrip label={t.keyFigures}>
      <Figure label={t.spend} mark={mark} value={figures.spend} href={page.href("/runs", callsOf(explorer))}>
        <p>
          {comparison.arrow} {comparison.growth === null ? "" : `${comparison.growth} · `}
          <b className="font-semibold">{comparison.difference}</b> {t.against(comparison.before)}
        </p>
        <p className="mt-0.5 flex flex-wrap gap-x-3 text-axis text-ink-3">
          {figures.parts.map(({ kind, share }) => (
            <span key={kind} className="flex items-center gap-1">
              <ProvenanceMark kind={kind} label={t.provenanceOf[kind]} /> {share}
            </span>
          ))}
        </p>
      </Figure>
      <Figure
        label={t.forecastOf(formatMonth(forecast.month, page.language))}
        mark={<ProvenanceMark kind="estimated" label={t.provenanceOf.estimated} />}
        value={forecast.expected ?? "–"}
      >
        <p>{forecast.interval === null ? t.noForecast : `${forecast.levelPct}%: ${forecast.interval}`}</p>
        <p>{t.spentOfMonth(forecast.spent)}</p>
      </Figure>
      <Figure label={t.costPerCall} mark={derived} value={figures.perCall ?? "–"}>
        <p>{t.countCalls(figures.calls)}</p>
        {figures.perCallBefore !== null && <p>{t.before(figures.perCallBefore)}</p>}
      </Figure>
      <Figure
        label={t.unknownCost}
        value={formatCount(unknown)}
        {...(unknown === 0 ? {} : { href: page.here({ groupBy: "model" }) })}
      >
        <p>
          {unknown === 0
            ? t.allKnown
            : t.unknownInNoFigure(formatCount(figures.unpricedCalls), formatCount(figures.quarantinedCalls))}
        </p>
      </Figure>
    </FigureStrip>
  );
}

function DaysPanel({ page, explorer }: ViewProps) {
  const { t, language } = page;
  const { range, days, anomalies, forecast } = explorer;
  const points = prepareSpendChart(
    {
      costs: days,
      firstDay: range.firstDay,
      lastDay: range.lastDay,
      beforeFirstDay: range.before.firstDay,
      anomalies,
      forecast: forecast.total.days,
    },
    language,
  );
  const labels = { spend: t.spend, expected: t.expected, interval: t.intervalOf("80"), odd: t.oddDay };
  return (
    <Panel title={t.spendByDay} note={t.spendByDayNote(range.zone)}>
      <div className="px-4 pt-2 pb-3" role="img" aria-label={t.spendByDay}>
        <SpendChart points={points} labels={labels} />
      </div>
      <RowsOnRequest
        t={t}
        columns={[t.time, labels.spend, labels.expected, labels.interval, labels.odd]}
        rows={points.map((point) => ({
          key: point.label,
          cells: [
            point.label,
            point.spendText ?? "–",
            point.expectedText ?? "–",
            point.intervalText ?? "–",
            point.oddText ?? "–",
          ],
        }))}
      />
    </Panel>
  );
}

function EmptyRange({ page, explorer: { lastSpendDay, filter } }: ViewProps) {
  const { t } = page;
  if (lastSpendDay === null && Object.keys(filter).length === 0) return <EmptyWorkspace page={page} />;
  return (
    <section className="panel max-w-[640px] p-4">
      <h2 className="font-[650] text-figure">{t.emptyPeriodTitle}</h2>
      <p className="mb-3 text-ink-2">{t.emptyPeriodText}</p>
      {lastSpendDay === null ? (
        <PageLink className="control" href={page.href("/spend")}>
          {t.clearFilters}
        </PageLink>
      ) : (
        <PageLink className="control" href={page.here({ period: null, from: null, to: lastSpendDay })}>
          {t.daysUpTo(lastSpendDay)}
        </PageLink>
      )}
    </section>
  );
}

export function SpendView({ page, explorer }: ViewProps) {
  const { t } = page;
  if (explorer.days.every(({ calls }) => calls === 0)) return <EmptyRange page={page} explorer={explorer} />;
  const figures = prepareSpendFigures(explorer.total, explorer.callsBefore, explorer.forecast);
  const { pairs, total, grouping } = explorer;
  const table = prepareSpendTable({ pairs, total, compares: grouping !== "day", most: MOST_ROWS });
  return (
    <>
      <Figures page={page} explorer={explorer} figures={figures} />
      <SimulatedNote share={figures.simulatedShare} t={t} />
      <DaysPanel page={page} explorer={explorer} />
      <GroupingTabs page={page} groupings={GROUPINGS} current={grouping} />
      <SpendTablePanel page={page} explorer={explorer} table={table} />
      <div className="grid grid-cols-[3fr_2fr] items-start gap-3.5 max-lg:grid-cols-1">
        <ChangePanel page={page} change={prepareChange(explorer.change, MOST_CELLS)} />
        <OddDays page={page} anomalies={explorer.anomalies} unjudged={explorer.unjudged} />
      </div>
    </>
  );
}
