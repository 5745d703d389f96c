/** What a finance person asks after the key figures, each with its mark and the page that has the rows behind it. */

import type { Provenance } from "@centspan/model";
import { formatMonth, ProvenanceMark, type Situation } from "@centspan/ui";
import type { Page } from "../page/page.ts";
import { Figure, FigureStrip } from "./key-figures.tsx";

type StripProps = { page: Page; situation: Situation };

export function SituationStrip({ page, situation }: StripProps) {
  const { t, language, href } = page;
  const { unallocated, paidTwice, lost, forecast, seats, invoice, savings } = situation;
  const mark = (kind: Provenance) => <ProvenanceMark kind={kind} label={t.provenanceOf[kind]} />;
  const period = seats === null ? "" : formatMonth(seats.period, language);
  return (
    <FigureStrip label={t.situation} isSmall>
      <Figure
        label={t.paidTwice}
        mark={mark(paidTwice.provenance)}
        value={paidTwice.amount}
        isAttention
        href={href("/waste")}
      >
        <p>{paidTwice.share !== null && t.ofSpend(paidTwice.share)}</p>
        {situation.notAnalysed !== null && <p>{t.notAnalysedShare(situation.notAnalysed)}</p>}
      </Figure>
      <Figure
        label={t.unallocated}
        mark={mark(unallocated.provenance)}
        value={unallocated.amount}
        href={href("/spend", { groupBy: "team" })}
      >
        <p>{unallocated.share !== null && t.ofSpend(unallocated.share)}</p>
        <p>{t.unallocatedNote}</p>
      </Figure>
      <Figure
        label={t.lostWork}
        mark={mark(lost.provenance)}
        value={lost.amount}
        href={href("/outcomes", { groupBy: "branch" })}
      >
        <p>{lost.isNone ? t.nothingLost : t.revertedAndAbandoned(lost.reverted, lost.abandoned)}</p>
      </Figure>
      <Figure
        label={forecast === null ? t.forecast : t.forecastOf(formatMonth(forecast.month, language))}
        mark={mark("estimated")}
        value={forecast?.amount ?? "–"}
        href={href("/spend")}
      >
        <p>{forecast === null ? t.noForecast : forecast.interval}</p>
        {forecast?.budget != null && <p>{t.budgetsOver(String(forecast.budget.over), String(forecast.budget.all))}</p>}
      </Figure>
      <Figure label={t.seatsTitle} mark={mark("allocated")} value={seats?.paid ?? "–"} href={href("/close")}>
        {seats === null ? (
          <p>{t.noSeats}</p>
        ) : (
          <>
            <p>{t.seatsUse(period, seats.idle ?? "–", seats.list)}</p>
            {seats.beyond !== null && <p>{t.beyondSeats(seats.beyond)}</p>}
          </>
        )}
      </Figure>
      {page.may("audit.read") && (
        <Figure label={t.invoiceResidual} value={invoice?.unexplained ?? "–"} href={href("/close/reconciliation")}>
          <p>
            {invoice === null ? t.nothingCompared : t.invoiceDifference(invoice.difference, invoice.from, invoice.to)}
          </p>
        </Figure>
      )}
      <Figure
        label={t.realisedSavings}
        mark={mark("estimated")}
        value={savings.cash ?? "–"}
        href={href("/recommendations")}
      >
        <p>{t.savingsNote(String(savings.verified), String(savings.open))}</p>
      </Figure>
    </FigureStrip>
  );
}
