/** Spend by group: every name opens the rows one level down, every count of calls the runs behind it. */
import { formatCount, ProvenanceMark, type SpendRow, type SpendTable } from "@centspan/ui";
import { DataTable, figures, wide, wideFigures } from "#components/data-table";
import { PageLink } from "#components/page-link";
import type { Catalogue } from "#i18n";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import { buildHref } from "../page/params.ts";
import { callsOf, type Explorer, type SpendGrouping } from "./load-explorer.ts";

/** What a group is told apart by when it is opened; a meter is the last. */
const NEXT: Record<SpendGrouping, SpendGrouping> = {
  team: "key",
  key: "taskType",
  taskType: "model",
  provider: "model",
  model: "meter",
  meter: "meter",
  day: "team",
};

type PanelProps = { page: Page; explorer: Explorer; table: SpendTable };

/** The change of address that narrows the page to a group; null where it can't be: by meter, and without a name. */
export function narrowTo(grouping: SpendGrouping, group: string): Record<string, string | null> | null {
  if (group === "" || grouping === "meter") return null;
  const groupBy = NEXT[grouping];
  return grouping === "day" ? { groupBy, period: null, from: group, to: group } : { groupBy, [grouping]: group };
}

const nameOf = (grouping: SpendGrouping, group: string, t: Catalogue): string => {
  if (group === "") return t.notKnown;
  const meters: Readonly<Record<string, string>> = t.meterOf;
  return grouping === "meter" ? (meters[group] ?? group) : group;
};

function Unknown({ row, t }: { row: SpendRow; t: Catalogue }) {
  const { unpricedCalls, quarantinedCalls } = row;
  if (unpricedCalls + quarantinedCalls === 0) return <span className="text-ink-3">–</span>;
  return (
    <>
      {unpricedCalls > 0 && <span className="tag tag-attention">{t.countUnpriced(formatCount(unpricedCalls))}</span>}{" "}
      {quarantinedCalls > 0 && <span className="tag">{t.countQuarantined(formatCount(quarantinedCalls))}</span>}
    </>
  );
}

function Cells({ row, t, calls }: { row: SpendRow; t: Catalogue; calls: string | null }) {
  return (
    <>
      <td className="num font-[650]">
        {row.cost === null ? <span className="font-normal text-waste">{t.unpriced}</span> : row.cost}{" "}
        {row.provenance !== null && <ProvenanceMark kind={row.provenance} label={t.provenanceOf[row.provenance]} />}
      </td>
      <td className="cell-wide w-[12%]">
        <span className="flex items-center gap-2">
          <span className="block h-[9px] flex-1">
            {row.barPct !== null && row.barPct > 0 && (
              <span className="block h-full bg-[var(--c-now)]" style={{ width: `max(1px, ${row.barPct}%)` }} />
            )}
          </span>
          <span className="w-11 text-right text-ink-2">{row.share ?? "–"}</span>
        </span>
      </td>
      <td className="num">{row.change ?? "–"}</td>
      <td className="num cell-wide text-ink-2">{row.growth ?? "–"}</td>
      <td className="num">
        {calls === null ? (
          row.calls
        ) : (
          <PageLink className="figure-link" href={calls}>
            {row.calls}
          </PageLink>
        )}
      </td>
      <td className="num cell-wide text-ink-2">{row.perCall ?? "–"}</td>
      <td className="num cell-wide text-ink-2">{row.promptTokens}</td>
      <td className="num cell-wide text-ink-2">{row.cachedShare ?? "–"}</td>
      <td className="num cell-wide text-ink-2">{row.outputTokens}</td>
      <td className="cell-wide">
        <Unknown row={row} t={t} />
      </td>
    </>
  );
}

/** Where the runs of a group are listed; null where runs can't be told apart by it. */
function findRuns({ page, explorer }: Omit<PanelProps, "table">, group: string): string | null {
  const { grouping, filter, range } = explorer;
  const narrowed = narrowTo(grouping, group);
  if (narrowed === null) return null;
  const { groupBy: _next, ...own } = narrowed;
  return page.href("/runs", { ...callsOf({ filter, range }), ...own });
}

export function SpendTablePanel({ page, explorer, table }: PanelProps) {
  const { t, params } = page;
  const { grouping } = explorer;
  const shown = t.tasksNote(formatCount(table.rows.length), formatCount(table.groups));
  return (
    <Panel
      title={t.spendBy[grouping]}
      note={table.groups > table.rows.length ? shown : t.spendTableNote}
      aside={
        <a href={buildHref("/spend/csv", params)} download>
          CSV
        </a>
      }
    >
      <DataTable
        headings={[
          t.group[grouping],
          figures(t.spend),
          wide(t.share),
          figures(t.change),
          wideFigures("%"),
          figures(t.calls),
          wideFigures(t.costPerCall),
          wideFigures(t.promptTokens),
          wideFigures(t.cached),
          wideFigures(t.generatedTokens),
          wide(t.unknownCost),
        ]}
        foot={
          <tr>
            <td>{t.all}</td>
            <Cells row={table.total} t={t} calls={page.href("/runs", callsOf(explorer))} />
          </tr>
        }
      >
        {table.rows.map((row) => {
          const narrowed = narrowTo(grouping, row.group);
          const name = nameOf(grouping, row.group, t);
          return (
            <tr key={row.group}>
              <td className="max-w-[280px] truncate">
                {narrowed === null ? (
                  <span className={row.group === "" ? "text-waste" : ""}>{name}</span>
                ) : (
                  <PageLink href={page.here(narrowed)}>{name}</PageLink>
                )}
              </td>
              <Cells row={row} t={t} calls={findRuns({ page, explorer }, row.group)} />
            </tr>
          );
        })}
      </DataTable>
    </Panel>
  );
}
