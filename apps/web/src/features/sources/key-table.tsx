/** The keys of a workspace, without their secrets. */
import type { KeyRow } from "@centspan/model";
import { DataTable } from "#components/data-table";
import { PageLink } from "#components/page-link";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";

export function KeyTable({ page, keys }: { page: Page; keys: readonly KeyRow[] }) {
  const { t } = page;
  return (
    <Panel title={t.keysOfWorkspace}>
      {keys.length === 0 ? (
        <p className="px-4 pt-1 pb-3.5 text-ink-2">{t.noKeys}</p>
      ) : (
        <DataTable headings={[t.key, t.kind, t.team, t.secretEnds, t.created]}>
          {keys.map((key) => (
            <tr key={key.keyId}>
              <td>
                {key.kind === "gateway" ? (
                  <PageLink href={page.href(`/keys/${encodeURIComponent(key.name)}`)}>{key.name}</PageLink>
                ) : (
                  key.name
                )}
              </td>
              <td className="text-ink-2">{key.kind}</td>
              <td>{key.team ?? "–"}</td>
              <td className="font-mono text-ink-3">…{key.hint}</td>
              <td className="text-ink-2">
                {key.createdAt.slice(0, 10)} {key.revokedAt !== null && <span className="tag">{t.revoked}</span>}
              </td>
            </tr>
          ))}
        </DataTable>
      )}
    </Panel>
  );
}
