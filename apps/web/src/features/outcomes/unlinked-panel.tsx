/** What is in no cost per pass until it is linked: spend without an outcome, outcomes without spend, what was parked or refused. */
import type { Unlinked } from "@centspan/model";
import { columnDecimals, formatCount, formatMoney, formatRatio } from "@centspan/ui";
import { DataTable, figures, wide, wideFigures } from "#components/data-table";
import { PageLink } from "#components/page-link";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import { OutcomeText } from "../runs/outcome-text.tsx";

type PanelProps = { page: Page; unlinked: Unlinked };
const MOST_ROWS = 10;

const nameSubject = (subject: Readonly<Record<string, string>>): string => Object.values(subject).join(" · ");

function SpendTable({ page, unlinked }: PanelProps) {
  const { t } = page;
  const rows = unlinked.spend.slice(0, MOST_ROWS);
  const decimals = columnDecimals([...rows.map(({ costUsd }) => costUsd), unlinked.spendTotal.costUsd]);
  const { tasks, costUsd } = unlinked.spendTotal;
  return (
    <DataTable
      headings={[t.spendWithoutOutcome, wideFigures(t.calls), figures(t.spend), wide(t.suggestion)]}
      foot={
        <tr>
          <td>{t.countTasks(formatCount(tasks))}</td>
          <td className="cell-wide" />
          <td className="num">{formatMoney(costUsd, decimals)}</td>
          <td className="cell-wide" />
        </tr>
      }
    >
      {rows.map((row) => (
        <tr key={row.task}>
          <td className="max-w-[280px] truncate">
            {row.task === "" ? t.noTask : <PageLink href={page.href("/runs", { task: row.task })}>{row.task}</PageLink>}
          </td>
          <td className="num cell-wide">{formatCount(row.calls)}</td>
          <td className="num">{formatMoney(row.costUsd, decimals)}</td>
          <td className="cell-wide whitespace-normal! py-1.5! text-ink-2">{row.suggestions.join("; ") || "–"}</td>
        </tr>
      ))}
    </DataTable>
  );
}

function OutcomeTable({ page: { t }, unlinked }: PanelProps) {
  const rows = [
    ...unlinked.parked.map(({ outcome, reason }) => ({ outcome, why: reason, isParked: true })),
    ...unlinked.outcomes.map(({ outcome, suggestions }) => ({ outcome, why: suggestions.join("; "), isParked: false })),
  ];
  return (
    <DataTable headings={[t.outcomeWithoutSpend, t.outcome, wide(t.source), wide(t.suggestion)]}>
      {rows.slice(0, MOST_ROWS).map(({ outcome, why, isParked }) => (
        <tr key={`${outcome.outcomeId} ${isParked}`}>
          <td className="max-w-[280px] truncate">{nameSubject(outcome.subject)}</td>
          <td>
            <OutcomeText outcome={outcome.status} t={t} />{" "}
            {isParked && <span className="tag tag-attention">{t.parked}</span>}
          </td>
          <td className="cell-wide text-ink-2">{outcome.source}</td>
          <td className="cell-wide whitespace-normal! py-1.5! text-ink-2">{why || "–"}</td>
        </tr>
      ))}
    </DataTable>
  );
}

function RefusedTable({ page: { t }, unlinked }: PanelProps) {
  return (
    <DataTable headings={[t.refusedReports, figures(t.number), wide(t.reason)]}>
      {unlinked.refused.slice(0, MOST_ROWS).map(({ source, reason, count }) => (
        <tr key={`${source} ${reason}`}>
          <td>{source}</td>
          <td className="num">{formatCount(count)}</td>
          <td className="cell-wide whitespace-normal! py-1.5! text-ink-2">{reason}</td>
        </tr>
      ))}
    </DataTable>
  );
}

export function UnlinkedPanel({ page, unlinked }: PanelProps) {
  const { t } = page;
  const { coverage, spend, outcomes, parked, refused } = unlinked;
  if (spend.length + outcomes.length + parked.length + refused.length === 0) return null;
  return (
    <Panel
      title={t.notLinked}
      note={coverage === null ? t.notLinkedNote : `${t.notLinkedNote}; ${t.coverageIs(formatRatio(coverage))}`}
    >
      {spend.length > 0 && <SpendTable page={page} unlinked={unlinked} />}
      {outcomes.length + parked.length > 0 && <OutcomeTable page={page} unlinked={unlinked} />}
      {refused.length > 0 && <RefusedTable page={page} unlinked={unlinked} />}
    </Panel>
  );
}
