import { formatInstantRange, parseInstantNs } from "@centspan/ui";
import { PageLink } from "#components/page-link";
import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { PageFrame } from "#features/page/page-frame.tsx";
import { loadRun } from "#features/run/load-run.ts";
import { RunView } from "#features/run/run-view.tsx";

export const dynamic = "force-dynamic";

type Props = { params: Promise<{ traceId: string }>; searchParams: RawParams };

export default async function RunPage({ params, searchParams }: Props) {
  const { traceId } = await params;
  return renderPage(`/runs/${traceId}`, searchParams, async (page) => {
    const run = await loadRun(page, traceId);
    const { trace } = run;
    const { t } = page;
    const startedNs = parseInstantNs(trace.startedAt);
    const title = trace.title || trace.task || trace.name || t.untitled;
    return (
      <PageFrame
        page={page}
        title={title}
        subtitle={[trace.task, trace.taskType].filter((text) => text !== "" && text !== title).join(" · ")}
        crumbs={[
          { label: t.runs, href: page.href("/runs") },
          ...(trace.key === ""
            ? []
            : [{ label: trace.key, href: page.href(`/keys/${encodeURIComponent(trace.key)}`) }]),
          { label: trace.runId || traceId.slice(0, 12) },
        ]}
        actions={
          <PageLink className="control" href={page.href("/runs/compare", { run: traceId })}>
            {t.compareWith}
          </PageLink>
        }
        facts={[
          formatInstantRange(startedNs, startedNs + BigInt(trace.durationNs), page.language),
          [trace.team, trace.model].filter((text) => text !== "").join(" · "),
        ].filter((text) => text !== "")}
      >
        <RunView run={run} page={page} />
      </PageFrame>
    );
  });
}
