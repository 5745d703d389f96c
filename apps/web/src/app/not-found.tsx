import { PageLink } from "#components/page-link";
import { readLanguage } from "#features/page/open-page.tsx";
import { Main } from "#features/page/page-frame.tsx";
import { getCatalogue } from "#i18n";

export default async function NotFound() {
  const t = getCatalogue(await readLanguage());
  return (
    <Main title={t.notFoundTitle}>
      <section className="panel max-w-[640px] p-4">
        <p className="mb-3 text-ink-2">{t.notFoundText}</p>
        <PageLink className="control" href="/">
          {t.toLedger}
        </PageLink>
      </section>
    </Main>
  );
}
