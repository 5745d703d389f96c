/** One cause of waste: what it cost, what ends it, whom it costs, day by day, and the calls that show it, the dearest whole. */
import type { WasteItemRow } from "@centspan/model";
import {
  columnDecimals,
  formatCount,
  formatDay,
  formatMoney,
  formatSecond,
  formatSeconds,
  formatShare,
  headlineDecimals,
  isZero,
  ProvenanceMark,
  parseInstantNs,
} from "@centspan/ui";
import { DataTable, figures, wide, wideFigures } from "#components/data-table";
import { PageLink } from "#components/page-link";
import { Figure, FigureStrip } from "../ledger/key-figures.tsx";
import { Panel } from "../ledger/panel.tsx";
import { GroupingTabs } from "../page/filters.tsx";
import type { Page } from "../page/page.ts";
import { describePlace } from "./describe-evidence.ts";
import { Evidence } from "./evidence.tsx";
import { type CausePage, GROUPINGS } from "./load-cause.ts";
import { ProofLink } from "./proof-link.tsx";
import { WasteDays } from "./waste-days.tsx";
import { GroupPanel } from "./waste-view.tsx";

type ViewProps = { page: Page; shown: CausePage };

function Figures({ page: { t }, shown: { sum, spendUsd } }: ViewProps) {
  if (sum === null) return null;
  const { costUsd, seconds, provenance } = sum;
  const share = formatShare(costUsd, spendUsd);
  const mark = provenance && <ProvenanceMark kind={provenance} label={t.provenanceOf[provenance]} />;
  return (
    <FigureStrip label={t.keyFigures}>
      <Figure
        label={sum.kind === "failed" ? t.failedWork : t.paidTwice}
        mark={mark}
        value={<span className="text-waste">{formatMoney(costUsd, headlineDecimals(costUsd))}</span>}
      >
        {share !== null && <p>{isZero(costUsd) ? t.timeOnly : t.ofSpend(share)}</p>}
      </Figure>
      <Figure label={t.timeHeading} value={seconds === 0 ? "–" : formatSeconds(seconds)} />
      <Figure label={t.calls} value={formatCount(sum.calls)} />
      <Figure label={t.runs} value={formatCount(sum.runs)} />
    </FigureStrip>
  );
}

function DearestPanel({ page, shown }: ViewProps) {
  const { t, language } = page;
  const [item] = shown.items;
  if (item === undefined) return null;
  const atNs = parseInstantNs(item.at);
  return (
    <Panel
      title={t.dearestCall}
      note={`${formatDay(atNs, language)}, ${formatSecond(atNs)}${item.task === "" ? "" : ` · ${item.task}`}`}
      aside={<ProofLink page={page} place={item} of={shown.words.title} text={t.openInRun} />}
    >
      <div className="max-w-[90ch] px-4 pt-1.5 pb-3.5">
        <Evidence item={item} words={shown.words} t={t} />
      </div>
    </Panel>
  );
}

function ItemRow({ page, shown, item, decimals }: ViewProps & { item: WasteItemRow; decimals: number }) {
  const { t, language } = page;
  const atNs = parseInstantNs(item.at);
  return (
    <tr>
      <td className="cell-wide text-ink-2">
        {formatDay(atNs, language)}, {formatSecond(atNs)}
      </td>
      <td className="max-w-[260px] truncate">
        {item.task === "" ? (
          <span className="text-ink-3">–</span>
        ) : (
          <PageLink href={page.href("/runs", { task: item.task })}>{item.task}</PageLink>
        )}
      </td>
      <td className="cell-wide max-w-[160px] truncate text-ink-2">{item.key || item.team || "–"}</td>
      <td className="cell-wide max-w-[380px] truncate text-ink-2" title={describePlace(item.evidence, t)}>
        {describePlace(item.evidence, t) || t.confidenceOf[item.confidence]}
      </td>
      <td className="num">
        {formatMoney(item.costUsd, decimals)}{" "}
        <ProvenanceMark kind={item.provenance} label={t.provenanceOf[item.provenance]} />
      </td>
      <td className="num cell-wide text-ink-2">{item.seconds === 0 ? "" : formatSeconds(item.seconds)}</td>
      <td className="num">
        <ProofLink page={page} place={item} of={`${shown.words.title}, ${item.task || item.traceId}`} />
      </td>
    </tr>
  );
}

function ItemsPanel({ page, shown }: ViewProps) {
  const { t } = page;
  const { items, sum } = shown;
  const decimals = columnDecimals(items.map(({ costUsd }) => costUsd));
  return (
    <Panel
      title={t.callsThatShow}
      note={t.tasksNote(formatCount(items.length), formatCount(Math.max(items.length, sum?.calls ?? 0)))}
    >
      <DataTable
        headings={[
          wide(t.time),
          t.task,
          wide(t.key),
          wide(t.whatDiffered),
          figures(t.cost),
          wideFigures(t.timeHeading),
          figures(t.proof),
        ]}
      >
        {items.map((item) => (
          <ItemRow key={item.itemId} page={page} shown={shown} item={item} decimals={decimals} />
        ))}
      </DataTable>
    </Panel>
  );
}

export function CauseView({ page, shown }: ViewProps) {
  const { t } = page;
  const { words, sum, grouping } = shown;
  return (
    <>
      <aside className="rounded-panel border border-line border-l-[3px] border-l-[var(--waste)] bg-surface px-3.5 py-2.5 max-sm:rounded-none">
        <b className="font-semibold">{t.remedy}</b> {words.remedy}
      </aside>
      {sum === null ? (
        <section className="panel max-w-[640px] p-4">
          <h2 className="font-[650] text-figure">{t.noneOfIt}</h2>
          <p className="mb-3 text-ink-2">{t.noneOfItText}</p>
          <PageLink className="control" href={page.href("/waste")}>
            {t.allCauses}
          </PageLink>
        </section>
      ) : (
        <>
          <Figures page={page} shown={shown} />
          <DearestPanel page={page} shown={shown} />
          <WasteDays page={page} days={shown.days} />
          <GroupingTabs page={page} groupings={GROUPINGS} current={grouping} />
          <GroupPanel page={page} groups={shown.groups} by={grouping} />
          <ItemsPanel page={page} shown={shown} />
        </>
      )}
    </>
  );
}
