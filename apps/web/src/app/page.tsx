import type { Situation } from "@centspan/ui";
import { EmptyPeriod, EmptyWorkspace } from "#features/ledger/empty-states.tsx";
import { KeyFigures, SimulatedNote, UnpricedNote } from "#features/ledger/key-figures.tsx";
import { loadSituation } from "#features/ledger/load-situation.ts";
import { loadSpend, type Spend } from "#features/ledger/load-spend.ts";
import { OutcomeTable } from "#features/ledger/outcome-table.tsx";
import { SituationStrip } from "#features/ledger/situation-strip.tsx";
import { TrendPanel } from "#features/ledger/trend-panel.tsx";
import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import type { Page } from "#features/page/page.ts";
import { PageFrame } from "#features/page/page-frame.tsx";

export const dynamic = "force-dynamic";

const GROUPINGS = ["team", "key"] as const;
const ROWS = 20;

type LedgerProps = { page: Page; spend: Spend; situation: Situation };

function Ledger({ page, spend, situation }: LedgerProps) {
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
      <UnpricedNote figures={spend.figures} t={page.t} />
    </>
  );
}

export default function LedgerPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/", searchParams, async (page) => {
    const spend = await loadSpend(page, {}, GROUPINGS);
    const situation = await loadSituation(page, spend.period);
    return (
      <PageFrame
        page={page}
        title={page.t.ledger}
        subtitle={page.t.ledgerSubtitle}
        crumbs={[{ label: page.t.ledger }]}
        period={spend.any ? spend.period : { ...spend.period, fellBack: false }}
      >
        <Ledger page={page} spend={spend} situation={situation} />
      </PageFrame>
    );
  });
}
