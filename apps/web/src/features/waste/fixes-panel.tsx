/** What to change first: what it would save a month, how sure that is, and the runs that prove it. */
import { formatCount, formatDay, ProvenanceMark, parseInstantNs, SavingBar, type WasteFix } from "@centspan/ui";
import { DataTable, figures, wide } from "#components/data-table";
import { PageLink } from "#components/page-link";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import { describePlace } from "./describe-evidence.ts";
import type { WastePage } from "./load-waste.ts";
import { ProofLink } from "./proof-link.tsx";

/** Names in a row, and how many more there are. */
const MOST_NAMES = 3;

function listNames(names: readonly string[], t: Page["t"]): string {
  const shown = names.slice(0, MOST_NAMES).join(", ");
  return names.length > MOST_NAMES ? `${shown} ${t.andOthers(formatCount(names.length - MOST_NAMES))}` : shown;
}

function Proof({ page, fix }: { page: Page; fix: WasteFix }) {
  return (
    <p className="flex flex-wrap gap-x-2.5 text-note">
      {fix.proof.map((place, at) => (
        <ProofLink
          key={place.traceId}
          page={page}
          place={place}
          of={place.task || place.traceId}
          text={page.t.proofRun(String(at + 1))}
        />
      ))}
    </p>
  );
}

function FixRow({ page, fix, shown, rank }: { page: Page; fix: WasteFix; shown: WastePage; rank: number }) {
  const { t, language } = page;
  const { title, remedy } = shown.wordsOf(fix.cause);
  const owners = listNames(fix.teams.length > 0 ? fix.teams : fix.keys, t);
  const since = t.since(formatDay(parseInstantNs(fix.since), language));
  return (
    <tr>
      <td className="num py-2! align-top text-ink-3">{rank}</td>
      <td className="whitespace-normal! py-2!">
        <p className="font-semibold">{remedy}</p>
        <p className="text-ink-2 text-note">
          <PageLink href={page.href(`/waste/${encodeURIComponent(fix.cause)}`, shown.filter)}>{title}</PageLink>
          {[describePlace(fix, t), owners, since].filter((fact) => fact !== "").map((fact) => ` · ${fact}`)}
        </p>
        <Proof page={page} fix={fix} />
      </td>
      <td className="cell-wide w-[18%]">
        <SavingBar barPct={fix.barPct} reach={fix.reach} isSimulated={fix.provenance === "simulated"} />
      </td>
      <td className="num">
        {fix.isTimeOnly ? <span className="text-ink-2">{fix.time}</span> : <b className="font-[650]">{fix.saving}</b>}{" "}
        {fix.provenance && <ProvenanceMark kind={fix.provenance} label={t.provenanceOf[fix.provenance]} />}
      </td>
      <td className="cell-wide text-ink-2">{fix.interval ?? "–"}</td>
    </tr>
  );
}

export function FixesPanel({ page, shown }: { page: Page; shown: WastePage }) {
  const { t } = page;
  const { fixes, saving } = shown.fixes;
  if (fixes.length === 0) return null;
  return (
    <Panel title={t.fixesTitle} note={t.fixesNote} aside={<b className="font-[650]">{saving}</b>}>
      <DataTable
        headings={[
          figures("#"),
          t.fixHeading,
          { text: t.savingPerMonth, isForReadersOnly: true, isWide: true },
          figures(t.savingPerMonth),
          wide(t.interval),
        ]}
      >
        {fixes.map((fix, at) => (
          <FixRow
            key={`${fix.cause} ${fix.section} ${fix.path} ${fix.change}`}
            page={page}
            fix={fix}
            shown={shown}
            rank={at + 1}
          />
        ))}
      </DataTable>
    </Panel>
  );
}
