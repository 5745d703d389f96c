import { headers } from "next/headers";
import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { PageFrame } from "#features/page/page-frame.tsx";
import { describeApiCall, describeConnections } from "#features/sources/connections.ts";
import { SourcesView } from "#features/sources/sources-view.tsx";

export const dynamic = "force-dynamic";

export default function SourcesPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/sources", searchParams, async (page) => {
    const { data } = await page.api.keys();
    const head = await headers();
    const web = `${head.get("x-forwarded-proto") ?? "http"}://${head.get("host")}`;
    return (
      <PageFrame
        page={page}
        title={page.t.sources}
        subtitle={page.t.sourcesSubtitle}
        crumbs={[{ label: page.t.sources }]}
      >
        <SourcesView
          page={page}
          keys={data}
          connections={describeConnections(process.env)}
          apiCall={describeApiCall(web)}
        />
      </PageFrame>
    );
  });
}
