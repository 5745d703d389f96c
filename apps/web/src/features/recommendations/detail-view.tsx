/** One recommendation whole: verdict, changes, later traffic, waits, what-ifs, how to apply and undo, and who decided. */
import type { Recommendation } from "@centspan/model";
import {
  formatEffect,
  formatMoney,
  formatRange,
  headlineDecimals,
  ProvenanceMark,
  type RecommendationView,
} from "@centspan/ui";
import { DataTable, figures, wideFigures } from "#components/data-table";
import { PageLink } from "#components/page-link";
import { Figure, FigureStrip } from "../ledger/key-figures.tsx";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import { takeStep } from "./actions.ts";
import { DecideForm } from "./decide-form.tsx";
import { HeldOutPlot } from "./held-out-plot.tsx";

type ViewProps = { page: Page; shown: Recommendation; view: RecommendationView };

export function RecommendationDetail({ canChange, ...props }: ViewProps & { canChange: boolean }) {
  const { page, view } = props;
  const { t } = page;
  return (
    <>
      <Figures {...props} />
      {canChange && <Decide {...props} />}
      <Changes {...props} />
      {view.plot && (
        <Panel title={t.heldOut} note={t.heldOutNote}>
          <HeldOutPlot plot={view.plot} label={t.heldOut} zero={t.noChange} />
        </Panel>
      )}
      <Waits {...props} />
      <WhatIfs {...props} />
      <Apply {...props} />
      <Evidence {...props} />
    </>
  );
}

function Figures({ page: { t }, shown, view }: ViewProps) {
  const { kind, savings, provenance, metric, realised, effect } = shown;
  const mark = <ProvenanceMark kind={provenance} label={t.provenanceOf[provenance]} />;
  return (
    <FigureStrip label={t.keyFigures}>
      {kind === "serving" && (
        <>
          <Figure label={t.effectHeading} mark={mark} value={view.effect ?? "–"}>
            <p>{view.range === null ? t.effectOf[metric] : `${view.range} · ${t.effectOf[metric]}`}</p>
          </Figure>
          <Figure
            label={t.worthAMonth}
            mark={mark}
            value={formatMoney(savings.capacityUsdMonth, headlineDecimals(savings.capacityUsdMonth))}
          >
            <p>{t.capacityWorth}</p>
          </Figure>
        </>
      )}
      <Figure
        label={t.cashAMonth}
        mark={kind === "spend" && mark}
        value={formatMoney(savings.cashUsdMonth, headlineDecimals(savings.cashUsdMonth))}
      >
        <p>{t.cashWorth}</p>
      </Figure>
      {realised !== null && (
        <Figure label={t.realisedTitle} value={formatEffect(realised.effect.share)}>
          <p>{t.realisedOver(formatRange(realised.effect), 100 * realised.effect.level, realised.requests)}</p>
          {effect !== null && <p>{realised.isWithinInterval ? t.realisedWithin : t.realisedOutside}</p>}
        </Figure>
      )}
      {realised === null && kind === "serving" && (
        <Figure label={t.distanceLeft} mark={mark} value={view.leftPct ?? "–"}>
          <p>{t.distanceLeftText}</p>
        </Figure>
      )}
    </FigureStrip>
  );
}

const REACHED = {
  accept: "accepted",
  reject: "rejected",
  applied: "applied",
  verified: "verified",
  withdraw: "withdrawn",
} as const;

const STEPS = { proposed: ["accept", "reject"], accepted: ["applied", "withdraw"] } as const;

function Decide({ page, shown }: ViewProps) {
  const { t, params } = page;
  const { state, id } = shown;
  if (state !== "proposed" && state !== "accepted") return null;
  const steps = STEPS[state].map((step, at) => ({ id: step, text: t.recommendationStep[step], isMain: at === 0 }));
  return (
    <Panel title={t.decideTitle} note={t.recommendationState[state]}>
      <DecideForm
        action={takeStep.bind(null, { workspace: params.workspace, id })}
        steps={steps}
        texts={{ yourName: t.yourName, whyOptional: t.whyOptional }}
      />
    </Panel>
  );
}

const readLevel = ({ effect }: Recommendation): string =>
  effect === null ? "80%" : `${(100 * effect.level).toFixed(0)}%`;

function Changes({ page: { t }, shown, view }: ViewProps) {
  return (
    <Panel title={t.proposedChange} note={t.proposedChangeNote}>
      <DataTable
        headings={[
          t.settingHeading,
          t.nowHeading,
          t.proposedHeading,
          figures(t.effectHeading),
          wideFigures(t.interval80(readLevel(shown))),
        ]}
      >
        {view.changes.map(({ knob, now, proposed, effect, range }) => (
          <tr key={knob}>
            <td className="font-semibold">{knob}</td>
            <td className="whitespace-normal! font-mono text-ink-2">{now}</td>
            <td className="whitespace-normal! font-mono">{proposed}</td>
            <td className="num">{effect}</td>
            <td className="num cell-wide text-ink-2">{range}</td>
          </tr>
        ))}
      </DataTable>
    </Panel>
  );
}

function Waits({ page: { t }, view }: ViewProps) {
  if (view.waits.length === 0) return null;
  return (
    <Panel title={t.waitsTitle} note={t.waitsNote}>
      <DataTable headings={["", "", figures(t.nowHeading), figures(t.proposedHeading), figures(t.changeHeading)]}>
        {view.waits.map(({ id, metric, percentile, now, proposed, change }) => (
          <tr key={id}>
            <td>{t.waitOf[metric]}</td>
            <td className="text-ink-2">{percentile}</td>
            <td className="num">{now}</td>
            <td className="num">{proposed}</td>
            <td className="num">{change}</td>
          </tr>
        ))}
      </DataTable>
      {view.hitRates && (
        <p className="px-4 pt-1 pb-3 text-ink-2 text-note">
          {t.cacheFinds(view.hitRates.now, view.hitRates.proposed, view.hitRates.best)}
        </p>
      )}
    </Panel>
  );
}

function WhatIfs({ page: { t }, shown, view }: ViewProps) {
  if (view.whatIf.length === 0) return null;
  return (
    <Panel title={t.whatIfTitle}>
      <DataTable
        headings={[
          t.trafficHeading,
          figures(t.effectHeading),
          wideFigures(t.interval80(readLevel(shown))),
          t.verdictHeading,
        ]}
      >
        {view.whatIf.map(({ factor, effect, range, isOver, refused }) => (
          <tr key={factor}>
            <td>{factor}</td>
            <td className="num">{effect ?? "–"}</td>
            <td className="num cell-wide text-ink-2">{range ?? "–"}</td>
            <td className="whitespace-normal!">
              {refused !== null ? `${t.verdictRefused}: ${refused}` : isOver ? t.verdictOver : t.verdictHolds}
            </td>
          </tr>
        ))}
      </DataTable>
    </Panel>
  );
}

function Apply({ page: { t }, shown }: ViewProps) {
  if (shown.apply.length === 0) return null;
  return (
    <Panel title={t.applyTitle}>
      {shown.apply.map(({ engine, text, undo, cannot }) => (
        <details key={engine} className="px-4 py-1.5">
          <summary className="cursor-pointer font-semibold">{engine}</summary>
          {text !== "" && (
            <pre className="my-2 overflow-x-auto rounded-control bg-sunken px-3 py-2 text-note">{text}</pre>
          )}
          {undo !== "" && (
            <>
              <p className="text-ink-2 text-note">{t.undoHeading}</p>
              <pre className="my-2 overflow-x-auto rounded-control bg-sunken px-3 py-2 text-note">{undo}</pre>
            </>
          )}
          {cannot.length > 0 && (
            <p className="text-ink-2 text-note">
              {t.cannotHeading}: {cannot.join("; ")}
            </p>
          )}
        </details>
      ))}
    </Panel>
  );
}

function Evidence({ page, shown }: ViewProps) {
  const { t } = page;
  const { risks, evidence, steps, proposedBy, effect } = shown;
  return (
    <Panel title={t.evidenceTitle} note={effect === null ? undefined : formatRange(effect)}>
      <dl className="grid max-w-[100ch] grid-cols-[max-content_1fr] gap-x-4 gap-y-1.5 px-4 pt-1.5 pb-3.5">
        {evidence.because !== undefined && (
          <>
            <dt className="text-ink-3">{t.becauseHeading}</dt>
            <dd>{evidence.because}</dd>
          </>
        )}
        <dt className="text-ink-3">{t.chosenOnHeading}</dt>
        <dd>{evidence.chosenOn}</dd>
        <dt className="text-ink-3">{t.judgedOnHeading}</dt>
        <dd>{evidence.judgedOn}</dd>
        {risks.length > 0 && (
          <>
            <dt className="text-ink-3">{t.risksTitle}</dt>
            <dd>
              {risks.map((risk) => (
                <p key={risk}>{risk}</p>
              ))}
            </dd>
          </>
        )}
        {evidence.traceIds.length > 0 && (
          <>
            <dt className="text-ink-3">{t.runs}</dt>
            <dd className="flex flex-wrap gap-x-2.5">
              {evidence.traceIds.map((traceId) => (
                <PageLink key={traceId} href={page.href(`/runs/${traceId}`)}>
                  {traceId.slice(0, 8)}
                </PageLink>
              ))}
            </dd>
          </>
        )}
        <dt className="text-ink-3">{t.wayTitle}</dt>
        <dd>
          <p>
            {t.recommendationState.proposed}, {t.proposedByText(proposedBy)}
          </p>
          {steps.map(({ step, by, note, at }) => (
            <p key={`${step} ${at}`}>
              {t.recommendationState[REACHED[step]]}, {t.stepBy(by)}
              {note === "" ? "" : `: ${note}`}
            </p>
          ))}
        </dd>
      </dl>
    </Panel>
  );
}
