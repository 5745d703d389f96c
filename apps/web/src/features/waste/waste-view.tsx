/** The waste page: what was paid twice and what not, where the money went, day by day, and what to fix first. */
import type { WasteRow } from "@centspan/model";
import { formatCount, ProvenanceMark, prepareWasteGroups, type Waste, type WasteGroupLine } from "@centspan/ui";
import { DataTable, figures, wide, wideFigures } from "#components/data-table";
import { PageLink } from "#components/page-link";
import { EmptyPeriod, EmptyWorkspace } from "../ledger/empty-states.tsx";
import { Figure, FigureStrip, SimulatedNote } from "../ledger/key-figures.tsx";
import { Panel } from "../ledger/panel.tsx";
import { GroupingTabs } from "../page/filters.tsx";
import type { Page } from "../page/page.ts";
import { CascadePanel } from "./cascade-panel.tsx";
import { FixesPanel } from "./fixes-panel.tsx";
import { GROUPINGS, type WasteGrouping, type WastePage } from "./load-waste.ts";
import { ProofLink } from "./proof-link.tsx";
import { WasteDays } from "./waste-days.tsx";

const MOST_GROUPS = 200;

type FigureOf = Waste["figures"]["twice"];
const describeShare = ({ ofSpend, growth }: FigureOf, t: Page["t"]): string =>
  [ofSpend === null ? null : t.ofSpend(ofSpend), growth].filter((fact) => fact !== null).join(" · ");

function Figures({ page: { t }, waste: { figures: all } }: { page: Page; waste: Waste }) {
  return (
    <FigureStrip label={t.keyFigures}>
      <Figure label={t.paidTwice} value={<span className="text-waste">{all.twice.amount}</span>}>
        <p>{describeShare(all.twice, t)}</p>
        <p>{t.timeLost(all.time)}</p>
      </Figure>
      <Figure label={t.usefulSpend} value={all.useful.amount}>
        <p>{describeShare(all.useful, t)}</p>
      </Figure>
      <Figure label={t.failedWork} value={all.failed.amount}>
        <p>{describeShare(all.failed, t)}</p>
      </Figure>
      <Figure label={t.notAnalysed} value={all.notAnalysed.amount}>
        <p>{describeShare(all.notAnalysed, t)}</p>
        <p>{t.notAnalysedText}</p>
      </Figure>
    </FigureStrip>
  );
}

type GroupRowProps = { page: Page; line: WasteGroupLine; by: GroupedBy };

/** A name narrows this page to it. */
function GroupRow({ page, line, by }: GroupRowProps) {
  const { t } = page;
  const { group, provenance } = line;
  return (
    <tr>
      <td className="max-w-[320px] truncate">
        {group === "" ? (
          <span className="text-waste">{t.notKnown}</span>
        ) : (
          <PageLink href={page.here({ [by]: group, groupBy: null })}>{group}</PageLink>
        )}
      </td>
      <td className="cell-wide w-[26%]">
        <span
          className="block h-[8px] rounded-[1px] bg-waste"
          style={{ width: `${line.barPct}%` }}
          aria-hidden="true"
        />
      </td>
      <td className="num">
        {line.amount} {provenance && <ProvenanceMark kind={provenance} label={t.provenanceOf[provenance]} />}
      </td>
      <td className="num text-ink-2">{line.ofWaste ?? "–"}</td>
      <td className="num cell-wide text-ink-2">{line.time}</td>
      <td className="num cell-wide text-ink-2">{formatCount(line.calls)}</td>
      <td className="num cell-wide text-ink-2">{formatCount(line.runs)}</td>
      <td className="num">
        <ProofLink page={page} place={line.evidence} of={group} />
      </td>
    </tr>
  );
}

type GroupedBy = Exclude<WasteGrouping, "cause">;

export function GroupPanel({ page, groups, by }: { page: Page; groups: readonly WasteRow[]; by: GroupedBy }) {
  const { t } = page;
  const lines = prepareWasteGroups(groups);
  const listed = lines.slice(0, MOST_GROUPS);
  return (
    <Panel
      title={t.wasteBy[by]}
      note={
        listed.length < lines.length
          ? t.tasksNote(formatCount(listed.length), formatCount(lines.length))
          : t.wasteByNote
      }
    >
      <DataTable
        headings={[
          t.group[by],
          wide(t.repeatedOrFailed),
          figures(t.cost),
          figures(t.share),
          wideFigures(t.timeHeading),
          wideFigures(t.calls),
          wideFigures(t.runs),
          figures(t.proof),
        ]}
      >
        {listed.map((line) => (
          <GroupRow key={line.group} page={page} line={line} by={by} />
        ))}
      </DataTable>
    </Panel>
  );
}

export function WasteView({ page, shown }: { page: Page; shown: WastePage }) {
  const { t } = page;
  const { grouping, period } = shown;
  if (!shown.any) return period.id === "all" ? <EmptyWorkspace page={page} /> : <EmptyPeriod page={page} />;
  return (
    <>
      <Figures page={page} waste={shown.waste} />
      <SimulatedNote share={shown.simulatedShare} t={t} />
      <GroupingTabs page={page} groupings={GROUPINGS} current={grouping} />
      {grouping === "cause" ? (
        <CascadePanel page={page} shown={shown} />
      ) : (
        <GroupPanel page={page} groups={shown.groups} by={grouping} />
      )}
      <FixesPanel page={page} shown={shown} />
      <WasteDays page={page} days={shown.days} />
    </>
  );
}
