import { KeyView } from "#features/keys/key-view.tsx";
import { loadKey } from "#features/keys/load-key.ts";
import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { PageFrame } from "#features/page/page-frame.tsx";

export const dynamic = "force-dynamic";

type Props = { params: Promise<{ keyId: string }>; searchParams: RawParams };

export default async function KeyPage({ params, searchParams }: Props) {
  const keyId = decodeURIComponent((await params).keyId);
  return renderPage(`/keys/${encodeURIComponent(keyId)}`, searchParams, async (page) => {
    const key = await loadKey(page, keyId);
    const { t } = page;
    return (
      <PageFrame
        page={page}
        title={key.name}
        subtitle={key.team === null || key.team === "" ? t.keyPage : t.keyOf(key.team)}
        crumbs={[
          { label: t.ledger, href: page.href("/") },
          ...(key.team === null || key.team === ""
            ? []
            : [{ label: key.team, href: page.href("/outcomes", { groupBy: "key", team: key.team }) }]),
          { label: key.name },
        ]}
        period={key.spend.period}
      >
        <KeyView page={page} keyName={key.name} {...key} />
      </PageFrame>
    );
  });
}
