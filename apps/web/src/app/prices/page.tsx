import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { PageFrame } from "#features/page/page-frame.tsx";
import { CardPanel } from "#features/prices/card-panel.tsx";
import { loadPrices } from "#features/prices/load-prices.ts";
import { PreviewPanel } from "#features/prices/preview-panel.tsx";
import { CommitmentsPanel, TermsPanel } from "#features/prices/terms-panel.tsx";

export const dynamic = "force-dynamic";

export default function PricesPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/prices", searchParams, async (page) => {
    const prices = await loadPrices(page);
    const { t } = page;
    return (
      <PageFrame page={page} title={t.prices} subtitle={t.pricesSubtitle} crumbs={[{ label: t.prices }]}>
        <TermsPanel page={page} prices={prices} />
        <CommitmentsPanel page={page} prices={prices} />
        <PreviewPanel page={page} prices={prices} />
        <CardPanel page={page} prices={prices} />
      </PageFrame>
    );
  });
}
