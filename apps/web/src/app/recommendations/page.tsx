import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { PageFrame } from "#features/page/page-frame.tsx";
import { RecommendationList } from "#features/recommendations/list-view.tsx";
import { PolicyPanel, StudyPanel } from "#features/recommendations/study-panel.tsx";

export const dynamic = "force-dynamic";

export default function RecommendationsPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/recommendations", searchParams, async (page) => {
    const [{ data }, studies, policies] = await Promise.all([
      page.api.recommendations(),
      page.api.studies({ limit: "10" }),
      page.api.acceptancePolicies(),
    ]);
    const { t } = page;
    return (
      <PageFrame
        page={page}
        title={t.recommendations}
        subtitle={t.recommendationsSubtitle}
        crumbs={[{ label: t.recommendations }]}
      >
        <RecommendationList page={page} recommendations={data} />
        <StudyPanel page={page} studies={studies.data} />
        <PolicyPanel page={page} policies={policies.data} />
      </PageFrame>
    );
  });
}
