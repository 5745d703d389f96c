import { prepareChange, type Situation, type SpendChange } from "@centspan/ui";
import { PageLink } from "#components/page-link";
import { SaveView } from "#components/save-view";
import { EmptyPeriod, EmptyWorkspace } from "#features/ledger/empty-states.tsx";
import { KeyFigures, SimulatedNote, UnpricedNote } from "#features/ledger/key-figures.tsx";
import { loadSituation } from "#features/ledger/load-situation.ts";
import { choosePeriod, loadSpend, type Spend } from "#features/ledger/load-spend.ts";
import { OutcomeTable } from "#features/ledger/outcome-table.tsx";
import { SituationStrip } from "#features/ledger/situation-strip.tsx";
import { TrendPanel } from "#features/ledger/trend-panel.tsx";
import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import type { Page } from "#features/page/page.ts";
import { PageFrame } from "#features/page/page-frame.tsx";
import type { Period } from "#features/page/period.ts";
import { ChangePanel } from "#features/spend/change-panel.tsx";
import { CausesPanel } from "#features/waste/causes-panel.tsx";
import { type Causes, loadCauses } from "#features/waste/load-waste.ts";

export const dynamic = "force-dynamic";

const GROUPINGS = ["team", "key"] as const;
const ROWS = 20;
const MOST_CELLS = 5;

type LedgerProps = { page: Page; spend: Spend; situation: Situation; causes: Causes; change: SpendChange | null };

function Ledger({ page, spend, situation, causes, change }: LedgerProps) {
  if (!spend.any) return spend.period.id === "all" ? <EmptyWorkspace page={page} /> : <EmptyPeriod page={page} />;
  return (
    <>
      <KeyFigures figures={spend.figures} page={page} filter={{}} comparison={situation.comparison} />
      <SituationStrip page={page} situation={situation} />
      <SimulatedNote share={spend.figures.simulatedShare} t={page.t} />
      <TrendPanel trend={spend.trend} t={page.t} />
      {spend.tables.map((table, i) => {
        const grouping = GROUPINGS[i] ?? "team";
        return <OutcomeTable key={grouping} page={page} table={table} grouping={grouping} filter={{}} most={ROWS} />;
      })}
      <div className="grid grid-cols-[3fr_2fr] items-start gap-3.5 max-lg:grid-cols-1">
        {change !== null && <ChangePanel page={page} change={change} />}
        <CausesPanel page={page} causes={causes} />
      </div>
      <UnpricedNote figures={spend.figures} t={page.t} />
    </>
  );
}

/** Against the time before; null where there is none. */
async function loadChange({ api, zone }: Page, { range }: Period): Promise<SpendChange | null> {
  if (range.from === undefined) return null;
  const to = range.to ?? new Date().toISOString();
  return prepareChange(await api.costChange({ from: range.from, to, tz: zone }), MOST_CELLS);
}

export default function LedgerPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/", searchParams, async (page) => {
    const period = await choosePeriod(page, {});
    const [spend, situation, causes, change] = await Promise.all([
      loadSpend(page, {}, GROUPINGS),
      loadSituation(page, period),
      loadCauses(page, {}, period),
      loadChange(page, period),
    ]);
    return (
      <PageFrame
        page={page}
        title={page.t.ledger}
        subtitle={page.t.ledgerSubtitle}
        crumbs={[{ label: page.t.ledger }]}
        actions={
          <>
            <SaveView />
            <PageLink className="control" href={page.href("/report")}>
              {page.t.monthlyReport}
            </PageLink>
          </>
        }
        period={spend.any ? period : { ...period, fellBack: false }}
      >
        <Ledger page={page} spend={spend} situation={situation} causes={causes} change={change} />
      </PageFrame>
    );
  });
}
