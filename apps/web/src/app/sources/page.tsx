import { headers } from "next/headers";
import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { PageFrame } from "#features/page/page-frame.tsx";
import { describeApiCall, describeConnections } from "#features/sources/connections.ts";
import { isSilent, prepareArrivals, prepareCollector } from "#features/sources/prepare-sources.ts";
import { SourcesView } from "#features/sources/sources-view.tsx";
import { readCollector } from "#server/collector";

export const dynamic = "force-dynamic";

export default function SourcesPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/sources", searchParams, async (page) => {
    const [sources, collector, keys, head] = await Promise.all([
      page.api.sources(),
      readCollector(process.env),
      page.api.keys(),
      headers(),
    ]);
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
          arrivals={prepareArrivals(sources.data, BigInt(page.nowMs) * 1_000_000n, page.language)}
          silent={isSilent(sources.data)}
          collector={"status" in collector ? prepareCollector(collector.status) : collector}
          keys={keys.data}
          connections={describeConnections(process.env)}
          apiCall={describeApiCall(web)}
        />
      </PageFrame>
    );
  });
}
