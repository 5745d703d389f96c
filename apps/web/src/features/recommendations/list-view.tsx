/** Recommendations, newest first: what each is, where it stands, its effect and its worth. */
import type { Recommendation } from "@centspan/model";
import {
  formatDay,
  formatEffect,
  formatMoney,
  formatRange,
  headlineDecimals,
  ProvenanceMark,
  parseInstantNs,
} from "@centspan/ui";
import { DataTable, figures, wide, wideFigures } from "#components/data-table";
import { PageLink } from "#components/page-link";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";

export function RecommendationList({
  page,
  recommendations,
}: {
  page: Page;
  recommendations: readonly Recommendation[];
}) {
  const { t } = page;
  if (recommendations.length === 0)
    return (
      <section className="panel max-w-[640px] p-4">
        <h2 className="font-[650] text-figure">{t.noRecommendations}</h2>
        <p className="text-ink-2">{t.noRecommendationsText}</p>
      </section>
    );
  return (
    <Panel title={t.recommendations}>
      <DataTable
        headings={[
          t.proposedChange,
          t.verdictHeading,
          figures(t.effectHeading),
          wideFigures(t.worthAMonth),
          wide(t.time),
        ]}
      >
        {recommendations.map((one) => (
          <Row key={one.id} page={page} recommendation={one} />
        ))}
      </DataTable>
    </Panel>
  );
}

function Row({ page, recommendation }: { page: Page; recommendation: Recommendation }) {
  const { t, language } = page;
  const { id, title, subject, kind, state, effect, savings, provenance, proposedAt } = recommendation;
  const worth = kind === "spend" ? savings.cashUsdMonth : savings.capacityUsdMonth;
  return (
    <tr>
      <td className="whitespace-normal! py-2!">
        <PageLink href={page.href(`/recommendations/${encodeURIComponent(id)}`)}>{title}</PageLink>
        <p className="text-ink-2 text-note">
          {subject} · {t.recommendationKind[kind]}
        </p>
      </td>
      <td>{t.recommendationState[state]}</td>
      <td className="num" title={effect === null ? undefined : formatRange(effect)}>
        {effect === null ? "–" : formatEffect(effect.share)}
      </td>
      <td className="num cell-wide">
        {formatMoney(worth, headlineDecimals(worth))}{" "}
        <ProvenanceMark kind={provenance} label={t.provenanceOf[provenance]} />
      </td>
      <td className="cell-wide text-ink-2">{formatDay(parseInstantNs(proposedAt), language)}</td>
    </tr>
  );
}
