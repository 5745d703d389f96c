/**
 * What arrives and from whom, how the collector is, and how to connect: one block per way in, with commands that carry this
 * installation's addresses; then the keys there are.
 */
import type { KeyRow } from "@centspan/model";
import type { ReactNode } from "react";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import { Arrivals } from "./arrivals.tsx";
import { CollectorPanel } from "./collector-panel.tsx";
import type { Connections } from "./connections.ts";
import { KeyTable } from "./key-table.tsx";
import type { Arrival, CollectorView } from "./prepare-sources.ts";

function Way({ title, text, command }: { title: string; text?: ReactNode; command: string }) {
  return (
    <Panel title={title}>
      <div className="px-4 pt-1 pb-3.5">
        {text !== undefined && <p className="mb-2 text-ink-2">{text}</p>}
        <pre className="code-block">{command}</pre>
      </div>
    </Panel>
  );
}

type ViewProps = {
  page: Page;
  arrivals: readonly Arrival[];
  /** Nobody but the collector itself has sent anything. */
  silent: boolean;
  collector: CollectorView | { problem: string };
  keys: readonly KeyRow[];
  connections: Connections;
  apiCall: string;
};

export function SourcesView({ page, arrivals, silent, collector, keys, connections, apiCall }: ViewProps) {
  const { t } = page;
  return (
    <>
      <div className="grid grid-cols-2 items-start gap-3.5 max-lg:grid-cols-1">
        <Arrivals arrivals={arrivals} silent={silent} t={t} />
        <CollectorPanel collector={collector} t={t} />
      </div>
      <h2 className="mt-2 font-[650] text-figure max-sm:px-4">{t.howToConnect}</h2>
      <div className="grid grid-cols-2 items-start gap-3.5 max-lg:grid-cols-1">
        <div className="flex min-w-0 flex-col gap-3.5">
          <Way title={t.connectGateway} text={t.connectGatewayText} command={connections.gateway} />
          <Way title={t.connectClaude} text={t.connectClaudeText} command={connections.claude} />
          <Way title={t.connectImport} text={t.connectImportText} command={connections.imports} />
        </div>
        <div className="flex min-w-0 flex-col gap-3.5">
          <Way title={t.connectCodex} command={connections.codex} />
          <Way title={t.connectOtel} text={t.connectOtelText} command={connections.otel} />
          <Way title={t.connectApi} text={t.connectApiText} command={apiCall} />
        </div>
      </div>
      <KeyTable page={page} keys={keys} />
    </>
  );
}
