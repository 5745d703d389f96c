/** One provider's price list: every entry in force, with when it holds and where it comes from. */
import { formatCount, PRICE_METERS, type PriceRow, preparePriceCard } from "@centspan/ui";
import { clsx } from "clsx";
import { DataTable, figures, wide, wideFigures } from "#components/data-table";
import { PageLink } from "#components/page-link";
import type { Catalogue } from "#i18n";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import { describeSelectors } from "./describe-terms.ts";
import type { Prices } from "./load-prices.ts";

type PanelProps = { page: Page; prices: Prices };

/** Per phone only what a call costs at the least: input and output. */
const WIDE = {
  input: false,
  cache_read: true,
  cache_write_5m: true,
  cache_write_1h: true,
  output_text: false,
} as const;

function Source({ row, t }: { row: PriceRow; t: Catalogue }) {
  const link =
    row.sourceHost === null ? (
      row.source
    ) : (
      <a href={row.source} rel="noreferrer" target="_blank">
        {row.sourceHost}
      </a>
    );
  return (
    <>
      {link}, {row.checkedOn} {row.state === "announced" && <span className="tag">{t.announced}</span>}
    </>
  );
}

function EntryRow({ row, t }: { row: PriceRow; t: Catalogue }) {
  return (
    <tr className={row.state === "past" ? "text-ink-3" : undefined}>
      <td title={[row.model, ...row.alsoNamed].join(", ")} className={clsx(row.state !== "past" && "font-semibold")}>
        {row.model}
      </td>
      <td className="text-ink-2">{describeSelectors(row.when, t)}</td>
      {PRICE_METERS.map((meter) => (
        <td key={meter} className={clsx("num", WIDE[meter] && "cell-wide")}>
          {row.rates[meter] ?? <span className="text-ink-3">–</span>}
        </td>
      ))}
      <td className="num cell-wide">{row.webSearch ?? <span className="text-ink-3">–</span>}</td>
      <td className="cell-wide">
        {row.from} – {row.to}
      </td>
      <td className="cell-wide text-ink-2">
        <Source row={row} t={t} />
      </td>
    </tr>
  );
}

function Providers({ page, prices: { cards, card } }: PanelProps) {
  return (
    <nav aria-label={page.t.group.provider} className="flex flex-wrap gap-1.5 max-sm:px-4">
      {cards.map(({ id, provider }) => (
        <PageLink
          key={id}
          href={page.here({ provider })}
          aria-current={id === card.id ? "true" : undefined}
          className={clsx("control", id === card.id && "border-accent-line! bg-accent-weak! text-accent!")}
        >
          {provider}
        </PageLink>
      ))}
    </nav>
  );
}

export function CardPanel({ page, prices }: PanelProps) {
  const { t, params, language } = page;
  const { card, today, unpriced } = prices;
  const withPast = params.past === "yes";
  const withVariants = params.variants === "yes";
  const rows = preparePriceCard(card, { today, language, withPast, withVariants });
  const aliases = Object.entries(card.aliases ?? {});
  return (
    <>
      <Providers page={page} prices={prices} />
      <Panel
        title={t.priceListOf(card.provider)}
        note={t.priceListNote(card.describe, rows[0]?.currency ?? "USD")}
        aside={
          <span className="flex gap-3">
            <PageLink href={page.here({ variants: withVariants ? null : "yes" })}>
              {withVariants ? t.standardOnly : t.withVariants}
            </PageLink>
            <PageLink href={page.here({ past: withPast ? null : "yes" })}>
              {withPast ? t.inForceOnly : t.withPast}
            </PageLink>
          </span>
        }
      >
        <DataTable
          headings={[
            t.model,
            t.appliesTo,
            ...PRICE_METERS.map((meter) => (WIDE[meter] ? wideFigures : figures)(t.priceMeter[meter])),
            wideFigures(t.webSearchPrice),
            wide(t.inForce),
            wide(t.sourceAndChecked),
          ]}
        >
          {rows.map((row) => (
            <EntryRow key={row.id} row={row} t={t} />
          ))}
          {unpriced.map(({ model, calls }) => (
            <tr key={`unpriced ${model}`} className="text-waste">
              <td className="font-semibold">{model}</td>
              <td colSpan={8}>{t.calledUnpriced(formatCount(calls))}</td>
            </tr>
          ))}
        </DataTable>
        {(aliases.length > 0 || card.passThrough !== undefined) && (
          <p className="px-4 pt-2 pb-3 text-axis text-ink-3">
            {[
              ...aliases.map(([name, model]) => `${name} = ${model}`),
              ...(card.passThrough === undefined ? [] : [t.passThrough(Object.keys(card.passThrough).join(", "))]),
            ].join(" · ")}
          </p>
        )}
      </Panel>
    </>
  );
}
