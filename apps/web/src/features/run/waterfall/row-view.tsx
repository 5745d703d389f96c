"use client";
/** One row of the waterfall. Draws what was prepared; whoever holds the rows hears its clicks. */
import {
  formatCount,
  formatDuration,
  formatMoney,
  isZero,
  layerColour,
  prepareSteps,
  StepBars,
  type Tick,
  WaterfallBar,
  type WaterfallRow,
} from "@centspan/ui";
import { clsx } from "clsx";
import { memo } from "react";
import { LinkedLane } from "./linked-lane.tsx";
import type { Part } from "./run-parts.ts";
import type { Model } from "./use-model.ts";
import type { Words } from "./words.ts";

export const ROW_PX = 26;
const COST_DECIMALS = 4;
const DEEPEST_INDENT = 18;

/** Indent that stays within the column however deep the trace is. */
const indent = (depth: number): number => Math.min(depth, DEEPEST_INDENT) * 11;

type RowProps = {
  at: number;
  row: WaterfallRow;
  model: Model;
  run: string;
  note: Part<"notes">[string] | null;
  ticks: readonly Tick[] | undefined;
  isActive: boolean;
  isSelected: boolean;
  isFaint: boolean;
  words: Words;
  onSelect(id: string): void;
};

function Name({ row, run, words }: Pick<RowProps, "row" | "run" | "words">) {
  const { spanId, kind, label } = row;
  const isLane = kind !== "span";
  return (
    <td className="wf-name" style={{ paddingLeft: 8 + indent(row.depth) }}>
      <span className="wf-fold" data-fold={row.expandable ? "" : undefined} aria-hidden="true">
        {row.expandable ? (row.expanded ? "▾" : "▸") : ""}
      </span>
      <i
        className="mr-[7px] inline-block h-[12px] w-[3px] shrink-0"
        style={{
          background: isLane ? "var(--l-infer)" : spanId === null ? "var(--line-strong)" : layerColour(row.layer),
        }}
      />
      {isLane || spanId === null ? (
        <span className="truncate text-ink-2">
          {isLane ? words.steps(formatCount(row.below)) : words.missingParent(label)}
        </span>
      ) : (
        <a
          className="truncate text-ink hover:text-accent"
          href={`${run}${run.includes("?") ? "&" : "?"}span=${spanId}`}
          tabIndex={-1}
          data-select
          title={[label, row.layer, row.service, row.host].filter((text) => text !== "").join(" · ")}
        >
          {label}
        </a>
      )}
      {!isLane && row.expandable && !row.expanded && row.below > 0 && (
        <span className="ml-1.5 shrink-0 text-axis text-ink-3">+{formatCount(row.below)}</span>
      )}
      {row.flags.length > 0 && (
        <span className="ml-1.5 flex shrink-0 gap-1">
          {row.flags.map((flag) => (
            <span
              key={flag}
              className={clsx("tag", flag !== "moved" && flag !== "missing_parent" && "tag-attention")}
              title={words.flagMeaning[flag]}
            >
              {words.flagOf[flag]}
            </span>
          ))}
        </span>
      )}
    </td>
  );
}

function Track({ row, model, run, note, ticks, words, onSelect }: RowProps) {
  if (row.kind === "steps") {
    const lane = prepareSteps(model.forest, row.node, model.window);
    const text = words.laneText(formatDuration(lane.medianNs), formatDuration(lane.longestNs));
    return (
      <>
        <StepBars bars={lane.bars} label={`${words.steps(formatCount(lane.count))}: ${text}`} />
        <span className="wf-lane-text">{text}</span>
      </>
    );
  }
  if (row.kind === "linkedSteps") {
    return <LinkedLane model={model} run={run} row={row} words={words} onSelect={onSelect} />;
  }
  return <WaterfallBar row={row} note={note?.text ?? null} attention={note?.attention ?? false} ticks={ticks} />;
}

function Amount({ usd, loud }: { usd: string | null; loud?: boolean }) {
  if (usd === null || isZero(usd)) return <span className="text-ink-3">–</span>;
  return <span className={clsx(loud && "font-semibold text-waste")}>{formatMoney(usd, COST_DECIMALS)}</span>;
}

export const RowView = memo((props: RowProps) => {
  const { at, row, isActive, isSelected, isFaint } = props;
  const isSpan = row.kind === "span";
  const isUnfinished = row.flags.includes("unfinished");
  return (
    <tr
      id={`row-${at}`}
      data-row={at}
      data-span={isSpan ? (row.spanId ?? undefined) : undefined}
      aria-rowindex={at + 2}
      aria-level={row.depth + 1}
      aria-expanded={row.expandable ? row.expanded : undefined}
      aria-selected={isSelected}
      className={clsx("wf-row", isActive && "wf-active", isSelected && "wf-selected", isFaint && "wf-faint")}
      style={{ top: at * ROW_PX }}
    >
      <Name {...props} />
      <td className="wf-track">
        <Track {...props} />
      </td>
      <td className="wf-figure text-ink-2">{isSpan && (isUnfinished ? "–" : formatDuration(row.durationNs))}</td>
      <td className="wf-figure">{isSpan && <Amount usd={row.costUsd} />}</td>
      <td className="wf-figure">{isSpan && <Amount usd={row.wasteUsd} loud />}</td>
    </tr>
  );
});
