/** What was agreed on, in the order in which it goes before the list, and what other currencies are worth. */

import { parseInstant } from "@centspan/base";
import { CONTRACT_SCOPES, type ContractPrice, type ContractScope } from "@centspan/model";
import { formatDate, formatDateMinute, type Language } from "@centspan/ui";
import { DataTable, figures } from "#components/data-table";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import { describeCalls, describeCommitment, describeTerms } from "./describe-terms.ts";
import type { Prices } from "./load-prices.ts";

const COMMANDS = "npx centspan prices add terms.json\nnpx centspan prices end CONTRACT 2027-01-01";

/** The narrowest scope first, within one the most exact model. */
const byPrecedence = (a: ContractPrice, b: ContractPrice): number =>
  CONTRACT_SCOPES.indexOf(a.scope) - CONTRACT_SCOPES.indexOf(b.scope) ||
  exactness(b.model) - exactness(a.model) ||
  (a.id < b.id ? -1 : 1);

const exactness = (model: string): number => (model.endsWith("*") ? model.length - 1 : 1000);

const DAY_NS = 86_400_000_000_000n;

/** With its time where that is not midnight, UTC as all times of the pages. */
function writeDay(text: string, language: Language): string {
  const atNs = parseInstant(text) ?? 0n;
  return atNs % DAY_NS === 0n ? formatDate(atNs, language) : formatDateMinute(atNs, language);
}

function describeScope(scope: ContractScope, ids: readonly string[], { t }: Page, { keyNames }: Prices): string {
  if (scope === "org" || ids.length === 0) return t.wholeOrganisation;
  return `${t.group[scope]} ${ids.map((id) => keyNames.get(id) ?? id).join(", ")}`;
}

export function TermsPanel({ page, prices }: { page: Page; prices: Prices }) {
  const { t, language } = page;
  const { contracts, exchangeRates } = prices.terms;
  const write = (text: string): string => writeDay(text, language);
  return (
    <Panel title={t.agreedOn} note={t.precedence}>
      {contracts.length + exchangeRates.length === 0 ? (
        <div className="px-4 pt-1 pb-3.5">
          <p className="mb-2.5 text-ink-2">{t.nothingAgreed}</p>
          <pre className="code-block">{COMMANDS}</pre>
        </div>
      ) : (
        <DataTable
          headings={[
            t.contract,
            t.whose,
            t.group.provider,
            t.model,
            t.appliesTo,
            t.terms,
            t.priceFrom,
            t.priceTo,
            t.source,
          ]}
        >
          {[...contracts].sort(byPrecedence).map((one) => (
            <tr key={one.id}>
              <td className="font-semibold">{one.id}</td>
              <td>{describeScope(one.scope, [one.scopeId], page, prices)}</td>
              <td>{one.provider}</td>
              <td>{one.model === "*" ? t.everyModel : one.model}</td>
              <td className="text-ink-2">{describeCalls(one, t)}</td>
              <td className="max-w-[320px] truncate" title={describeTerms(one, t)}>
                {describeTerms(one, t)}
              </td>
              <td>{write(one.from)}</td>
              <td>{one.to === undefined ? <span className="text-ink-3">{t.stillOpen}</span> : write(one.to)}</td>
              <td className="text-ink-2">{one.source}</td>
            </tr>
          ))}
        </DataTable>
      )}
      {exchangeRates.length > 0 && (
        <div className="border-line border-t pt-1.5">
          <DataTable headings={[t.currency, figures(t.worthUsd), t.priceFrom, t.source]}>
            {[...exchangeRates]
              .sort((a, b) =>
                a.currency === b.currency ? (a.from < b.from ? 1 : -1) : a.currency < b.currency ? -1 : 1,
              )
              .map(({ currency, from, usd, source }) => (
                <tr key={`${currency} ${from}`}>
                  <td className="font-semibold">{currency}</td>
                  <td className="num">{usd}</td>
                  <td>{write(from)}</td>
                  <td className="text-ink-2">{source}</td>
                </tr>
              ))}
          </DataTable>
        </div>
      )}
    </Panel>
  );
}

/** What is paid for a time or in advance, and covers usage; nothing where there is none. */
export function CommitmentsPanel({ page, prices }: { page: Page; prices: Prices }) {
  const { t, language } = page;
  if (prices.commitments.length === 0) return null;
  return (
    <Panel title={t.commitments} note={t.commitmentsNote}>
      <DataTable
        headings={[t.commitment, t.whose, t.group.provider, t.model, t.terms, t.priceFrom, t.priceTo, t.source]}
      >
        {prices.commitments.map((one) => (
          <tr key={one.id}>
            <td className="font-semibold">{one.id}</td>
            <td className="max-w-[220px] truncate">{describeScope(one.scope, one.scopeIds, page, prices)}</td>
            <td>{one.provider}</td>
            <td>{one.model === "*" ? t.everyModel : one.model}</td>
            <td>{describeCommitment(one, t)}</td>
            <td>{writeDay(one.from, language)}</td>
            <td>
              {one.to === undefined ? <span className="text-ink-3">{t.stillOpen}</span> : writeDay(one.to, language)}
            </td>
            <td className="text-ink-2">{one.source}</td>
          </tr>
        ))}
      </DataTable>
    </Panel>
  );
}
