import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { PageFrame } from "#features/page/page-frame.tsx";
import { loadWhatIf } from "#features/what-if/load-what-if.ts";
import { WhatIfPanels } from "#features/what-if/what-if-view.tsx";

export const dynamic = "force-dynamic";

export default function WhatIfPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/what-if", searchParams, async (page) => {
    const whatIf = await loadWhatIf(page);
    const { t } = page;
    return (
      <PageFrame
        page={page}
        title={t.whatIfPage}
        subtitle={t.whatIfSubtitle}
        crumbs={[{ label: t.recommendations, href: page.href("/recommendations") }, { label: t.whatIfPage }]}
      >
        <WhatIfPanels page={page} whatIf={whatIf} />
      </PageFrame>
    );
  });
}
