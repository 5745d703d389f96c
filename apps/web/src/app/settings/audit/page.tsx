import { formatDateMinute, parseInstantNs } from "@centspan/ui";
import { DataTable, wide } from "#components/data-table";
import { Panel } from "#features/ledger/panel.tsx";
import { type RawParams, renderPage } from "#features/page/open-page.tsx";
import { SettingsFrame } from "#features/settings/settings-frame.tsx";

export const dynamic = "force-dynamic";

/** As many as the Trace API gives at once. */
const ROWS = 1000;

export default function AuditPage({ searchParams }: { searchParams: RawParams }) {
  return renderPage("/settings/audit", searchParams, async (page) => {
    const { t, language } = page;
    const { data } = await page.api.audit({ limit: String(ROWS) });
    return (
      <SettingsFrame page={page} id="audit" subtitle={t.auditSubtitle}>
        <Panel title={t.audit}>
          {data.length === 0 ? (
            <p className="px-4 pt-1 pb-3.5 text-ink-2">{t.noAudit}</p>
          ) : (
            <DataTable headings={[t.auditAt, t.auditWho, t.auditAction, t.auditSubject, wide(t.auditDetails)]}>
              {data.map(({ at, actor, action, subject, details }) => (
                <tr key={`${at} ${action} ${subject}`}>
                  <td className="whitespace-nowrap text-ink-2">{formatDateMinute(parseInstantNs(at), language)}</td>
                  <td title={actor}>{actor.replace(/ \(.*\)$/, "")}</td>
                  <td className="font-mono text-axis">{action}</td>
                  <td className="max-w-[260px] truncate font-mono text-axis" title={subject}>
                    {subject}
                  </td>
                  <td className="cell-wide max-w-[420px] truncate text-ink-2" title={JSON.stringify(details)}>
                    {Object.entries(details)
                      .map(([name, value]) => `${name}: ${value}`)
                      .join(" · ")}
                  </td>
                </tr>
              ))}
            </DataTable>
          )}
        </Panel>
      </SettingsFrame>
    );
  });
}
