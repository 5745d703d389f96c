/** The waterfall as a table: rows fold and select through links, so that it works without client code. Decides nothing. */
import {
  type Flag,
  formatCount,
  formatDuration,
  formatMoney,
  formatOffset,
  gridBackground,
  layerColour,
  type StepLane,
  StepLaneChart,
  type Waterfall,
  WaterfallBar,
  WaterfallOverview,
  type WaterfallRow,
  type WaterfallView,
} from "@centspan/ui";
import { clsx } from "clsx";
import { PageLink } from "#components/page-link";
import { RowKeys } from "#components/row-keys";
import type { Catalogue } from "#i18n";
import type { Page } from "../page/page.ts";
import { describeNote, needsAttention } from "./describe-note.ts";
import { MAX_ROWS, toggleRow } from "./waterfall-state.ts";

const COST_DECIMALS = 4;

export function FlagTag({ flag, t }: { flag: Flag; t: Catalogue }) {
  const text = flag.kind === "missing_parent" ? t.childrenKept(formatCount(flag.count ?? 0)) : t.flagOf[flag.kind];
  const attention = flag.kind === "cycle" || flag.kind === "self_parent" || flag.kind === "error";
  return <span className={clsx("tag", attention && "tag-attention")}>{text}</span>;
}

type RowProps = { page: Page; view: WaterfallView; row: WaterfallRow };

function Fold({ page, view, row }: RowProps) {
  const { t } = page;
  if (!row.expandable) return <span className="inline-block w-[18px]" />;
  return (
    <PageLink
      href={page.here(toggleRow(view, row.key, row.expanded))}
      scroll={false}
      replace
      data-fold={row.expanded ? "open" : "closed"}
      aria-expanded={row.expanded}
      aria-label={row.expanded ? t.close(row.label) : t.open(row.label)}
      className="inline-block w-[18px] text-center text-[10px] text-ink-3 hover:no-underline"
    >
      {row.expanded ? "▾" : "▸"}
    </PageLink>
  );
}

/** Indent that stays within the column however deep the trace is. */
const indent = (depth: number): number => Math.min(depth, 14) * 11;

function SpanRow({ page, view, row }: RowProps) {
  const { t } = page;
  const name = row.spanId === null ? t.missingParent(row.label) : row.label;
  const note = row.note === null ? null : describeNote(row.note, t);
  const unfinished = row.flags.some((flag) => flag.kind === "unfinished");
  return (
    <tr data-row={row.key} className={clsx(row.selected && "wf-selected")} aria-selected={row.selected || undefined}>
      <td>
        <span className="flex items-center" style={{ paddingLeft: indent(row.depth) }}>
          <Fold page={page} view={view} row={row} />
          <i
            className="mr-[7px] inline-block h-[12px] w-[3px] shrink-0"
            style={{ background: row.spanId === null ? "var(--line-strong)" : layerColour(row.layer) }}
          />
          {row.spanId === null ? (
            <span className="truncate text-ink-3" data-select tabIndex={-1}>
              {name}
            </span>
          ) : (
            <PageLink
              href={page.here({ span: row.key })}
              scroll={false}
              data-select
              className="truncate text-ink hover:text-accent"
              title={row.layer === "" ? name : `${name} · ${row.layer}`}
            >
              {name}
            </PageLink>
          )}
          {row.expandable && !row.expanded && row.descendants > 0 && (
            <span className="ml-1.5 text-axis text-ink-3">+{formatCount(row.descendants)}</span>
          )}
          <span className="ml-1.5 flex gap-1">
            {row.flags.map((flag) => (
              <FlagTag key={flag.kind} flag={flag} t={t} />
            ))}
          </span>
        </span>
      </td>
      <td className="wf-track">
        <WaterfallBar row={row} note={note} attention={row.note !== null && needsAttention(row.note)} />
      </td>
      <td className="num text-ink-2">{unfinished ? "–" : formatDuration(row.durationNs)}</td>
      <td className="num">
        {row.costUsd === null ? <span className="text-ink-3">–</span> : formatMoney(row.costUsd, COST_DECIMALS)}
      </td>
    </tr>
  );
}

export function describeLane(lane: StepLane, t: Catalogue): string {
  const { batch } = lane;
  const range = batch === null ? "–" : batch.min === batch.max ? `${batch.min}` : `${batch.min}–${batch.max}`;
  const facts = [t.laneText(formatDuration(lane.medianNs), range)];
  if (lane.mixedSteps > 0) facts.push(t.laneMixed(formatCount(lane.mixedSteps)));
  if (lane.missing > 0) facts.push(t.laneMissing(formatCount(lane.missing)));
  return facts.join(" · ");
}

type LaneProps = Omit<RowProps, "view"> & { waterfall: Waterfall; lane: StepLane };

function LaneRow({ page, waterfall, row, lane }: LaneProps) {
  const { t } = page;
  const text = describeLane(lane, t);
  const from = formatOffset(lane.startNs - waterfall.startNs);
  const to = formatOffset(lane.endNs - waterfall.startNs);
  return (
    <tr>
      <td>
        <span className="flex items-center text-ink-2" style={{ paddingLeft: indent(row.depth + 1) + 18 }}>
          <i className="mr-[7px] inline-block h-[12px] w-[3px]" style={{ background: "var(--l-infer)" }} />
          {t.decodeSteps(formatCount(lane.steps))}
        </span>
      </td>
      <td className="wf-track wf-lane py-1!">
        <StepLaneChart lane={lane} anchor={row.bar} label={`${t.decodeSteps(formatCount(lane.steps))}: ${text}`} />
        <p className="mt-0.5 flex flex-wrap justify-between gap-x-3 text-axis text-ink-3">
          <span>
            {from} – {to}
          </span>
          <span>{text}</span>
        </p>
      </td>
      <td />
      <td />
    </tr>
  );
}

function Head({ page, waterfall }: { page: Page; waterfall: Waterfall }) {
  const { t } = page;
  return (
    <thead>
      <tr>
        <th scope="col" className="w-[36%]">
          {t.span}
        </th>
        <th scope="col" className="wf-track">
          <span className="relative block h-[13px]">
            {waterfall.ticks.map((tick) => (
              <span
                key={tick.leftPct}
                className={clsx(
                  "absolute",
                  tick.leftPct > 92 ? "-translate-x-full" : tick.leftPct > 4 && "-translate-x-1/2",
                )}
                style={{ left: `${tick.leftPct}%` }}
              >
                {formatOffset(tick.offsetNs)}
              </span>
            ))}
          </span>
        </th>
        <th scope="col" className="num w-[92px]">
          {t.duration}
        </th>
        <th scope="col" className="num w-[84px]">
          {t.cost}
        </th>
      </tr>
    </thead>
  );
}

function Pager({ page, waterfall }: { page: Page; waterfall: Waterfall }) {
  const { t } = page;
  const { firstRow, totalRows, rows } = waterfall;
  if (totalRows <= rows.length) return null;
  const last = firstRow + rows.length;
  return (
    <p className="flex flex-wrap items-center gap-3 border-line border-t px-4 py-2 text-note">
      {firstRow > 0 && (
        <PageLink href={page.here({ row: String(Math.max(0, firstRow - MAX_ROWS)) })}>{t.previousRows}</PageLink>
      )}
      <span className="text-ink-2">
        {t.rowsShown(formatCount(firstRow + 1), formatCount(last), formatCount(totalRows))}
      </span>
      {last < totalRows && <PageLink href={page.here({ row: String(last) })}>{t.nextRows}</PageLink>}
    </p>
  );
}

type TableProps = { page: Page; view: WaterfallView; waterfall: Waterfall; total: { calls: string; cost: string } };

export function WaterfallTable({ page, view, waterfall, total }: TableProps) {
  const { t } = page;
  return (
    <>
      <RowKeys closeHref={view.selected === null ? null : page.here({ span: null })} />
      <div className="px-4 pt-2">
        <WaterfallOverview marks={waterfall.overview} window={waterfall.overviewWindow} />
        <p className="mt-1 flex flex-wrap justify-between gap-x-3 text-axis text-ink-3">
          <span>{t.keyboardHint}</span>
          {waterfall.window.key !== null && (
            <PageLink href={page.here({ zoom: "all" })} scroll={false}>
              {t.wholeRun}
            </PageLink>
          )}
        </p>
      </div>
      <div className="relative overflow-x-auto">
        <table className="data-table wf-table" style={{ "--grid": gridBackground(waterfall.ticks) }}>
          <Head page={page} waterfall={waterfall} />
          <tbody>
            {waterfall.rows.flatMap((row) => [
              <SpanRow key={row.key} page={page} view={view} row={row} />,
              ...(row.lane === null
                ? []
                : [<LaneRow key={`${row.key}:steps`} page={page} waterfall={waterfall} row={row} lane={row.lane} />]),
            ])}
          </tbody>
          <tfoot>
            <tr>
              <td>{total.calls}</td>
              <td />
              <td className="num">{formatDuration(waterfall.endNs - waterfall.startNs)}</td>
              <td className="num">{total.cost}</td>
            </tr>
          </tfoot>
        </table>
      </div>
      <Pager page={page} waterfall={waterfall} />
    </>
  );
}
