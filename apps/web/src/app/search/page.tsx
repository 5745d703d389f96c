import { redirect } from "next/navigation";
import { PageLink } from "#components/page-link";
import { Panel } from "#features/ledger/panel.tsx";
import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { PageFrame } from "#features/page/page-frame.tsx";
import { find } from "#features/search/find.ts";

export const dynamic = "force-dynamic";

/** What the palette finds, without it: one place is opened at once. */
export default function SearchPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/search", searchParams, async (page) => {
    const { t, params } = page;
    const found = await find(page.api, params.q ?? "");
    const [only, ...others] = found;
    if (only !== undefined && others.length === 0) redirect(page.href(only.path, only.params));
    return (
      <PageFrame page={page} title={t.search} subtitle={params.q} crumbs={[{ label: t.search }]}>
        <Panel title={t.search} note={t.searchHint}>
          {found.length === 0 ? (
            <p className="px-4 pt-1 pb-3.5 text-ink-2">{t.nothingFound}</p>
          ) : (
            <ul className="px-4 pt-1 pb-3.5">
              {found.map(({ kind, name, note, path, params: more }) => (
                <li key={`${kind} ${name} ${path}`} className="py-1">
                  <span className="tag mr-2">{t.foundKind[kind]}</span>
                  <PageLink href={page.href(path, more)}>{name}</PageLink> <span className="text-ink-3">{note}</span>
                </li>
              ))}
            </ul>
          )}
        </Panel>
      </PageFrame>
    );
  });
}
