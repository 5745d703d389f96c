import { loadSpend } from "#features/ledger/load-spend.ts";
import { FilterChips, OutcomesView, readFilter, readGrouping } from "#features/outcomes/outcomes-view.tsx";
import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { PageFrame } from "#features/page/page-frame.tsx";

export const dynamic = "force-dynamic";

export default function OutcomesPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/outcomes", searchParams, async (page) => {
    const grouping = readGrouping(page.params.groupBy);
    const filter = readFilter(page.params);
    const spend = await loadSpend(page, filter, [grouping]);
    return (
      <PageFrame
        page={page}
        title={page.t.outcomes}
        subtitle={page.t.outcomesSubtitle}
        crumbs={[{ label: page.t.outcomes }]}
        period={spend.period}
        actions={<FilterChips page={page} filter={filter} />}
      >
        <OutcomesView page={page} spend={spend} grouping={grouping} filter={filter} />
      </PageFrame>
    );
  });
}
