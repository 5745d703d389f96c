import { PageLink } from "#components/page-link";
import { readLanguage } from "#features/page/open-page.tsx";
import { Main } from "#features/page/page-frame.tsx";
import { getCatalogue } from "#i18n";

export default async function Forbidden() {
  const t = getCatalogue(await readLanguage());
  return (
    <Main title={t.forbiddenTitle}>
      <section className="panel max-w-[640px] p-4">
        <p className="mb-3 text-ink-2">{t.forbiddenText}</p>
        <div className="flex gap-2">
          <PageLink className="control" href="/">
            {t.toLedger}
          </PageLink>
          <form method="post" action="/session">
            <button type="submit" name="do" value="sign-out" className="control">
              {t.signOut}
            </button>
          </form>
        </div>
      </section>
    </Main>
  );
}
