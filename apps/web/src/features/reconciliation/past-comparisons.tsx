/** What was compared before, by whom, and what came of it: from the audit log, since nothing of a file is kept. */
import type { AuditRow } from "@centspan/model";
import { formatDateMinute, formatDifference, parseInstantNs } from "@centspan/ui";
import { DataTable, figures } from "#components/data-table";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";

export const COMPARED = "invoice.reconcile";

export function PastComparisons({ page, audit }: { page: Page; audit: readonly AuditRow[] }) {
  const { t, language } = page;
  const write = (amount: string | number | undefined, unit: string | number | undefined): string =>
    typeof amount !== "string" ? "–" : unit === "usd" ? formatDifference(amount, 2) : amount;
  return (
    <Panel title={t.comparedBefore} note={t.comparedBeforeNote}>
      {audit.length === 0 ? (
        <p className="px-4 pt-1 pb-3.5 text-ink-2">{t.nothingCompared}</p>
      ) : (
        <DataTable headings={[t.when, t.who, t.file, t.period, figures(t.difference), figures(t.unexplained)]}>
          {audit.map(({ at, actor, subject, details }) => (
            <tr key={at}>
              <td className="text-ink-2">{formatDateMinute(parseInstantNs(at), language)}</td>
              <td>{actor}</td>
              <td className="max-w-[280px] truncate">{subject}</td>
              <td className="text-ink-2">{`${details.from ?? ""} – ${details.to ?? ""}`}</td>
              <td className="num">{write(details.difference, details.unit)}</td>
              <td className="num">{write(details.unexplained, details.unit)}</td>
            </tr>
          ))}
        </DataTable>
      )}
    </Panel>
  );
}
