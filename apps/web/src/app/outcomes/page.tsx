import { loadOutcomes } from "#features/outcomes/load-outcomes.ts";
import { MaturityMenu, OutcomesView } from "#features/outcomes/outcomes-view.tsx";
import { FilterChips } from "#features/page/filters.tsx";
import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { PageFrame } from "#features/page/page-frame.tsx";

export const dynamic = "force-dynamic";

export default function OutcomesPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/outcomes", searchParams, async (page) => {
    const shown = await loadOutcomes(page);
    return (
      <PageFrame
        page={page}
        title={page.t.outcomes}
        subtitle={page.t.outcomesSubtitle}
        crumbs={[{ label: page.t.outcomes }]}
        period={shown.period}
        actions={
          <>
            <FilterChips page={page} filter={shown.filter} />
            <MaturityMenu page={page} maturity={shown.maturity} />
          </>
        }
      >
        <OutcomesView page={page} shown={shown} />
      </PageFrame>
    );
  });
}
