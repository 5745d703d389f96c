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
import { DataTable, figures, wide, wideFigures } from "#components/data-table";
import { PageLink } from "#components/page-link";
import type { Page } from "../page/page.ts";
import { OutcomeText } from "./outcome-text.tsx";

function RunRow({ run, decimals, page }: { run: TraceRow; decimals: number; page: Page }) {
  const { t, language } = page;
  const startedNs = parseInstantNs(run.startedAt);
  const durationNs = BigInt(run.durationNs);
  return (
    <tr>
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

export function RunTable({ page, runs }: { page: Page; runs: readonly TraceRow[] }) {
  const { t } = page;
  const decimals = columnDecimals(runs.map((run) => run.costUsd));
  return (
    <DataTable
      headings={[
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
        <RunRow key={run.traceId} run={run} decimals={decimals} page={page} />
      ))}
    </DataTable>
  );
}
