/** Tasks one by one: what each cost with its review, how many attempts it took, what it came to and who answers for it. */
import type { TaskRow } from "@centspan/model";
import { columnDecimals, formatCount, formatMoney } from "@centspan/ui";
import { DataTable, figures, wide, wideFigures } from "#components/data-table";
import { PageLink } from "#components/page-link";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import { OutcomeText } from "../runs/outcome-text.tsx";

type RowProps = { page: Page; row: TaskRow; decimals: number };

function Review({ row, page: { t }, decimals }: RowProps) {
  if (row.reviewUsd === null) return <span className="text-waste">{t.minutesWithoutPrice(row.reviewMinutes)}</span>;
  return row.reviewMinutes === "0" ? "–" : formatMoney(row.reviewUsd, decimals);
}

function Row(props: RowProps) {
  const { page, row, decimals } = props;
  const { t } = page;
  return (
    <tr>
      <td className="max-w-[300px] truncate">
        <PageLink href={page.href("/runs", { task: row.task })}>{row.task}</PageLink>
      </td>
      <td className="cell-wide text-ink-2">{row.team || "–"}</td>
      <td className="num cell-wide">{formatCount(row.attempts)}</td>
      <td className="num cell-wide text-ink-2">{formatCount(row.calls)}</td>
      <td className="num">{formatMoney(row.costUsd, decimals)}</td>
      <td className="num cell-wide text-ink-2">
        <Review {...props} />
      </td>
      <td>
        {row.reverted ? (
          <b className="font-semibold text-waste">{t.reverted}</b>
        ) : (
          <OutcomeText outcome={row.status} t={t} />
        )}{" "}
        {row.confidence === "weak" && <span className="tag">{t.weakLink}</span>}
      </td>
      <td className="cell-wide text-ink-2">{row.source ?? "–"}</td>
      <td className="cell-wide max-w-[180px] truncate text-ink-2">{row.accountable ?? "–"}</td>
    </tr>
  );
}

export function TaskPanel({ page, tasks, all }: { page: Page; tasks: readonly TaskRow[]; all: number }) {
  const { t } = page;
  const decimals = columnDecimals(tasks.flatMap(({ costUsd, reviewUsd }) => [costUsd, reviewUsd]));
  return (
    <Panel title={t.byGroup.task} note={t.tasksNote(formatCount(tasks.length), formatCount(all))}>
      <DataTable
        headings={[
          t.task,
          wide(t.team),
          wideFigures(t.attempts),
          wideFigures(t.calls),
          figures(t.cost),
          wideFigures(t.review),
          t.outcome,
          wide(t.source),
          wide(t.accountable),
        ]}
      >
        {tasks.map((row) => (
          <Row key={row.task} page={page} row={row} decimals={decimals} />
        ))}
      </DataTable>
    </Panel>
  );
}
