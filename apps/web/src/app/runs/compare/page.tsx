import { PageLink } from "#components/page-link";
import { ChooseView } from "#features/compare/choose-view.tsx";
import { CompareView } from "#features/compare/compare-view.tsx";
import { compareHref } from "#features/compare/compared.ts";
import { loadComparison, readChosen } from "#features/compare/load-comparison.ts";
import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { PageFrame } from "#features/page/page-frame.tsx";

export const dynamic = "force-dynamic";

export default async function ComparePage({ searchParams }: { searchParams: RawParams }) {
  const chosen = readChosen((await searchParams).run);
  return renderPage("/runs/compare", searchParams, async (page) => {
    const { t } = page;
    const shown = await loadComparison(page, chosen);
    const [first, second] = shown.runs;
    const tasks = [...new Set(shown.runs.map(({ task }) => task))];
    return (
      <PageFrame
        page={page}
        title={t.comparePage}
        subtitle={tasks.length > 1 ? t.compareSubtitle : tasks[0]}
        crumbs={[{ label: t.runs, href: page.href("/runs") }, { label: t.comparePage }]}
        actions={
          first !== undefined &&
          second !== undefined && (
            <PageLink className="control" href={compareHref(page, second.traceId, first.traceId)}>
              {t.swapRuns}
            </PageLink>
          )
        }
      >
        {shown.comparison === null ? (
          <ChooseView page={page} shown={shown} />
        ) : (
          <CompareView page={page} comparison={shown.comparison} wordsOf={shown.wordsOf} />
        )}
      </PageFrame>
    );
  });
}
