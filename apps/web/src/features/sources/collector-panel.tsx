/** How the collector is: what waits, how far it is behind, what it refused and why. */
import type { ReactNode } from "react";
import { DataTable, figures } from "#components/data-table";
import type { Catalogue } from "#i18n";
import { Panel } from "../ledger/panel.tsx";
import type { CodeCount, CollectorView } from "./prepare-sources.ts";

type PanelProps = { collector: CollectorView | { problem: string }; t: Catalogue };

export function CollectorPanel({ collector, t }: PanelProps) {
  if ("problem" in collector) {
    return (
      <Panel title={t.collector}>
        <div className="px-4 pt-1 pb-3.5">
          <p>
            <span className="tag tag-attention">{t.collectorAway}</span>{" "}
            <span className="text-ink-2 text-note">{collector.problem}</span>
          </p>
          <p className="mt-1.5 text-ink-2">{t.collectorAwayText}</p>
          <pre className="code-block mt-2">npx centspan doctor</pre>
        </div>
      </Panel>
    );
  }
  return (
    <Panel title={t.collector} note={t.sinceStart(collector.uptime)}>
      <Faults collector={collector} t={t} />
      <dl className="grid grid-cols-[minmax(120px,auto)_minmax(0,1fr)] gap-x-3 gap-y-1 px-4 pt-1.5 pb-2">
        <Fact name={t.spool}>
          {t.spoolHolds(collector.waiting, collector.bound)}
          <span className="text-ink-3"> · {t.countBatches(collector.batches)}</span>
        </Fact>
        <Fact name={t.oldestWaiting}>{collector.oldest ?? t.nothingWaits}</Fact>
        <Fact name={t.loaderLag}>{collector.lag ?? "–"}</Fact>
      </dl>
      <Signals collector={collector} t={t} />
    </Panel>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="contents">
      <dt className="text-ink-3">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Faults({ collector, t }: { collector: CollectorView; t: Catalogue }) {
  const faults = [
    ...(collector.refusal === null ? [] : [t.spoolRefuses(collector.refusal)]),
    ...(collector.warehouseAway ? [t.loaderAway] : []),
    ...(collector.refusedBatches === null ? [] : [t.refusedBatches(collector.refusedBatches)]),
  ];
  if (faults.length === 0) return null;
  return (
    <ul className="mx-4 mt-2 rounded-[3px] border border-waste-line bg-waste-weak px-3 py-2">
      {faults.map((fault) => (
        <li key={fault}>{fault}</li>
      ))}
    </ul>
  );
}

function Signals({ collector, t }: { collector: CollectorView; t: Catalogue }) {
  return (
    <DataTable headings={[t.signal, figures(t.recordsTaken), t.recordsRefused, t.requestsRefused]}>
      {collector.signals.map(({ signal, taken, refusedRecords, refusedRequests }) => (
        <tr key={signal}>
          <td>{t.signalOf[signal]}</td>
          <td className="num">{taken}</td>
          <td>
            <Refused counts={refusedRecords} texts={t.rejectionOf} />
          </td>
          <td>
            <Refused counts={refusedRequests} texts={t.requestEndOf} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

/** A code that has no words yet is shown as it is. */
function Refused({ counts, texts }: { counts: readonly CodeCount[]; texts: Readonly<Record<string, string>> }) {
  if (counts.length === 0) return <span className="text-ink-3">0</span>;
  return (
    <span className="flex flex-wrap gap-x-2.5 gap-y-0.5 py-1">
      {counts.map(({ code, count }) => (
        <span key={code} title={code}>
          {count} <span className="text-ink-2">{texts[code] ?? code}</span>
        </span>
      ))}
    </span>
  );
}
