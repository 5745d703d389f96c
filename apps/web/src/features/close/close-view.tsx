/** A month's close: how far it is, its statement by team, how to hand it over, and who did what. */
import { formatCount, formatMonth, ProvenanceMark } from "@centspan/ui";
import { clsx } from "clsx";
import { DataTable, figures } from "#components/data-table";
import { PageLink } from "#components/page-link";
import { Figure, FigureStrip } from "../ledger/key-figures.tsx";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import type { CloseView as View } from "./prepare-close.ts";

type ViewProps = { page: Page; view: View };

function Months({ page, view }: ViewProps) {
  const { t } = page;
  return (
    <nav aria-label={t.month} className="flex flex-wrap gap-1.5 max-sm:px-4">
      {view.months.map(({ period, isClosed, isThis }) => (
        <PageLink
          key={period}
          href={page.here({ month: period })}
          aria-current={isThis ? "true" : undefined}
          className={clsx("control", isThis && "border-accent-line! bg-accent-weak! text-accent!")}
        >
          {period} <span className="text-ink-3">{isClosed ? t.monthClosed : t.monthOpen}</span>
        </PageLink>
      ))}
    </nav>
  );
}

function Steps({ page: { t }, view }: ViewProps) {
  return (
    <ol className="panel flex flex-wrap gap-x-6 gap-y-2 px-4 py-2.5" aria-label={t.closeSteps}>
      {view.steps.map(({ id, done, at }) => (
        <li key={id} className="min-w-28 flex-1">
          <p className={clsx("font-semibold text-note", done ? "text-ink-2" : "text-accent")}>
            <span aria-hidden="true">{done ? "✓" : "○"}</span> {t.closeStep[id]}
            <span className="sr-only">: {done ? t.stepDone : t.stepOpen}</span>
          </p>
          {at !== null && <p className="text-axis text-ink-3">{at}</p>}
        </li>
      ))}
    </ol>
  );
}

function Figures({ page: { t }, view }: ViewProps) {
  return (
    <FigureStrip label={t.keyFigures}>
      <Figure label={view.isClosed ? t.statement : t.spendSoFar} value={view.total}>
        <p>{t.exactly(view.wholeTotal)}</p>
      </Figure>
      <Figure label={t.billedLines} value={view.lines} />
      <Figure label={t.unallocated} value={view.unallocated}>
        <p>{t.unallocatedText}</p>
      </Figure>
      <Figure label={t.unknownCost} value={formatCount(view.unpriced + view.quarantined)}>
        <p>{t.unknownCostText(formatCount(view.unpriced), formatCount(view.quarantined), formatCount(view.unrated))}</p>
      </Figure>
    </FigureStrip>
  );
}

function Statement({ page: { t, language }, view }: ViewProps) {
  return (
    <Panel
      title={t.statementOf(formatMonth(view.period, language))}
      note={view.isClosed ? t.roundedOnce : t.notClosedYet}
    >
      {view.rows.length === 0 ? (
        <p className="px-4 pt-1 pb-3.5 text-ink-2">{t.nothingBilled}</p>
      ) : (
        <DataTable
          headings={[t.team, figures(t.billedLines), figures(t.exactUsd), figures(t.rounding), figures(t.statement)]}
          foot={
            <tr className="font-[650]">
              <td>{t.all}</td>
              <td className="num">{view.lines}</td>
              <td className="num">{view.exactTotal}</td>
              <td className="num">–</td>
              <td className="num">{view.isClosed ? view.total : "–"}</td>
            </tr>
          }
        >
          {view.rows.map((row) => (
            <tr key={row.team}>
              <td>
                {row.team === "" ? (
                  <>
                    <span className="text-waste">{t.unallocated}</span>{" "}
                    <span className="text-ink-3 text-note">
                      {row.owner === null ? t.noOwner : t.ownerIs(row.owner)}
                    </span>
                  </>
                ) : (
                  row.team
                )}
              </td>
              <td className="num text-ink-2">{row.lines}</td>
              <td className="num text-ink-2">{row.exact}</td>
              <td className="num text-ink-3">{view.isClosed ? row.rounding : "–"}</td>
              <td className="num font-[650]">{view.isClosed ? row.amount : "–"}</td>
            </tr>
          ))}
        </DataTable>
      )}
    </Panel>
  );
}

/** What of the statement is not by the token, with what it would have cost so. */
function Commitments({ page: { t }, view }: ViewProps) {
  if (view.commitments.length === 0) return null;
  return (
    <Panel title={t.ofCommitments} note={t.ofCommitmentsNote}>
      <DataTable headings={[t.commitment, t.team, t.status, figures(t.payPerToken), figures(t.exactUsd)]}>
        {view.commitments.map((row) => (
          <tr key={row.key}>
            <td className="font-semibold">{row.commitment}</td>
            <td>{row.team === "" ? <span className="text-waste">{t.unallocated}</span> : row.team}</td>
            <td className={clsx(row.status === "unused" && "text-waste")}>{t.commitmentStatus[row.status]}</td>
            <td className="num text-ink-2">{row.payPerToken ?? "–"}</td>
            <td className="num font-[650]">
              {row.cost} <ProvenanceMark kind={row.provenance} label={t.provenanceOf[row.provenance]} />
            </td>
          </tr>
        ))}
      </DataTable>
    </Panel>
  );
}

function Commands({ page, view }: ViewProps) {
  const { t, params } = page;
  const workspace = params.workspace === undefined ? "" : ` --workspace ${params.workspace}`;
  const file = `focus-${view.period}.csv`;
  const commands = [
    ...(view.isClosed ? [] : [`npx centspan close month ${view.period}${workspace}`]),
    `npx centspan export focus --period ${view.period} --out ${file}${workspace}`,
    `npx centspan reconcile INVOICE${workspace}`,
  ];
  return (
    <Panel title={view.isClosed ? t.handOver : t.closeAndHandOver} note={view.isClosed ? t.correctionsNote : undefined}>
      <div className="px-4 pt-1 pb-3.5">
        <pre className="code-block">{commands.join("\n")}</pre>
      </div>
    </Panel>
  );
}

function Log({ page: { t }, view }: ViewProps) {
  const actions: Readonly<Record<string, string>> = t.auditActionOf;
  return (
    <Panel title={t.auditLog}>
      {view.events.length === 0 ? (
        <p className="px-4 pt-1 pb-3.5 text-ink-2">{t.noEvents}</p>
      ) : (
        <DataTable headings={[t.when, t.who, t.what, t.ofWhat]}>
          {view.events.map(({ key, at, actor, action, subject }) => (
            <tr key={key}>
              <td className="text-ink-2">{at}</td>
              <td className="max-w-[150px] truncate" title={actor}>
                {actor}
              </td>
              <td className="text-ink-2">{actions[action] ?? action}</td>
              <td className="max-w-[130px] truncate" title={subject}>
                {subject}
              </td>
            </tr>
          ))}
        </DataTable>
      )}
    </Panel>
  );
}

export function CloseView(props: ViewProps) {
  return (
    <>
      <Months {...props} />
      <Steps {...props} />
      <Figures {...props} />
      <Statement {...props} />
      <Commitments {...props} />
      <div className="grid grid-cols-2 items-start gap-3.5 max-lg:grid-cols-1">
        <Commands {...props} />
        <Log {...props} />
      </div>
    </>
  );
}
