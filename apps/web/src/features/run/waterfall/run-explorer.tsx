"use client";
/**
 * The run as it is explored: context per turn, rows, and the span that was chosen. The skeleton of the spans comes first, in
 * one piece; what rows say, what a span holds and what logs say follow when they are looked at.
 */
import { formatCount } from "@centspan/ui";
import { Panel } from "../../ledger/panel.tsx";
import { ContextPanel } from "./context-panel.tsx";
import type { ExplorerProps } from "./explorer-props.ts";
import { partAddress } from "./part-address.ts";
import { loadSkeleton, useLoaded } from "./use-parts.ts";
import { useView } from "./use-view.ts";
import { WaterfallBody } from "./waterfall-body.tsx";
import { wordsOf } from "./words.ts";

export function RunExplorer(props: ExplorerProps) {
  const { run, title, language, params, spans, heightPx } = props;
  const words = wordsOf(language);
  const [view, setView] = useView(params);
  const loaded = useLoaded(loadSkeleton, partAddress(run, "skeleton"));
  if (loaded.state === "there") {
    return <WaterfallBody {...props} skeleton={loaded.value} words={words} view={view} setView={setView} />;
  }
  return (
    <>
      {props.calls > 0 && (
        <ContextPanel forest={null} context={null} words={words} selected={null} onChoose={() => undefined} />
      )}
      <Panel id="waterfall" title={title} note={words.loadingSpans(formatCount(spans))}>
        <Waiting text={loaded.state === "failed" ? `${words.failed} ${loaded.text}` : null} heightPx={heightPx} />
        <noscript>
          <p className="px-4 pb-4">{words.needsCode}</p>
        </noscript>
      </Panel>
    </>
  );
}

const WAITING_ROWS = 18;
/** Toolbar, strip and foot. */
const BESIDE_ROWS_PX = 112;

/** As high as the rows that are to come. */
function Waiting({ text, heightPx }: { text: string | null; heightPx: number }) {
  if (text !== null) return <p className="m-4 border-waste border-l-[3px] bg-waste-weak px-3 py-2">{text}</p>;
  return (
    <div className="wf-waiting" aria-hidden="true" style={{ height: heightPx + BESIDE_ROWS_PX }}>
      {Array.from({ length: WAITING_ROWS }, (_, at) => at).map((at) => (
        <i key={at} style={{ width: `${18 + ((at * 37) % 50)}%` }} />
      ))}
    </div>
  );
}
