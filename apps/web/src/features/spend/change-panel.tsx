/** Why spend moved: the three parts that add up to the difference, and the meters that moved most. */
import type { ChangeRow, SpendChange } from "@centspan/ui";
import { DataTable, figures, wideFigures } from "#components/data-table";
import { DeviationBar } from "#components/deviation-bar";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";

function Cells({ row }: { row: Pick<ChangeRow, "price" | "quantity" | "total" | "bar"> }) {
  return (
    <>
      <td className="num cell-wide text-ink-2">{row.price}</td>
      <td className="num cell-wide text-ink-2">{row.quantity}</td>
      <td className="num font-[650]">{row.total}</td>
      <td className="cell-wide w-[18%]">
        <DeviationBar bar={row.bar} />
      </td>
    </>
  );
}

export function ChangePanel({ page: { t }, change }: { page: Page; change: SpendChange }) {
  const meters: Readonly<Record<string, string>> = t.meterOf;
  return (
    <Panel title={t.whyMoved(change.difference)} note={t.whyMovedNote}>
      <dl className="grid grid-cols-3 gap-x-6 px-4 pt-2 pb-3">
        {change.parts.map(({ id, amount, bar }) => (
          <div key={id}>
            <dt className="text-ink-2 text-note">{t.changePart[id]}</dt>
            <dd className="font-[650] text-figure">{amount}</dd>
            <dd className="mt-1.5">
              <DeviationBar bar={bar} />
            </dd>
            <dd className="mt-1.5 text-axis text-ink-3">{t.changePartText[id]}</dd>
          </div>
        ))}
      </dl>
      {change.rows.length === 0 ? (
        <p className="px-4 pb-3.5 text-ink-2">{t.nothingMoved}</p>
      ) : (
        <DataTable
          headings={[
            t.model,
            t.group.meter,
            wideFigures(t.changePart.price),
            wideFigures(t.volumeAndMix),
            figures(t.change),
            { text: t.change, isForReadersOnly: true, isWide: true },
          ]}
          foot={
            <tr>
              <td colSpan={2}>{t.all}</td>
              <td className="num cell-wide">{change.price}</td>
              <td className="num cell-wide">{change.quantity}</td>
              <td className="num">{change.difference}</td>
              <td className="cell-wide" />
            </tr>
          }
        >
          {change.rows.map((row) => (
            <tr key={row.key}>
              <td>{row.model === "" ? t.notKnown : row.model}</td>
              <td className="text-ink-2">{meters[row.meter] ?? row.meter}</td>
              <Cells row={row} />
            </tr>
          ))}
          {change.others !== null && (
            <tr>
              <td colSpan={2} className="text-ink-3">
                {t.andOthers(String(change.others.count))}
              </td>
              <Cells row={change.others} />
            </tr>
          )}
        </DataTable>
      )}
    </Panel>
  );
}
