"use client";
/** The strip above the rows: of each model call what its prompt held and how that was paid. A click goes to its turn. */
import {
  ContextStrip,
  type Forest,
  findTurn,
  formatCount,
  idOf,
  prepareStrip,
  prepareTurns,
  readSections,
  StripKey,
  type StripLabels,
  type TurnBar,
} from "@centspan/ui";
import { useEffect, useMemo, useRef, useState } from "react";
import { Panel } from "../../ledger/panel.tsx";
import type { Part } from "./run-parts.ts";
import type { Words } from "./words.ts";

const MOST_COLUMNS = 160;
const HEIGHT_PX = 190;

type PanelProps = {
  forest: Forest | null;
  context: Part<"context"> | null;
  words: Words;
  selected: string | null;
  onChoose(spanId: string): void;
};

/** Numbers of the spans that calls are of: those alone have a cost. */
function indexCosts(forest: Forest): Map<string, number> {
  return new Map([...forest.skeleton.costUsd.keys()].map((node) => [idOf(forest, node), node]));
}

function useWidth(): [(element: HTMLDivElement | null) => void, number] {
  const [width, setWidth] = useState(0);
  const observer = useRef<ResizeObserver | null>(null);
  useEffect(() => () => observer.current?.disconnect(), []);
  const [watch] = useState(() => (element: HTMLDivElement | null): void => {
    observer.current?.disconnect();
    if (element === null) return;
    observer.current = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.current.observe(element);
  });
  return [watch, width];
}

export function useTurnBars(forest: Forest | null, context: Part<"context"> | null): TurnBar[] {
  return useMemo(() => {
    if (forest === null || context === null) return [];
    const nodes = indexCosts(forest);
    const turnOf = (spanId: string) => {
      const turn = findTurn(forest, nodes.get(spanId) ?? -1);
      return turn < 0 ? null : { number: forest.skeleton.turns.get(turn) ?? null, spanId: idOf(forest, turn) };
    };
    return prepareTurns(context.calls, turnOf, readSections(context.turns), context.waste);
  }, [forest, context]);
}

const describeBar = (words: Words) => (bar: TurnBar, calls: number) =>
  [
    `${words.turn} ${bar.turn}${calls > 1 ? ` (${words.ofCalls(formatCount(calls))})` : ""}`,
    ...(["cacheRead", "repeated", "cacheWrite", "input"] as const)
      .filter((name) => bar[name] > 0)
      .map((name) => `${words.paidAs[name]} ${formatCount(bar[name])}`),
    `${words.output} ${formatCount(bar.output)}`,
    bar.cost ?? words.costStatusOf[bar.costStatus],
    ...(bar.repeatedCost === null ? [] : [`${words.repeated} ${bar.repeatedCost}`]),
  ].join("\n");

export function ContextPanel({ forest, context, words, selected, onChoose }: PanelProps) {
  const [watch, width] = useWidth();
  const bars = useTurnBars(forest, context);
  const strip = useMemo(() => prepareStrip(bars, MOST_COLUMNS), [bars]);
  const labels: StripLabels = { ...words.inPrompt, ...words.paidAs, turn: words.turn, describe: describeBar(words) };
  const chosen = bars.find((bar) => bar.spanId === selected)?.key ?? null;
  return (
    <Panel
      id="context"
      title={words.contextTitle}
      note={words.contextNote}
      aside={context?.areAll === false && words.contextCut}
    >
      <div ref={watch} className="px-4 pt-2 pb-2" style={{ minHeight: HEIGHT_PX }}>
        {width > 0 && bars.length > 0 && (
          <>
            <ContextStrip
              strip={strip}
              labels={labels}
              chosen={chosen}
              width={width}
              onChoose={(bar) => onChoose(bar.spanId)}
            />
            <StripKey strip={strip} labels={labels} />
          </>
        )}
      </div>
      {bars.length > 0 && <TurnTable bars={bars} words={words} />}
    </Panel>
  );
}

const COLUMNS = ["cacheRead", "repeated", "cacheWrite", "input", "output", "reasoning"] as const;

function TurnTable({ bars, words }: { bars: readonly TurnBar[]; words: Words }) {
  const [isOpen, setOpen] = useState(false);
  const nameOf = { ...words.paidAs, output: words.output, reasoning: words.reasoning };
  return (
    <details
      className="border-line border-t px-4 py-2 text-note"
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="cursor-pointer text-accent">{words.showRows}</summary>
      {isOpen && (
        // A region that scrolls is reached by keys too.
        <section className="max-h-[320px] overflow-auto" tabIndex={-1} aria-label={words.contextTitle}>
          <table className="data-table mt-1">
            <thead>
              <tr>
                <th scope="col">{words.turn}</th>
                {COLUMNS.map((name) => (
                  <th key={name} scope="col" className="num">
                    {nameOf[name]}
                  </th>
                ))}
                <th scope="col" className="num">
                  {words.cost}
                </th>
              </tr>
            </thead>
            <tbody>
              {bars.map((bar) => (
                <tr key={bar.key}>
                  <td>{bar.turn}</td>
                  {COLUMNS.map((name) => (
                    <td key={name} className="num">
                      {formatCount(bar[name])}
                    </td>
                  ))}
                  <td className="num">{bar.cost ?? words.costStatusOf[bar.costStatus]}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}
