/** What was paid twice by cause, the dearest first, for a page that has more to say: each leads to its proof. */
import { ProvenanceMark } from "@centspan/ui";
import { DataTable, figures, wide } from "#components/data-table";
import { PageLink } from "#components/page-link";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import type { Causes } from "./load-waste.ts";

const MOST = 8;

export function CausesPanel({ page, causes }: { page: Page; causes: Causes }) {
  const { t } = page;
  const { waste, wordsOf } = causes;
  const lines = waste.sections
    .flatMap(({ id, causes: lines }) =>
      id === "harness" || id === "api" || id === "inference"
        ? lines.filter(({ isTimeOnly }) => !isTimeOnly).map((line) => ({ ...line, layer: id }))
        : [],
    )
    .slice(0, MOST);
  if (lines.length === 0) return null;
  return (
    <Panel
      title={`${t.paidTwice} ${waste.figures.twice.amount}`}
      aside={<PageLink href={page.href("/waste")}>{t.allCauses}</PageLink>}
    >
      <DataTable headings={[t.group.cause, figures(t.cost), wide(t.change), wide(t.layer)]}>
        {lines.map(({ cause, amount, growth, provenance, layer }) => (
          <tr key={cause}>
            <td>
              <PageLink href={page.href(`/waste/${encodeURIComponent(cause)}`)}>{wordsOf(cause).title}</PageLink>
            </td>
            <td className="num">
              {amount} {provenance !== null && <ProvenanceMark kind={provenance} label={t.provenanceOf[provenance]} />}
            </td>
            <td className="cell-wide text-ink-2">{growth ?? "–"}</td>
            <td className="cell-wide text-ink-2">{t.layerOf[layer]}</td>
          </tr>
        ))}
      </DataTable>
    </Panel>
  );
}
