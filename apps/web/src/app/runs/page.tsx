import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { PageFrame } from "#features/page/page-frame.tsx";
import { loadRuns } from "#features/runs/load-runs.ts";
import { RunsView } from "#features/runs/runs-view.tsx";

export const dynamic = "force-dynamic";

export default function RunsPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/runs", searchParams, async (page) => {
    const runs = await loadRuns(page);
    const { t } = page;
    return (
      <PageFrame page={page} title={t.runs} subtitle={t.runsSubtitle} crumbs={[{ label: t.runs }]} period={runs.period}>
        <RunsView page={page} runs={runs} />
      </PageFrame>
    );
  });
}
