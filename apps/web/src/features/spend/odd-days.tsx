/** Days that cost far more or less than days of that name before, each opening what was spent on it. */
import type { SpendAnomalyRow } from "@centspan/model";
import { formatCount, prepareOddDays } from "@centspan/ui";
import { DataTable, figures } from "#components/data-table";
import { PageLink } from "#components/page-link";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";

const MOST_DAYS = 12;

type PanelProps = { page: Page; anomalies: readonly SpendAnomalyRow[]; unjudged: number };

export function OddDays({ page, anomalies, unjudged }: PanelProps) {
  const { t, language } = page;
  const days = prepareOddDays(anomalies, MOST_DAYS, language);
  return (
    <Panel title={t.oddDays} note={unjudged === 0 ? t.oddDaysNote : t.oddDaysOf(formatCount(unjudged))}>
      {days.length === 0 ? (
        <p className="px-4 pt-1 pb-3.5 text-ink-2">{t.noOddDays}</p>
      ) : (
        <DataTable headings={[t.day, t.ofWhat, figures(t.spend), figures(t.usual), figures("×")]}>
          {days.map(({ key, day, label, group, cost, usual, times }) => (
            <tr key={key}>
              <td>
                <PageLink href={page.here({ groupBy: "key", period: null, from: day, to: day })}>{label}</PageLink>
              </td>
              <td className="max-w-[180px] truncate">{group === "" ? t.notKnown : group}</td>
              <td className="num font-[650]">{cost}</td>
              <td className="num text-ink-2">{usual}</td>
              <td className="num text-ink-2">{times ?? "–"}</td>
            </tr>
          ))}
        </DataTable>
      )}
    </Panel>
  );
}
