/** Where the money went, as a cascade of bars beside its figures: a section for each layer, a row for each cause. */
import {
  CascadeBar,
  type CauseLine,
  formatCount,
  gridBackground,
  ProvenanceMark,
  type Waste,
  type WasteLine,
  type WasteSectionId,
} from "@centspan/ui";
import type { ReactNode } from "react";
import { PageLink } from "#components/page-link";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import type { WastePage } from "./load-waste.ts";
import { ProofLink } from "./proof-link.tsx";

/** More than this to the left, a note beside a bar would leave the track. */
const LAST_NOTE_PCT = 75;

type CellsProps = { line: WasteLine; tone: WasteSectionId; isSum?: boolean; t: Page["t"]; mark?: ReactNode };

function Cells({ line, tone, isSum = false, t, mark }: CellsProps) {
  return (
    <>
      <td className="cascade-track cell-wide">
        {line.isTimeOnly ? (
          <span
            className="relative text-axis text-ink-3"
            style={{ left: `${Math.min(line.bar.leftPct, LAST_NOTE_PCT)}%` }}
          >
            {t.timeOnly}
          </span>
        ) : (
          <CascadeBar bar={line.bar} tone={tone} isSum={isSum} />
        )}
      </td>
      <td className="num">
        {line.amount} {mark}
      </td>
      <td className="num cell-wide font-normal! text-ink-2">{line.ofSpend ?? "–"}</td>
      <td className="num cell-wide font-normal! text-ink-2">{line.time}</td>
      <td className="num cell-wide font-normal! text-ink-2">{line.growth}</td>
    </>
  );
}

type PanelProps = {
  page: Pick<Page, "t" | "href">;
  shown: Pick<WastePage, "waste" | "filter" | "wordsOf">;
};
type CauseProps = PanelProps & { line: CauseLine; tone: WasteSectionId };

function CauseRow({ page, shown, line, tone }: CauseProps) {
  const { t } = page;
  const { title } = shown.wordsOf(line.cause);
  const { provenance } = line;
  return (
    <tr>
      <th scope="row" className="cascade-cause max-sm:whitespace-normal!">
        <PageLink href={page.href(`/waste/${encodeURIComponent(line.cause)}`, shown.filter)}>{title}</PageLink>
      </th>
      <Cells
        line={line}
        tone={tone}
        t={t}
        mark={provenance && <ProvenanceMark kind={provenance} label={t.provenanceOf[provenance]} />}
      />
      <td className="num cell-wide text-ink-2">{formatCount(line.calls)}</td>
      <td className="num">
        <ProofLink page={page} place={line.evidence} of={title} />
      </td>
    </tr>
  );
}

function Head({ t, waste }: { t: Page["t"]; waste: Waste }) {
  return (
    <thead>
      <tr>
        <th scope="col">{t.causeByLayer}</th>
        <th scope="col" className="cell-wide w-[34%]">
          <span className="flex justify-between gap-2">
            <span aria-hidden="true">$0</span>
            <span>{t.usefulEndsAt(waste.figures.useful.amount)}</span>
            <span aria-hidden="true">{waste.spend}</span>
          </span>
        </th>
        <th scope="col" className="num">
          {t.cost}
        </th>
        <th scope="col" className="num cell-wide">
          {t.shareOfSpend}
        </th>
        <th scope="col" className="num cell-wide">
          {t.timeHeading}
        </th>
        <th scope="col" className="num cell-wide">
          {t.change}
        </th>
        <th scope="col" className="num cell-wide">
          {t.calls}
        </th>
        <th scope="col" className="num">
          {t.proof}
        </th>
      </tr>
    </thead>
  );
}

export function CascadePanel({ page, shown }: PanelProps) {
  const { t } = page;
  const { waste } = shown;
  const grid = gridBackground([{ leftPct: waste.usefulPct }, { leftPct: 100 }]);
  return (
    <Panel title={t.whereItWent(waste.spend)} note={t.whereItWentNote}>
      <div className="relative overflow-x-auto">
        <table className="data-table cascade" style={{ "--grid": grid }}>
          <Head t={t} waste={waste} />
          {waste.sections.map(({ id, sum, causes }) => (
            <tbody key={id}>
              <tr className="cascade-sum">
                <th scope="rowgroup" className="max-sm:whitespace-normal!">
                  {t.wasteSection[id]}
                </th>
                <Cells line={sum} tone={id} isSum t={t} />
                <td className="cell-wide" />
                <td />
              </tr>
              {causes.map((line) => (
                <CauseRow key={line.cause} page={page} shown={shown} line={line} tone={id} />
              ))}
            </tbody>
          ))}
          <tfoot>
            <tr>
              <th scope="row">{t.allSpend}</th>
              <td className="cell-wide" />
              <td className="num">{waste.spend}</td>
              <td className="num cell-wide">100.0%</td>
              <td className="num cell-wide">{waste.figures.time}</td>
              <td className="num cell-wide">{waste.growth}</td>
              <td className="cell-wide" />
              <td />
            </tr>
          </tfoot>
        </table>
      </div>
    </Panel>
  );
}
