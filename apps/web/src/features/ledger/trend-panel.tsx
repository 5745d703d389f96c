/** Cost per pass and spend over time, as a chart and, on request, as its rows. */
import { formatCount, TrendChart } from "@centspan/ui";
import type { Catalogue } from "#i18n";
import type { Spend } from "./load-spend.ts";
import { Panel } from "./panel.tsx";

export function TrendPanel({ trend, t }: { trend: Spend["trend"]; t: Catalogue }) {
  const points = trend.points.map(({ startNs: _start, passed, tasks, ...point }) => ({
    ...point,
    passesText: t.passesOfTasks(formatCount(passed), formatCount(tasks)),
  }));
  return (
    <Panel title={t.trendTitle} note={`${t.trendBy[trend.bucket]}; ${t.trendNote}`}>
      <div className="px-4 pt-2 pb-3" role="img" aria-label={t.trendTitle}>
        <TrendChart points={points} labels={{ perPass: t.perPass, spend: t.spend, interval: t.interval }} />
      </div>
      <details className="border-line border-t px-4 py-2 text-note">
        <summary className="cursor-pointer text-accent">{t.showRows}</summary>
        <div className="max-h-[320px] overflow-auto">
          <table className="data-table mt-1">
            <thead>
              <tr>
                <th scope="col">{t.time}</th>
                <th scope="col" className="num">
                  {t.spend}
                </th>
                <th scope="col" className="num">
                  {t.perPass}
                </th>
                <th scope="col" className="num">
                  {t.interval}
                </th>
                <th scope="col" className="num">
                  {t.passedOfTasks}
                </th>
              </tr>
            </thead>
            <tbody>
              {trend.points.map((point) => (
                <tr key={point.label}>
                  <td>{point.label}</td>
                  <td className="num">{point.spendText}</td>
                  <td className="num">{point.perPassText ?? "–"}</td>
                  <td className="num">{point.intervalText ?? "–"}</td>
                  <td className="num">
                    {formatCount(point.passed)} / {formatCount(point.tasks)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </Panel>
  );
}
