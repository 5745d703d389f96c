/** What a month would cost by today's cards and terms, or by one that is tried; the ledger stays as it is. */
import { PREVIEW_GROUPS } from "@centspan/model";
import { formatCount, formatMonth, type PreviewRow, ProvenanceMark, preparePreview } from "@centspan/ui";
import { DataTable, figures, wideFigures } from "#components/data-table";
import type { Catalogue } from "#i18n";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import type { Preview, Prices } from "./load-prices.ts";

type PanelProps = { page: Page; prices: Prices };

function TrialFields({ page: { t, params }, prices: { card, cards, today } }: PanelProps) {
  const provider = params.tryProvider ?? card.provider;
  const entries = cards
    .flatMap((one) => one.entries)
    .filter(({ model, from }) => !model.endsWith("*") && from <= today);
  return (
    <fieldset className="flex flex-wrap items-end gap-2">
      <legend className="sr-only">{t.tryTerms}</legend>
      <label className="field-label">
        {t.tryProvider}
        <select className="field" name="tryProvider" defaultValue={provider}>
          {cards.map(({ id, provider: name }) => (
            <option key={id} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label className="field-label">
        {t.tryModel}
        <input className="field w-[150px]" name="tryModel" defaultValue={params.tryModel} placeholder={t.everyModel} />
      </label>
      <label className="field-label">
        {t.tryPercent}
        <input className="field w-[110px]" name="tryPercent" defaultValue={params.tryPercent} placeholder="−12.5" />
      </label>
      <label className="field-label">
        {t.tryEntry}
        <select className="field w-[220px]" name="tryEntry" defaultValue={params.tryEntry ?? ""}>
          <option value="">{t.tryNoEntry}</option>
          {entries.map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      </label>
    </fieldset>
  );
}

function Form({ page, prices }: PanelProps) {
  const { t, params, language } = page;
  const { months } = prices;
  return (
    <form className="flex flex-wrap items-end gap-2 px-4 pt-2 pb-3" action="/prices" aria-label={t.previewTitle}>
      {["workspace", "provider", "past", "variants"].map((name) => {
        const value = params[name];
        return value === undefined ? null : <input key={name} type="hidden" name={name} value={value} />;
      })}
      <label className="field-label">
        {t.month}
        <select className="field" name="preview" defaultValue={params.preview ?? months[1]}>
          {months.map((month) => (
            <option key={month} value={month}>
              {formatMonth(month, language)}
            </option>
          ))}
        </select>
      </label>
      <label className="field-label">
        {t.groupBy}
        <select className="field" name="by" defaultValue={params.by ?? "model"}>
          {PREVIEW_GROUPS.map((group) => (
            <option key={group} value={group}>
              {t.group[group]}
            </option>
          ))}
        </select>
      </label>
      <TrialFields page={page} prices={prices} />
      <button type="submit" className="control control-primary">
        {t.runPreview}
      </button>
    </form>
  );
}

function Amount({ text, t }: { text: string | null; t: Catalogue }) {
  return text ?? <span className="font-normal text-waste">{t.unpriced}</span>;
}

function Cells({ row, t }: { row: PreviewRow; t: Catalogue }) {
  const unpriced =
    row.unpricedBefore + row.unpricedAfter === 0
      ? "–"
      : `${formatCount(row.unpricedBefore)} → ${formatCount(row.unpricedAfter)}`;
  return (
    <>
      <td className="num cell-wide">{row.calls}</td>
      <td className="num">
        <Amount text={row.booked} t={t} />
      </td>
      <td className="num font-[650]">
        <Amount text={row.previewed} t={t} />
      </td>
      <td className="num">{row.difference}</td>
      <td className="num cell-wide text-ink-2">{row.growth ?? "–"}</td>
      <td className="num cell-wide text-ink-2">{unpriced}</td>
    </>
  );
}

function Result({ page: { t, language }, preview }: { page: Page; preview: Preview }) {
  if (preview.trial === "wrong" || "refusal" in preview) {
    return (
      <p role="alert" className="mx-4 mb-3.5 rounded-control border border-waste-line bg-waste-weak px-3 py-2">
        {"refusal" in preview ? `${t.previewRefused} ${preview.refusal}` : t.previewWrong}
      </p>
    );
  }
  if (preview.rows.length === 0) return <p className="px-4 pb-3.5 text-ink-2">{t.nothingToPreview}</p>;
  const { rows, total } = preparePreview(preview.rows);
  return (
    <>
      <p className="px-4 pb-1.5">
        {t.previewSays(formatMonth(preview.month, language), total.booked ?? t.unpriced)}{" "}
        <b className="font-[650] text-figure">{total.previewed ?? t.unpriced}</b>{" "}
        <ProvenanceMark kind="derived" label={t.provenanceOf.derived} /> · {total.difference}
        {total.growth === null ? "" : ` (${total.growth})`}
      </p>
      <DataTable
        headings={[
          t.group[preview.groupBy],
          wideFigures(t.calls),
          figures(t.booked),
          figures(t.wouldCost),
          figures(t.difference),
          wideFigures("%"),
          wideFigures(t.unpricedCalls),
        ]}
        foot={
          <tr>
            <td>{t.all}</td>
            <Cells row={total} t={t} />
          </tr>
        }
      >
        {rows.map((row) => (
          <tr key={row.group}>
            <td>{row.group === "" ? <span className="text-waste">{t.notKnown}</span> : row.group}</td>
            <Cells row={row} t={t} />
          </tr>
        ))}
      </DataTable>
    </>
  );
}

export function PreviewPanel({ page, prices }: PanelProps) {
  const { t } = page;
  return (
    <Panel title={t.previewTitle} note={t.previewNote}>
      <Form page={page} prices={prices} />
      {prices.preview !== null && <Result page={page} preview={prices.preview} />}
    </Panel>
  );
}
