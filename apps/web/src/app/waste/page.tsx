import { FilterChips } from "#features/page/filters.tsx";
import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { PageFrame } from "#features/page/page-frame.tsx";
import { loadWaste } from "#features/waste/load-waste.ts";
import { WasteView } from "#features/waste/waste-view.tsx";

export const dynamic = "force-dynamic";

export default function WastePage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/waste", searchParams, async (page) => {
    const shown = await loadWaste(page);
    const { t } = page;
    return (
      <PageFrame
        page={page}
        title={t.waste}
        subtitle={t.wasteSubtitle}
        crumbs={[{ label: t.waste }]}
        period={shown.any ? shown.period : { ...shown.period, fellBack: false }}
        actions={<FilterChips page={page} filter={shown.filter} />}
      >
        <WasteView page={page} shown={shown} />
      </PageFrame>
    );
  });
}
