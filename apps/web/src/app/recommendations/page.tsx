import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { PageFrame } from "#features/page/page-frame.tsx";
import { RecommendationList } from "#features/recommendations/list-view.tsx";

export const dynamic = "force-dynamic";

export default function RecommendationsPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/recommendations", searchParams, async (page) => {
    const { data } = await page.api.recommendations();
    const { t } = page;
    return (
      <PageFrame
        page={page}
        title={t.recommendations}
        subtitle={t.recommendationsSubtitle}
        crumbs={[{ label: t.recommendations }]}
      >
        <RecommendationList page={page} recommendations={data} />
      </PageFrame>
    );
  });
}
