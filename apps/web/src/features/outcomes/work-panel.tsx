/** What pull requests, or branches where there are none, cost: up to the first green test run and after, and what became of them. */
import type { WorkAnswer, WorkRow } from "@centspan/model";
import { columnDecimals, formatCount, formatMoney, formatRatio } from "@centspan/ui";
import { DataTable, figures, wide, wideFigures } from "#components/data-table";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";

export type Work = { groupBy: "pullRequest" | "branch"; answer: WorkAnswer };

const LOST: readonly WorkRow["state"][] = ["reverted", "partly_reverted", "refused", "abandoned"];

export function WorkPanel({ page: { t }, work: { groupBy, answer } }: { page: Page; work: Work }) {
  const { data: rows, total } = answer;
  const decimals = columnDecimals(rows.flatMap(({ costUsd, toGreenUsd }) => [costUsd, toGreenUsd]));
  const share = (text: string | null): string => (text === null ? "–" : formatRatio(text));
  const note =
    rows.length === 0
      ? undefined
      : t.workNote({
          shown: formatCount(rows.length),
          all: formatCount(total.groups),
          coverage: share(total.coverage),
          tested: share(total.testedCoverage),
        });
  return (
    <Panel title={t.workTitle[groupBy]} note={note}>
      {rows.length === 0 && <p className="px-4 pt-1.5 pb-3.5 text-ink-2">{t.noWork}</p>}
      {rows.length > 0 && (
        <DataTable
          headings={[
            t.work,
            wide(t.group.repository),
            t.workBecame,
            wideFigures(t.sessions),
            figures(t.cost),
            wideFigures(t.toGreen),
            wideFigures(t.afterGreen),
          ]}
        >
          {rows.map((row) => (
            <tr key={`${row.repository} ${row.group}`}>
              <td className="max-w-[280px] truncate">{row.group}</td>
              <td className="cell-wide text-ink-2">{row.repository || "–"}</td>
              <td className={LOST.includes(row.state) ? "text-waste" : undefined}>{t.workState[row.state]}</td>
              <td className="num cell-wide text-ink-2">{formatCount(row.sessions)}</td>
              <td className="num">{formatMoney(row.costUsd, decimals)}</td>
              <td className="num cell-wide">{row.toGreenUsd === null ? "–" : formatMoney(row.toGreenUsd, decimals)}</td>
              <td className="num cell-wide text-ink-2">
                {row.afterGreenUsd === null ? "–" : formatMoney(row.afterGreenUsd, decimals)}
              </td>
            </tr>
          ))}
        </DataTable>
      )}
    </Panel>
  );
}
