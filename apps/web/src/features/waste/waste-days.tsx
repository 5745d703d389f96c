/** Repeated and failed work day by day, as a chart and, on request, as its rows. */
import type { WasteRow } from "@centspan/model";
import { prepareSpendChart, SpendChart } from "@centspan/ui";
import { Panel } from "../ledger/panel.tsx";
import { RowsOnRequest } from "../ledger/rows-on-request.tsx";
import type { Page } from "../page/page.ts";

export function WasteDays({ page: { t, language }, days }: { page: Page; days: readonly WasteRow[] }) {
  const named = days.map(({ group }) => group).sort();
  const [firstDay] = named;
  const lastDay = named.at(-1);
  // A single day is no trend: the figures say it all.
  if (firstDay === undefined || lastDay === undefined || firstDay === lastDay) return null;
  const points = prepareSpendChart(
    { costs: days, firstDay, lastDay, beforeFirstDay: firstDay, anomalies: [], forecast: [] },
    language,
  );
  const labels = { spend: t.repeatedOrFailed, expected: t.expected, interval: t.interval, odd: t.oddDay };
  return (
    <Panel title={t.wasteByDay}>
      <div className="px-4 pt-2 pb-3" role="img" aria-label={t.wasteByDay}>
        <SpendChart points={points} labels={labels} />
      </div>
      <RowsOnRequest
        t={t}
        columns={[t.time, t.repeatedOrFailed]}
        rows={points.map(({ label, spendText }) => ({ key: label, cells: [label, spendText ?? "–"] }))}
      />
    </Panel>
  );
}
