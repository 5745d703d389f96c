"use client";
/** Rows with their toolbar, and the chosen span beside them: what a person does here changes the view, and nothing else. */
import type { TraceSkeleton } from "@centspan/model";
import { formatCount, formatDuration, formatMoney, idOf, readRowId, searchSpans, windowOf } from "@centspan/ui";
import { clsx } from "clsx";
import { lazy, Suspense, useCallback, useMemo, useRef, useState } from "react";
import { Panel } from "../../ledger/panel.tsx";
import { splitSelection, toggleRow, type View } from "../waterfall-state.ts";
import { ContextPanel } from "./context-panel.tsx";
import type { ExplorerProps } from "./explorer-props.ts";
import { GridView } from "./grid-view.tsx";
import { LayerKey } from "./layer-key.tsx";
import { Oddities } from "./oddities.tsx";
import { partAddress } from "./part-address.ts";
import { SkewMenu } from "./skew-menu.tsx";
import { Toolbar } from "./toolbar.tsx";
import { useGestures } from "./use-gestures.ts";
import { useKeys } from "./use-keys.ts";
import { useLogTicks } from "./use-log-ticks.ts";
import { useModel } from "./use-model.ts";
import { loadContext, loadLogs, useLoaded } from "./use-parts.ts";
import { useTravel } from "./use-travel.ts";
import type { SetView } from "./use-view.ts";
import { WindowStrip } from "./window-strip.tsx";
import type { Words } from "./words.ts";

/** Nothing that rows wait for. */
const SpanPanel = lazy(() => import("../span-panel.tsx"));

type BodyProps = ExplorerProps & { skeleton: TraceSkeleton; words: Words; view: View; setView: SetView };

export function WaterfallBody({ skeleton, words, view, setView, ...props }: BodyProps) {
  const { run, traceId, language, anomalies, total, heightPx } = props;
  const scroller = useRef<HTMLDivElement | null>(null);
  const search = useRef<HTMLInputElement | null>(null);
  const [onlyCritical, setOnlyCritical] = useState(false);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const model = useModel(skeleton, view);
  const { forest, context, whole, window } = model;
  const matches = useMemo(() => searchSpans(forest, view.find), [forest, view.find]);
  const start = view.selected === null ? -1 : readRowId(forest, view.selected).node;
  const travel = useTravel(model, setView, scroller, start);
  const select = useCallback((id: string | null) => setView((before) => ({ ...before, selected: id })), [setView]);
  const fold = (row: number): void => {
    const prepared = model.rowAt(row);
    if (prepared?.expandable) setView((before) => toggleRow(before, prepared.id, prepared.expanded));
  };
  const act = useKeys({
    model,
    view,
    setView,
    travel,
    matches: matches.matches,
    fold,
    select,
    focusSearch: () => search.current?.focus(),
    toggleCritical: () => setOnlyCritical(!onlyCritical),
    toggleHelp: () => setHelpOpen(!isHelpOpen),
    roomRows: Math.floor(heightPx / 26) - 2,
  });
  useGestures(scroller, whole, window, setView);
  // Asked for once the rows are there: they come first.
  const contextPart = useLoaded(loadContext, partAddress(run, "context"));
  const logPart = useLoaded(loadLogs, partAddress(run, "logs"));
  const logs = logPart.state === "there" ? logPart.value : null;
  const logTicks = useLogTicks(forest, logs);
  const hosts = useMemo(
    () => [...new Set(skeleton.faces.map(({ host }) => host))].filter((host) => host !== ""),
    [skeleton],
  );
  const { selected } = view;
  const place = splitSelection(selected ?? "", traceId);
  const api = `/api/v1/traces/${place.traceId}${selected === null ? "" : `/spans/${place.spanId}`}`;
  const goToSpan = (spanId: string): void => {
    const { node } = readRowId(forest, spanId);
    if (node >= 0) travel.goTo(node);
    select(spanId);
  };
  return (
    <>
      {props.calls > 0 && (
        <ContextPanel
          forest={forest}
          context={contextPart.state === "there" ? contextPart.value : null}
          words={words}
          selected={selected}
          onChoose={goToSpan}
        />
      )}
      <div className={clsx("wf-layout", selected !== null && "wf-beside")}>
        <Panel
          id="waterfall"
          title={props.title}
          note={<LayerKey words={words} />}
          aside={describeCounts(model, words)}
        >
          <Toolbar
            view={view}
            words={words}
            found={matches.count}
            onlyCritical={onlyCritical}
            isHelpOpen={isHelpOpen}
            search={search}
            curl={() => `curl -sS '${location.origin}${api}' -H "Authorization: Bearer $CENTSPAN_API_KEY"`}
            skew={
              <SkewMenu
                skew={view.skew}
                moved={forest.moved}
                hosts={hosts}
                words={words}
                onSkew={(skew) => setView((before) => ({ ...before, skew }))}
              />
            }
            onFold={(chosen) =>
              setView((before) => ({ ...before, fold: chosen, opened: new Set(), closed: new Set() }))
            }
            onFind={(find) => setView((before) => ({ ...before, find }))}
            onMatch={(step) => act(step === 1 ? "nextMatch" : "previousMatch")}
            onCritical={() => act("critical")}
            onZoom={(change) => act(change === "in" ? "zoomIn" : change === "out" ? "zoomOut" : "zoomWhole")}
            onHelp={() => act("help")}
          />
          <div className="px-4 pb-1.5">
            <WindowStrip
              marks={model.overview}
              whole={whole}
              window={window}
              onWindow={(chosen) => setView((before) => ({ ...before, window: chosen }))}
            />
          </div>
          <Oddities forest={forest} anomalies={anomalies} words={words} onGo={(node) => goToSpan(idOf(forest, node))} />
          <GridView
            model={model}
            run={run}
            words={words}
            scroller={scroller}
            activeRow={travel.activeRow}
            selected={selected}
            onlyCritical={onlyCritical}
            matches={matches.count === 0 ? NO_MATCHES : matches.matches}
            logTicks={logTicks}
            heightPx={heightPx}
            onKey={act.onKey}
            onFold={fold}
            onSelect={select}
            onActivate={travel.moveTo}
          />
          <Foot model={model} words={words} total={total} />
        </Panel>
        {selected !== null && (
          <Suspense fallback={<aside className="panel wf-side" aria-hidden="true" />}>
            <SpanPanel
              run={run}
              selected={selected}
              traceId={traceId}
              language={language}
              layer={skeleton.faces[skeleton.face[start] ?? -1]?.layer ?? ""}
              isCritical={!Number.isNaN(context.criticalUntilNs[start] ?? Number.NaN)}
              logs={logs?.filter(({ spanId }) => spanId === place.spanId) ?? []}
              onSelect={goToSpan}
              onZoom={() => setView((before) => ({ ...before, window: windowOf(forest, start) }))}
              onClose={() => select(null)}
            />
          </Suspense>
        )}
      </div>
    </>
  );
}

const NO_MATCHES = new Uint8Array(0);

const describeCounts = ({ context, forest }: ReturnType<typeof useModel>, words: Words): string =>
  words.spans(formatCount(context.rows.count), formatCount(forest.spans));

type FootProps = { model: ReturnType<typeof useModel>; words: Words; total: ExplorerProps["total"] };

function Foot({ model, words, total }: FootProps) {
  const { forest } = model;
  const { elsewhereUsd } = forest.skeleton;
  return (
    <>
      <div className="wf-foot">
        <span className="pl-2.5">{total.calls}</span>
        <span />
        <span className="wf-figure">{formatDuration(BigInt(Math.round(forest.endNs - forest.startNs)))}</span>
        <span className="wf-figure">{total.cost}</span>
        <span className={clsx("wf-figure", total.repeated === "–" ? "text-ink-3" : "text-waste")}>
          {total.repeated}
        </span>
      </div>
      {elsewhereUsd !== null && (
        <p className="px-4 pb-2 text-axis text-ink-3">{words.elsewhere(formatMoney(elsewhereUsd, 4))}</p>
      )}
    </>
  );
}
