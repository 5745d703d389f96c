/** Two runs side by side: what B has more than A, what that is made of, and where the two part. */
import type { RunComparison, TraceRow } from "@centspan/model";
import {
  type ComparedFigure,
  formatCount,
  formatDay,
  formatSecond,
  ProvenanceMark,
  parseInstantNs,
  prepareRunComparison,
} from "@centspan/ui";
import { clsx } from "clsx";
import { DataTable, figures } from "#components/data-table";
import { PageLink } from "#components/page-link";
import type { Catalogue } from "#i18n";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import { OutcomeText } from "../runs/outcome-text.tsx";
import type { CauseWords } from "../waste/words-of-cause.ts";
import { type Compared, ends } from "./compared.ts";
import { CausesPanel, MetersPanel, ModelsPanel, TimePanel, ToolsPanel } from "./difference-panels.tsx";
import { PlaceLink } from "./place-link.tsx";
import { TurnsPanel } from "./turns-panel.tsx";

const NAMES = ["A", "B"] as const;

/** What to say first: how much more, and from where on. */
function Verdict({ page: { t }, view }: Compared) {
  const { sense, size, growth, walk } = view;
  const parting = walk?.parting ?? null;
  return (
    <section className="panel px-4 py-3.5" aria-label={t.verdict}>
      <p className="text-title leading-snug">
        <b className="font-[650]">{t.costSense[sense](size)}</b>
        {growth !== null && sense !== "same" && <span className="text-ink-2"> ({growth})</span>}
      </p>
      {walk !== null && (
        <p className="mt-1 text-ink-2 leading-relaxed">
          {parting === null ? (
            t.neverPart
          ) : (
            <>
              <a className="figure-link font-semibold" href="#parting">
                {t.partAt(formatCount(parting.turn))}
              </a>{" "}
              {parting.by.map((by) => t.partBy[by]).join(", ")}.{" "}
              {/* Of runs that never went the same way there is no before. */}
              {parting.turn > 1 &&
                `${t.partBefore(...parting.before)} ${t.partFrom(...parting.from, parting.difference)}`}
            </>
          )}
        </p>
      )}
    </section>
  );
}

function Heads({ page, runs }: Compared) {
  const { t, language } = page;
  return (
    <section className="panel" aria-label={t.comparedRuns}>
      <dl className="figure-strip">
        {runs.map((run, at) => {
          const startedNs = parseInstantNs(run.startedAt);
          return (
            <div key={NAMES[at]} className="min-w-0">
              <dt className="flex items-center gap-2">
                <b className="grid size-5 shrink-0 place-items-center rounded-[3px] bg-accent-weak font-[650] text-accent text-note">
                  {NAMES[at]}
                </b>
                <PageLink className="truncate font-[650]" href={page.href(`/runs/${run.traceId}`)}>
                  {run.title || run.task || run.name || t.untitled}
                </PageLink>
                <span className="ml-auto shrink-0">
                  <OutcomeText outcome={run.outcome} t={t} />
                </span>
              </dt>
              <dd className="mt-1 text-ink-2 text-note">
                {[run.task, run.model, `${formatDay(startedNs, language)}, ${formatSecond(startedNs)}`, run.key]
                  .filter((text) => text !== "")
                  .join(" · ")}
              </dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}

function Mark({ of: { provenance }, t }: { of: TraceRow; t: Catalogue }) {
  if (provenance === null) return null;
  return (
    <>
      {" "}
      <ProvenanceMark kind={provenance} label={t.provenanceOf[provenance]} />
    </>
  );
}

function FigureRow({ page, runs, figure }: Compared & { figure: ComparedFigure }) {
  const { t } = page;
  const isCost = figure.id === "cost";
  return (
    <tr>
      <th scope="row" className={clsx("max-sm:whitespace-normal!", isCost && "font-[650]!")}>
        {t.comparedFigure[figure.id]}
      </th>
      {ends(figure.values).map(([value, at]) => (
        <td key={NAMES[at]} className={clsx("num", isCost && "font-[650]")}>
          <PlaceLink page={page} run={runs[at]} place={figure.places[at]}>
            {value ?? t.unpriced}
          </PlaceLink>
          {isCost && <Mark of={runs[at]} t={t} />}
        </td>
      ))}
      <td className={clsx("num", isCost ? "font-[650]" : "text-ink-2")}>{figure.difference ?? "–"}</td>
    </tr>
  );
}

export function CompareView({
  page,
  comparison,
  wordsOf,
}: {
  page: Page;
  comparison: RunComparison;
  wordsOf: CauseWords;
}) {
  const { t } = page;
  const { runs } = comparison;
  const compared: Compared = { page, runs, view: prepareRunComparison(comparison) };
  const { view } = compared;
  return (
    <>
      <Heads {...compared} />
      <Verdict {...compared} />
      <div className="grid grid-cols-[5fr_7fr] items-start gap-3.5 max-xl:grid-cols-1 max-sm:gap-2.5">
        <div className="flex min-w-0 flex-col gap-3.5 max-sm:gap-2.5">
          <Panel title={t.figuresBeside}>
            <DataTable headings={[t.figure, figures("A"), figures("B"), figures("B − A")]}>
              {view.figures.map((figure) => (
                <FigureRow key={figure.id} {...compared} figure={figure} />
              ))}
            </DataTable>
          </Panel>
          {view.models.length > 1 && <ModelsPanel {...compared} />}
        </div>
        <div className="flex min-w-0 flex-col gap-3.5 max-sm:gap-2.5">
          <MetersPanel {...compared} />
          {view.walk !== null && view.walk.time.length > 0 && <TimePanel {...compared} time={view.walk.time} />}
        </div>
      </div>
      {view.walk === null ? (
        <p className="text-ink-3 text-note max-sm:px-4">{t.tooLargeToWalk}</p>
      ) : (
        <TurnsPanel {...compared} walk={view.walk} />
      )}
      {view.causes.length > 0 && <CausesPanel {...compared} wordsOf={wordsOf} />}
      {view.walk !== null && view.walk.tools.length > 0 && <ToolsPanel {...compared} tools={view.walk.tools} />}
    </>
  );
}
