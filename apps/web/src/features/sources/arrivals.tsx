/** What arrived, by service and signal. */
import { clsx } from "clsx";
import { DataTable, figures } from "#components/data-table";
import type { Catalogue } from "#i18n";
import { Panel } from "../ledger/panel.tsx";
import type { Arrival } from "./prepare-sources.ts";

type ArrivalsProps = { arrivals: readonly Arrival[]; silent: boolean; t: Catalogue };

export function Arrivals({ arrivals, silent, t }: ArrivalsProps) {
  return (
    <Panel title={t.arrivals} note={silent ? undefined : t.arrivalsNote}>
      {silent && (
        <div className="px-4 pt-1 pb-3.5">
          <p className="font-medium">{t.noArrivals}</p>
          <p className="text-ink-2">{t.noArrivalsText}</p>
        </div>
      )}
      {arrivals.length > 0 && (
        <DataTable headings={[t.service, t.signal, t.lastData, figures(t.records24h)]}>
          {arrivals.map((arrival) => (
            <tr key={arrival.key}>
              <td className={clsx(!arrival.isFirst && "text-ink-3")}>
                {arrival.service === "" ? t.noServiceName : arrival.service}
              </td>
              <td className="text-ink-2">{t.signalOf[arrival.signal]}</td>
              <td className={clsx(arrival.lastAgo === null && "text-ink-3")} title={arrival.lastAt}>
                {arrival.lastAgo === null ? arrival.lastAt : t.ago(arrival.lastAgo)}
              </td>
              <td className="num">{arrival.records}</td>
            </tr>
          ))}
        </DataTable>
      )}
    </Panel>
  );
}
