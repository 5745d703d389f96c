import { prepareRecommendation } from "@centspan/ui";
import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { PageFrame } from "#features/page/page-frame.tsx";
import { RecommendationDetail } from "#features/recommendations/detail-view.tsx";

export const dynamic = "force-dynamic";

type Props = { params: Promise<{ id: string }>; searchParams: RawParams };

export default async function RecommendationPage({ params, searchParams }: Props) {
  const id = decodeURIComponent((await params).id);
  return renderPage(`/recommendations/${encodeURIComponent(id)}`, searchParams, async (page) => {
    const shown = await page.api.recommendation(id);
    const { t } = page;
    return (
      <PageFrame
        page={page}
        title={shown.title}
        subtitle={`${shown.subject} · ${t.recommendationState[shown.state]}`}
        crumbs={[{ label: t.recommendations, href: page.href("/recommendations") }, { label: shown.title }]}
      >
        <RecommendationDetail
          page={page}
          shown={shown}
          view={prepareRecommendation(shown)}
          canChange={page.may("recommendations.decide")}
        />
      </PageFrame>
    );
  });
}
