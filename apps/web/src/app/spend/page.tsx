import { formatDate, formatDay } from "@centspan/ui";
import { FilterChips } from "#features/page/filters.tsx";
import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { PageFrame, PeriodMenu } from "#features/page/page-frame.tsx";
import { LENGTHS } from "#features/spend/day-range.ts";
import { loadExplorer } from "#features/spend/load-explorer.ts";
import { SpendView } from "#features/spend/spend-view.tsx";

export const dynamic = "force-dynamic";

export default function SpendPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/spend", searchParams, async (page) => {
    const explorer = await loadExplorer(page);
    const { t, language } = page;
    const { range, filter } = explorer;
    const write = (day: string, format = formatDay) => format(BigInt(Date.parse(day)) * 1_000_000n, language);
    const days = `${write(range.firstDay)} – ${write(range.lastDay, formatDate)}`;
    const before = `${write(range.before.firstDay)} – ${write(range.before.lastDay)}`;
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
        facts={[`${days} ${t.against(before)}`, ...(range.isOpen ? [t.lastDayIsOpen] : [])]}
        zone={range.zone}
        actions={<FilterChips page={page} filter={filter} />}
      >
        <SpendView page={page} explorer={explorer} />
      </PageFrame>
    );
  });
}
