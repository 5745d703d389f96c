import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { PageFrame } from "#features/page/page-frame.tsx";
import { PromptView } from "#features/prompt/prompt-view.tsx";
import { loadCauseWords } from "#features/waste/words-of-cause.ts";

export const dynamic = "force-dynamic";

type Props = { params: Promise<{ traceId: string; spanId: string }>; searchParams: RawParams };

export default async function PromptPage({ params, searchParams }: Props) {
  const { traceId, spanId } = await params;
  return renderPage(`/runs/${traceId}/prompt/${spanId}`, searchParams, async (page) => {
    const { api, t } = page;
    const [comparison, traces, wordsOf] = await Promise.all([
      api.comparePrompt(traceId, spanId),
      api.traces({ traceId }),
      loadCauseWords(page),
    ]);
    const [run] = traces.data;
    return (
      <PageFrame
        page={page}
        title={t.promptPage}
        subtitle={run && (run.title || run.task || run.name)}
        crumbs={[
          { label: t.runs, href: page.href("/runs") },
          { label: run?.runId || traceId.slice(0, 12), href: page.href(`/runs/${traceId}`, { span: spanId }) },
          { label: t.promptPage },
        ]}
      >
        <PromptView page={page} comparison={comparison} wordsOf={wordsOf} />
      </PageFrame>
    );
  });
}
