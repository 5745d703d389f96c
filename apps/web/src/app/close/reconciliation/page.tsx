import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { PageFrame } from "#features/page/page-frame.tsx";
import { compareFile } from "#features/reconciliation/compare-file.ts";
import { CompareForm } from "#features/reconciliation/compare-form.tsx";
import { pickTexts } from "#features/reconciliation/compare-state.ts";
import { COMPARED, PastComparisons } from "#features/reconciliation/past-comparisons.tsx";

export const dynamic = "force-dynamic";

export default function ReconciliationPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/close/reconciliation", searchParams, async (page) => {
    const { t, params } = page;
    const { data: audit } = await page.api.audit({ limit: "200" });
    return (
      <PageFrame
        page={page}
        title={t.reconciliation}
        subtitle={t.reconciliationSubtitle}
        crumbs={[{ label: t.monthClose, href: page.href("/close") }, { label: t.reconciliation }]}
      >
        {page.may("periods.write") ? (
          <CompareForm t={pickTexts(t)} action={compareFile.bind(null, params.workspace)} />
        ) : (
          <section className="panel max-w-[760px] p-4">
            <p className="mb-3 text-ink-2">{t.pagesChangeNothing}</p>
            <pre className="code-block">npx centspan reconcile INVOICE</pre>
          </section>
        )}
        <PastComparisons page={page} audit={audit.filter(({ action }) => action === COMPARED)} />
      </PageFrame>
    );
  });
}
