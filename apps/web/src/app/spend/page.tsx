import { LENGTHS } from "#features/page/day-range.ts";
import { FilterChips } from "#features/page/filters.tsx";
import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { describeDays, PageFrame, PeriodMenu } from "#features/page/page-frame.tsx";
import { loadExplorer } from "#features/spend/load-explorer.ts";
import { SpendView } from "#features/spend/spend-view.tsx";

export const dynamic = "force-dynamic";

export default function SpendPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/spend", searchParams, async (page) => {
    const explorer = await loadExplorer(page);
    const { t } = page;
    const { range, filter } = explorer;
    return (
      <PageFrame
        page={page}
        title={t.spend}
        subtitle={t.spendSubtitle}
        crumbs={[{ label: t.spend }]}
        menu={
          <PeriodMenu
            page={page}
            current={range.id}
            choices={LENGTHS.map((id) => ({ id, text: t.completeDays[id] }))}
            from={range.firstDay}
            to={range.lastDay}
          />
        }
        facts={describeDays(range, page)}
        zone={range.zone}
        actions={<FilterChips page={page} filter={filter} />}
      >
        <SpendView page={page} explorer={explorer} />
      </PageFrame>
    );
  });
}
