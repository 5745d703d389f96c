/** Runs as rows: what was asked, who paid, what it took, what came of it. */
import type { TraceRow } from "@centspan/model";
import {
  columnDecimals,
  formatCount,
  formatDay,
  formatDuration,
  formatMoney,
  formatSecond,
  ProvenanceMark,
  parseInstantNs,
} from "@centspan/ui";
import type { ReactNode } from "react";
import { DataTable, figures, wide, wideFigures } from "#components/data-table";
import { PageLink } from "#components/page-link";
import type { Page } from "../page/page.ts";
import { OutcomeText } from "./outcome-text.tsx";
import { Pick } from "./pick-form.tsx";

type RowProps = { run: TraceRow; decimals: number; page: Page; pick: ReactNode };

function RunRow({ run, decimals, page, pick }: RowProps) {
  const { t, language } = page;
  const startedNs = parseInstantNs(run.startedAt);
  const durationNs = BigInt(run.durationNs);
  return (
    <tr>
      {pick}
      <td className="max-w-[300px] truncate max-sm:max-w-[170px]">
        <PageLink href={page.href(`/runs/${run.traceId}`)}>{run.title || run.task || run.name || t.untitled}</PageLink>{" "}
        {run.errors > 0 && <span className="tag tag-attention">{t.flagOf.error}</span>}
      </td>
      <td className="cell-wide text-ink-2">{run.team || "–"}</td>
      <td className="cell-wide">
        {run.key === "" ? "–" : <PageLink href={page.href(`/keys/${encodeURIComponent(run.key)}`)}>{run.key}</PageLink>}
      </td>
      <td className="cell-wide text-ink-2">{run.model || "–"}</td>
      <td className="cell-wide text-ink-2">
        {formatDay(startedNs, language)}, {formatSecond(startedNs)}
      </td>
      <td className="num cell-wide">{durationNs < 0n ? "–" : formatDuration(durationNs)}</td>
      <td className="num cell-wide">{formatCount(run.calls)}</td>
      <td className="num">
        {run.costUsd === null ? (
          <span className="text-ink-3">{run.calls === 0 ? "–" : t.unpriced}</span>
        ) : (
          <>
            {formatMoney(run.costUsd, decimals)}{" "}
            {run.provenance !== null && <ProvenanceMark kind={run.provenance} label={t.provenanceOf[run.provenance]} />}
          </>
        )}
      </td>
      <td>
        <OutcomeText outcome={run.outcome} t={t} />
      </td>
    </tr>
  );
}

type TableProps = {
  page: Page;
  runs: readonly TraceRow[];
  /** Each can be ticked, for the form that compares two. */
  canPick?: boolean;
  /** The one that is ticked from the start. */
  chosen?: string | undefined;
};

export function RunTable({ page, runs, canPick = false, chosen }: TableProps) {
  const { t } = page;
  const decimals = columnDecimals(runs.map((run) => run.costUsd));
  return (
    <DataTable
      headings={[
        ...(canPick ? [{ text: t.compareGroups, isForReadersOnly: true }] : []),
        t.run,
        wide(t.team),
        wide(t.key),
        wide(t.model),
        wide(t.started),
        wideFigures(t.duration),
        wideFigures(t.calls),
        figures(t.cost),
        t.outcome,
      ]}
    >
      {runs.map((run) => (
        <RunRow
          key={run.traceId}
          run={run}
          decimals={decimals}
          page={page}
          pick={
            canPick && (
              <td className="w-[34px]">
                <Pick
                  page={page}
                  traceId={run.traceId}
                  of={run.title || run.task || run.traceId}
                  isChosen={run.traceId === chosen}
                />
              </td>
            )
          }
        />
      ))}
    </DataTable>
  );
}
