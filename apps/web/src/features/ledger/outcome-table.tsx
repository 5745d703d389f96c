/** "What was spent and what it bought" by one grouping; every name opens the rows one level down. */
import {
  formatCount,
  gridBackground,
  type OutcomeTableRow,
  ProvenanceMark,
  type OutcomeTable as Table,
  WhiskerAxis,
  WhiskerPlot,
} from "@centspan/ui";
import { PageLink } from "#components/page-link";
import type { Catalogue } from "#i18n";
import type { Filter } from "../page/filters.tsx";
import type { Page } from "../page/page.ts";
import { PerPassValue } from "./key-figures.tsx";
import type { Grouping } from "./load-spend.ts";
import { Panel } from "./panel.tsx";

/** Where a name leads; null for a group without a name, or of a time. */
export function openGroup(page: Pick<Page, "href">, grouping: Grouping, group: string, filter: Filter): string | null {
  if (group === "") return null;
  switch (grouping) {
    case "team":
      return page.href("/outcomes", { ...filter, groupBy: "key", team: group });
    case "key":
      return page.href(`/keys/${encodeURIComponent(group)}`);
    case "model":
    case "taskType":
    case "repository":
      return page.href("/outcomes", { ...filter, groupBy: "task", [grouping]: group });
    case "task":
      return page.href("/runs", { ...filter, task: group });
    default:
      return null;
  }
}

function describeWhisker({ perPass }: OutcomeTableRow, t: Catalogue): string {
  if (perPass.kind === "point") return t.whiskerLabel(perPass.amount, perPass.interval ?? "–");
  return perPass.kind === "at_least" ? t.atLeast(perPass.amount) : t.noFinishedTask;
}

function Cells({ row, t }: { row: OutcomeTableRow; t: Catalogue }) {
  const mark =
    row.provenance === null ? null : <ProvenanceMark kind={row.provenance} label={t.provenanceOf[row.provenance]} />;
  return (
    <>
      <td className="num cell-spend">
        {row.spend} {mark}
      </td>
      <td className="num cell-count">
        {formatCount(row.passed)} <span className="text-ink-3">/ {formatCount(row.tasks)}</span>
      </td>
      <td className="num cell-wide text-ink-2">{row.passRate ?? "–"}</td>
      <td className="num cell-pass font-[650]">
        <PerPassValue perPass={row.perPass} t={t} />
      </td>
      <td className="cell-wide text-ink-2">{row.perPass.kind === "point" ? (row.perPass.interval ?? "–") : "–"}</td>
      <td className="cell-plot">
        <WhiskerPlot whisker={row.whisker} label={describeWhisker(row, t)} />
      </td>
      <td className="num cell-failed">
        {row.failedSpend} <span className="text-ink-3">{row.failedShare ?? ""}</span>
      </td>
      <td className="num cell-wide text-ink-2">{row.coverage ?? "–"}</td>
      <td className="num cell-wide text-ink-2">{row.calls === null ? "–" : formatCount(row.calls)}</td>
    </>
  );
}

function Head({ grouping, table, t }: { grouping: Grouping; table: Table; t: Catalogue }) {
  return (
    <thead>
      <tr>
        <th scope="col">{t.group[grouping]}</th>
        <th scope="col" className="num">
          {t.spend}
        </th>
        <th scope="col" className="num">
          {t.passedOfTasks}
        </th>
        <th scope="col" className="num">
          %
        </th>
        <th scope="col" className="num">
          {t.perPass}
        </th>
        <th scope="col">{t.interval}</th>
        <th scope="col" className="cell-plot w-[22%]">
          <span className="sr-only">{t.interval}</span>
          <WhiskerAxis axis={table.axis} />
        </th>
        <th scope="col" className="num">
          {t.onFailed}
        </th>
        <th scope="col" className="num">
          {t.linked}
        </th>
        <th scope="col" className="num">
          {t.calls}
        </th>
      </tr>
    </thead>
  );
}

/** More rows than anyone reads; the totals count all of them. */
const MOST_ROWS = 200;

type TableProps = {
  page: Pick<Page, "t" | "href">;
  table: Table;
  grouping: Grouping;
  filter: Filter;
  /** Rows to show; the rest is behind a link. */
  most?: number;
};

export function OutcomeTable({ page, table, grouping, filter, most = MOST_ROWS }: TableProps) {
  const { t } = page;
  const rows = table.rows.slice(0, most);
  const more = table.rows.length > rows.length;
  const shown = t.tasksNote(formatCount(rows.length), formatCount(table.rows.length));
  return (
    <Panel
      title={t.byGroup[grouping]}
      note={more ? `${shown}; ${t.formula}` : t.formula}
      aside={
        more &&
        most < MOST_ROWS && (
          <PageLink
            href={page.href("/outcomes", { ...filter, groupBy: grouping })}
          >{`${t.allRows} (${formatCount(table.rows.length)})`}</PageLink>
        )
      }
    >
      <div className="relative overflow-x-auto">
        <table className="data-table outcome-table" style={{ "--grid": gridBackground(table.axis.ticks) }}>
          <Head grouping={grouping} table={table} t={t} />
          <tbody>
            {rows.map((row) => {
              const href = openGroup(page, grouping, row.group, filter);
              const name = row.group === "" ? t.notKnown : row.group;
              return (
                <tr key={row.group}>
                  <td className="cell-name">
                    {href === null ? (
                      <span className={row.group === "" ? "text-waste" : ""}>{name}</span>
                    ) : (
                      <PageLink href={href}>{name}</PageLink>
                    )}
                  </td>
                  <Cells row={row} t={t} />
                </tr>
              );
            })}
          </tbody>
          <tfoot>
            <tr>
              <td className="cell-name">{t.all}</td>
              <Cells row={table.total} t={t} />
            </tr>
          </tfoot>
        </table>
      </div>
    </Panel>
  );
}
