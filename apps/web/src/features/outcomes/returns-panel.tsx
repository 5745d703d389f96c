/** What further spend bought: each further attempt, and who spends more for a task with what they get for it. */
import { CurveChart, formatCount, type ReturnsView } from "@centspan/ui";
import { DataTable, figures, wideFigures } from "#components/data-table";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";

type PanelProps = { page: Page; returns: ReturnsView };

export function AttemptsPanel({ page: { t }, returns }: PanelProps) {
  const { attempts, total, curve } = returns;
  // First attempts alone have no further ones to tell of.
  if (attempts.length < 2) return null;
  const said = curve.points.map(({ attempt, rate }) => `${t.attemptNumber(String(attempt))}: ${rate}`).join(", ");
  return (
    <Panel title={t.furtherAttempts} note={t.furtherAttemptsNote}>
      <div className="grid grid-cols-2 items-center gap-6 px-4 pt-2 pb-3.5 max-lg:grid-cols-1">
        <CurveChart curve={curve} label={`${t.passRate}: ${said}`} xLabel={t.spend} />
        <DataTable
          headings={[t.attempt, figures(t.morePasses), figures(t.spend), figures(t.perFurtherPass)]}
          foot={
            <tr>
              <td>{t.all}</td>
              <td className="num">{formatCount(total.morePasses)}</td>
              <td className="num">{total.spend}</td>
              <td className="num">{total.perPass ?? "–"}</td>
            </tr>
          }
        >
          {attempts.map(({ attempt, morePasses, spend, perPass }) => (
            <tr key={attempt}>
              <td>{attempt >= 5 ? t.attemptsFrom(String(attempt)) : attempt}</td>
              <td className="num">{formatCount(morePasses)}</td>
              <td className="num">{spend}</td>
              <td className="num font-[650]">{perPass ?? t.noFurtherPass}</td>
            </tr>
          ))}
        </DataTable>
      </div>
    </Panel>
  );
}

const MOST_GROUPS = 50;

export function SpendersPanel({ page: { t }, returns: { groups }, heading }: PanelProps & { heading: string }) {
  if (groups.length < 2) return null;
  return (
    <Panel title={t.moreForMore} note={t.moreForMoreNote(groups[0]?.group || t.notKnown)}>
      <DataTable
        headings={[
          heading,
          figures(t.spendPerTask),
          figures(t.timesLeast),
          wideFigures(t.passedOfTasks),
          figures(t.passRate),
          wideFigures(t.gain),
          wideFigures(t.perFurtherPass),
        ]}
      >
        {groups.slice(0, MOST_GROUPS).map((row, at) => (
          <tr key={row.group}>
            <td className="max-w-[260px] truncate">{row.group || t.notKnown}</td>
            <td className="num font-[650]">{row.perTask}</td>
            <td className="num">{row.times ?? "–"}</td>
            <td className="num cell-wide text-ink-2">
              {formatCount(row.passed)} / {formatCount(row.tasks)}
            </td>
            <td className="num">{row.passRate}</td>
            <td className="num cell-wide">{at === 0 ? "–" : `${row.gain} ${t.points}`}</td>
            <td className="num cell-wide">{at === 0 ? "–" : (row.perFurtherPass ?? t.morePassesNotShown)}</td>
          </tr>
        ))}
      </DataTable>
    </Panel>
  );
}
