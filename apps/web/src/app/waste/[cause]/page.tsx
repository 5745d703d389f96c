import { FilterChips } from "#features/page/filters.tsx";
import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { PageFrame } from "#features/page/page-frame.tsx";
import { CauseView } from "#features/waste/cause-view.tsx";
import { loadCause } from "#features/waste/load-cause.ts";

export const dynamic = "force-dynamic";

type Props = { params: Promise<{ cause: string }>; searchParams: RawParams };

export default async function CausePage({ params, searchParams }: Props) {
  const cause = decodeURIComponent((await params).cause);
  return renderPage(`/waste/${encodeURIComponent(cause)}`, searchParams, async (page) => {
    const shown = await loadCause(page, cause);
    const { t } = page;
    const { title, describe } = shown.words;
    return (
      <PageFrame
        page={page}
        title={title}
        subtitle={describe}
        crumbs={[{ label: t.waste, href: page.href("/waste") }, { label: title }]}
        period={shown.period}
        actions={<FilterChips page={page} filter={shown.filter} />}
      >
        <CauseView page={page} shown={shown} />
      </PageFrame>
    );
  });
}
