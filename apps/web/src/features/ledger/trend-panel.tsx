/** Cost per pass and spend over time, as a chart and, on request, as its rows. */
import { formatCount, TrendChart } from "@centspan/ui";
import type { Catalogue } from "#i18n";
import type { Spend } from "./load-spend.ts";
import { Panel } from "./panel.tsx";
import { RowsOnRequest } from "./rows-on-request.tsx";

export function TrendPanel({ trend, t }: { trend: Spend["trend"]; t: Catalogue }) {
  // A single bucket is no trend: the key figures say it all.
  if (trend.points.length === 0) return null;
  const points = trend.points.map(({ startNs: _start, passed, tasks, ...point }) => ({
    ...point,
    passesText: t.passesOfTasks(formatCount(passed), formatCount(tasks)),
  }));
  return (
    <Panel title={t.trendTitle} note={`${t.trendBy[trend.bucket]}; ${t.trendNote}`}>
      <div className="px-4 pt-2 pb-3" role="img" aria-label={t.trendTitle}>
        <TrendChart points={points} labels={{ perPass: t.perPass, spend: t.spend, interval: t.interval }} />
      </div>
      <RowsOnRequest
        t={t}
        columns={[t.time, t.spend, t.perPass, t.interval, t.passedOfTasks]}
        rows={trend.points.map((point) => ({
          key: point.label,
          cells: [
            point.label,
            point.spendText,
            point.perPassText ?? "–",
            point.intervalText ?? "–",
            `${formatCount(point.passed)} / ${formatCount(point.tasks)}`,
          ],
        }))}
      />
    </Panel>
  );
}
