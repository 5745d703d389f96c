/** A run's balance sheet: what was paid, and what of it was useful, repeated or failed, with the call that shows each cause best. */
import type { WasteItemRow } from "@centspan/model";
import { type Balance, type BalanceCause, type BalanceLine, PartsBar, ProvenanceMark, ToneMark } from "@centspan/ui";
import type { ReactNode } from "react";
import { DataTable, figures, wide, wideFigures } from "#components/data-table";
import { PageLink } from "#components/page-link";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import { ProofLink } from "../waste/proof-link.tsx";
import type { CauseWords } from "../waste/words-of-cause.ts";

type RowProps = { line: BalanceLine; name: ReactNode } & Partial<
  Record<"layer" | "mark" | "time" | "proof", ReactNode>
>;

function Row({ line, name, layer, mark, time, proof }: RowProps) {
  return (
    <tr>
      <td>
        <span className="flex items-center gap-2">
          <ToneMark tone={line.tone} /> {name}
        </span>
      </td>
      <td className="cell-wide text-ink-2">{layer}</td>
      <td className="num">
        {line.amount} {mark}
      </td>
      <td className="num text-ink-2">{line.share ?? "–"}</td>
      <td className="num cell-wide text-ink-2">{time}</td>
      <td className="num">{proof}</td>
    </tr>
  );
}

type Said = { page: Page; waste: readonly WasteItemRow[]; wordsOf: CauseWords };

function CauseRow({ page, waste, wordsOf, line }: Said & { line: BalanceCause }) {
  const { t } = page;
  const { title } = wordsOf(line.cause);
  // Items come dearest first.
  const dearest = waste.find(({ cause }) => cause === line.cause) ?? null;
  return (
    <Row
      line={line}
      name={<PageLink href={page.href(`/waste/${encodeURIComponent(line.cause)}`)}>{title}</PageLink>}
      layer={t.layerOf[line.layer]}
      mark={line.provenance && <ProvenanceMark kind={line.provenance} label={t.provenanceOf[line.provenance]} />}
      time={line.time}
      proof={<ProofLink page={page} place={dearest} of={title} text={t.showCall} />}
    />
  );
}

export function BalancePanel({ balance, ...said }: Said & { balance: Balance }) {
  const { page, wordsOf } = said;
  const { t } = page;
  const { useful, causes, notAnalysed } = balance;
  const rest = notAnalysed === null ? [] : [notAnalysed];
  const texts = [
    `${t.usefulSpend} ${useful.amount}`,
    ...causes.map(({ cause, amount }) => `${wordsOf(cause).title} ${amount}`),
    ...rest.map(({ amount }) => `${t.wasteSection.not_analysed} ${amount}`),
  ];
  return (
    <Panel title={t.balanceSheet} note={t.balanceNote} id="balance">
      <div className="px-4 pt-2.5 pb-1">
        <PartsBar parts={[useful, ...causes, ...rest]} label={texts.join(", ")} />
      </div>
      <DataTable
        headings={[
          t.balanceEntry,
          wide(t.layer),
          figures(t.cost),
          figures(t.share),
          wideFigures(t.timeHeading),
          figures(t.proof),
        ]}
        foot={
          <tr>
            <td>{t.paid}</td>
            <td className="cell-wide" />
            <td className="num">{balance.paid}</td>
            <td className="num">100.0%</td>
            <td className="num cell-wide">{balance.time}</td>
            <td />
          </tr>
        }
      >
        <Row line={useful} name={t.usefulSpend} />
        {causes.map((line) => (
          <CauseRow key={line.cause} {...said} line={line} />
        ))}
        {notAnalysed !== null && <Row line={notAnalysed} name={t.wasteSection.not_analysed} />}
      </DataTable>
    </Panel>
  );
}
