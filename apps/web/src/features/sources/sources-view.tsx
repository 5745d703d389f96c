/** How to connect: one block per way in, with commands that carry this installation's addresses; then the keys there are. */
import type { KeyRow } from "@centspan/model";
import type { ReactNode } from "react";
import { PageLink } from "#components/page-link";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import type { Connections } from "./connections.ts";

function Way({ title, text, command }: { title: string; text?: ReactNode; command: string }) {
  return (
    <Panel title={title}>
      <div className="px-4 pt-1 pb-3.5">
        {text !== undefined && <p className="mb-2 text-ink-2">{text}</p>}
        <pre className="code-block">{command}</pre>
      </div>
    </Panel>
  );
}

type ViewProps = { page: Page; keys: KeyRow[]; connections: Connections; apiCall: string };

export function SourcesView({ page, keys, connections, apiCall }: ViewProps) {
  const { t } = page;
  return (
    <>
      <div className="grid grid-cols-2 items-start gap-3.5 max-lg:grid-cols-1">
        <Way title={t.connectGateway} text={t.connectGatewayText} command={connections.gateway} />
        <Way title={t.connectCodex} command={connections.codex} />
        <Way title={t.connectClaude} text={t.connectClaudeText} command={connections.claude} />
        <Way title={t.connectOtel} text={t.connectOtelText} command={connections.otel} />
        <Way title={t.connectImport} text={t.connectImportText} command={connections.imports} />
        <Way title={t.connectApi} text={t.connectApiText} command={apiCall} />
      </div>
      <Panel title={t.keysOfWorkspace}>
        {keys.length === 0 ? (
          <p className="px-4 pt-1 pb-3.5 text-ink-2">{t.noKeys}</p>
        ) : (
          <div className="relative overflow-x-auto">
            <table className="data-table">
              <thead>
                <tr>
                  <th scope="col">{t.key}</th>
                  <th scope="col">{t.kind}</th>
                  <th scope="col">{t.team}</th>
                  <th scope="col">{t.secretEnds}</th>
                  <th scope="col">{t.created}</th>
                </tr>
              </thead>
              <tbody>
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
              </tbody>
            </table>
          </div>
        )}
      </Panel>
    </>
  );
}
