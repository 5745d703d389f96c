import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { PageFrame } from "#features/page/page-frame.tsx";
import { describeConnections } from "#features/sources/connections.ts";
import { SourcesView } from "#features/sources/sources-view.tsx";

export const dynamic = "force-dynamic";

export default function SourcesPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/sources", searchParams, async (page) => {
    const { data } = await page.api.keys();
    return (
      <PageFrame
        page={page}
        title={page.t.sources}
        subtitle={page.t.sourcesSubtitle}
        crumbs={[{ label: page.t.sources }]}
      >
        <SourcesView page={page} keys={data} connections={describeConnections(process.env)} />
      </PageFrame>
    );
  });
}
