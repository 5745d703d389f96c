/** What lies between a file and the ledger: the sums, cause by cause, and every difference with where it stands. */
import type { CauseView, DifferenceView, ReconciliationView } from "@centspan/ui";
import { clsx } from "clsx";
import { DataTable, figures, wide, wideFigures } from "#components/data-table";
import { Figure, FigureStrip } from "../ledger/key-figures.tsx";
import { Panel } from "../ledger/panel.tsx";
import type { CompareTexts } from "./compare-state.ts";

type ResultProps = { t: CompareTexts; view: ReconciliationView };

const nameOf = (names: Readonly<Record<string, string>>, id: string): string => names[id] ?? id;

function Figures({ t, view }: ResultProps) {
  return (
    <FigureStrip label={t.keyFigures}>
      <Figure label={t.ratedHere} value={view.rated}>
        <p>{view.period}</p>
      </Figure>
      <Figure label={t.invoiced} value={view.invoiced}>
        <p>
          {view.file} · {view.format}
        </p>
      </Figure>
      <Figure label={t.difference} value={view.difference}>
        {view.share !== null && (
          <p>
            {view.share} {t.ofRated}
          </p>
        )}
        <p>
          {view.matched} {t.matchedDays}
        </p>
      </Figure>
      <Figure
        label={t.unexplained}
        value={<span className={clsx(!view.isExplained && "text-waste")}>{view.unexplained}</span>}
      >
        <p>{view.isExplained ? t.nothingUnexplained : t.someUnexplained}</p>
      </Figure>
    </FigureStrip>
  );
}

function Cause({ t, cause }: { t: CompareTexts; cause: CauseView }) {
  return (
    <tr>
      <td className={clsx("font-semibold", cause.cause === "unexplained" && "text-waste")}>
        {nameOf(t.causeOf, cause.cause)}
      </td>
      <td className="num font-[650]">{cause.difference}</td>
      <td className="cell-wide w-[30%]">
        <span className="relative block h-[11px]" aria-hidden="true">
          <span
            className={clsx("absolute h-full", cause.isLess ? "bg-[var(--c-now)]" : "bg-[var(--c-before)]")}
            style={{ left: `${cause.leftPct}%`, width: `max(2px, ${cause.widthPct}%)` }}
          />
        </span>
      </td>
      <td className="whitespace-normal! cell-wide text-ink-2">{nameOf(t.causeText, cause.cause)}</td>
    </tr>
  );
}

/** What the difference is of, as far as the file tells it apart. */
function tellTerms(t: CompareTexts, one: DifferenceView): string {
  const terms = [
    one.provider,
    one.project === "" ? "" : `${t.project} ${one.project}`,
    one.apiKey === "" ? "" : `${t.group.key} ${one.apiKey}`,
    one.model,
    one.meter === "" ? "" : nameOf(t.meterOf, one.meter),
  ].filter((term) => term !== "");
  return terms.length === 0 ? "–" : terms.join(" · ");
}

function Differences({ t, view }: ResultProps) {
  return (
    <DataTable
      headings={[
        t.cause,
        wide(`${t.group.provider}, ${t.group.key}, ${t.group.model}, ${t.group.meter}`),
        t.day,
        wideFigures(t.ratedHere),
        wideFigures(t.invoiced),
        figures(t.difference),
        wide(t.evidence),
        wide(t.rowInFile),
      ]}
      foot={
        <tr>
          <td>{t.all}</td>
          <td className="cell-wide" />
          <td />
          <td className="num cell-wide">–</td>
          <td className="num cell-wide">–</td>
          <td className="num">{view.difference}</td>
          <td className="cell-wide" colSpan={2} />
        </tr>
      }
    >
      {view.differences.map((one) => (
        <tr key={one.key}>
          <td className={clsx("font-semibold", one.cause === "unexplained" && "text-waste")}>
            {nameOf(t.causeOf, one.cause)}
          </td>
          <td className="cell-wide max-w-[320px] truncate" title={tellTerms(t, one)}>
            {tellTerms(t, one)}
          </td>
          <td className="text-ink-2">{one.days}</td>
          <td className="num cell-wide text-ink-2">{one.rated}</td>
          <td className="num cell-wide text-ink-2">{one.invoiced}</td>
          <td className="num font-[650]">{one.difference}</td>
          <td className="cell-wide max-w-[260px] truncate text-ink-2" title={one.evidence}>
            {one.evidence === "" ? "–" : one.evidence}
          </td>
          <td className="cell-wide max-w-[140px] truncate text-ink-3" title={one.rows}>
            {one.rows === "" ? "–" : one.rows}
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

export function CompareResult({ t, view }: ResultProps) {
  return (
    <>
      <Figures t={t} view={view} />
      {view.strange.length > 0 && (
        <p role="status" className="px-0.5 text-ink-2 max-sm:px-4">
          {t.strangeNames} {view.strange.join(", ")}
        </p>
      )}
      {view.differences.length === 0 ? (
        <section className="panel p-4 text-ink-2">{t.noDifferences}</section>
      ) : (
        <>
          <Panel title={t.byCause} note={t.byCauseNote}>
            <DataTable
              headings={[
                t.cause,
                figures(t.difference),
                { text: t.difference, isForReadersOnly: true, isWide: true },
                { text: t.evidence, isForReadersOnly: true, isWide: true },
              ]}
            >
              {view.causes.map((cause) => (
                <Cause key={cause.cause} t={t} cause={cause} />
              ))}
            </DataTable>
          </Panel>
          <Panel title={t.differences} note={view.unit === "units" ? t.calls : undefined}>
            <Differences t={t} view={view} />
          </Panel>
        </>
      )}
    </>
  );
}
