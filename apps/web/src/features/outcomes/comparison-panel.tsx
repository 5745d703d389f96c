/** Who passes cost least, and whether that is certain: two cohorts side by side, with the verdict in words. */
import type { Cheapest, Comparison } from "@centspan/model";
import {
  type Cohort,
  type ComparisonView,
  type Difference,
  formatCount,
  gridBackground,
  isUnderstated,
  prepareComparison,
  WhiskerAxis,
  WhiskerPlot,
} from "@centspan/ui";
import { clsx } from "clsx";
import type { ReactNode } from "react";
import type { Catalogue } from "#i18n";
import { PerPassValue } from "../ledger/key-figures.tsx";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import type { OutcomesPage } from "./load-outcomes.ts";

type PanelProps = {
  page: Pick<Page, "t" | "params">;
  shown: Pick<OutcomesPage, "table" | "cheapest">;
  comparison: Comparison;
};

const describeRange = ({ low, high }: Difference, t: Catalogue): string => t.fromTo(low ?? "−∞", high ?? "+∞");

/** The verdict in words, and what it rests on. */
function describeVerdict(comparison: Comparison, { a, b, costPerPass }: ComparisonView, t: Catalogue) {
  const { verdict, moreTasks } = comparison;
  const names = [b.group || t.notKnown, a.group || t.notKnown] as const;
  const isLower = verdict === "b_lower";
  const isShown = isLower || verdict === "b_higher";
  const title = isLower ? t.shownLower(...names) : t.shownHigher(...names);
  if (isShown && costPerPass === null) return { title, text: t.leastAbove(isLower ? names[1] : names[0]) };
  if (verdict === "no_data" || costPerPass === null) {
    const missing = moreTasks === null ? "" : ` ${t.tasksMissing(formatCount(moreTasks))}`;
    return { title: t.nothingToCompare, text: `${t.nothingToCompareText}${missing}` };
  }
  const range = describeRange(costPerPass, t);
  if (!isShown) {
    const more = moreTasks === null ? "" : ` ${t.moreTasksNeeded(formatCount(moreTasks))}`;
    const pending = a.pending + b.pending;
    const doubts = [
      pending > 0 ? ` ${t.pendingEitherWay(formatCount(pending))}` : "",
      [comparison.a, comparison.b].some(isUnderstated) ? ` ${t.withoutPrice}` : "",
    ].join("");
    const size = costPerPass.isLess ? t.costsLess(...names, costPerPass.size) : t.costsMore(...names, costPerPass.size);
    return { title: t.notShown, text: `${size} ${t.intervalReaches(range)}${doubts}${more}` };
  }
  return { title, text: t.shownText(costPerPass.value, range) };
}

const MOST_NAMES = 3;

function describeCertainty({ against, openAgainst }: Cheapest, t: Catalogue): string {
  if (openAgainst.length === 0) return t.certainOfAll(against);
  const more = openAgainst.length - MOST_NAMES;
  const names = openAgainst.slice(0, MOST_NAMES).join(", ");
  return t.openAgainst(more > 0 ? t.andMore(names, formatCount(more)) : names);
}

function Row({ name, a, b, difference }: { name: string; a: ReactNode; b: ReactNode; difference?: ReactNode }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td className="num">{a}</td>
      <td className="num">{b}</td>
      <td className="num cell-wide text-ink-2">{difference}</td>
    </tr>
  );
}

function Interval({ of, unit, t }: { of: Difference | null; unit?: string; t: Catalogue }) {
  if (of === null) return "–";
  return (
    <>
      {of.value}
      {unit} <span className="text-ink-3">({describeRange(of, t)})</span>
    </>
  );
}

function Figures({ view, t }: { view: ComparisonView; t: Catalogue }) {
  const { a, b } = view;
  const rate = ({ passRate, passRateInterval }: Cohort) => (
    <>
      {passRate ?? "–"}{" "}
      {passRateInterval !== null && <span className="text-ink-3 max-sm:hidden">({passRateInterval})</span>}
    </>
  );
  const perPass = (cohort: Cohort) => (
    <b className="font-[650]">
      <PerPassValue perPass={cohort.perPass} t={t} />
    </b>
  );
  return (
    <div className="overflow-x-auto">
      <table className="data-table">
        <thead>
          <tr>
            <td className="border-line-strong!" />
            {[a, b].map(({ group }, at) => (
              <th key={at === 0 ? "a" : "b"} scope="col" className="num max-w-[200px] truncate">
                {at === 0 ? "A" : "B"} · {group || t.notKnown}
              </th>
            ))}
            <th scope="col" className="num cell-wide">
              B − A, {t.interval}
            </th>
          </tr>
        </thead>
        <tbody>
          <Row name={t.perPass} a={perPass(a)} b={perPass(b)} difference={<Interval of={view.costPerPass} t={t} />} />
          <Row
            name={t.passedOfTasks}
            a={`${formatCount(a.passed)} / ${formatCount(a.tasks)}`}
            b={`${formatCount(b.passed)} / ${formatCount(b.tasks)}`}
          />
          <Row
            name={t.passRate}
            a={rate(a)}
            b={rate(b)}
            difference={<Interval of={view.passRate} unit={` ${t.points}`} t={t} />}
          />
          <Row
            name={t.revertedLater}
            a={formatCount(a.reverted)}
            b={formatCount(b.reverted)}
            difference={<Interval of={view.reverted} unit={` ${t.points}`} t={t} />}
          />
          {a.pending + b.pending > 0 && (
            <Row name={t.pendingTasks} a={formatCount(a.pending)} b={formatCount(b.pending)} />
          )}
          <Row name={t.spend} a={a.spend} b={b.spend} />
        </tbody>
      </table>
    </div>
  );
}

function Plot({ view, t }: { view: ComparisonView; t: Catalogue }) {
  const label = ({ perPass }: Cohort): string =>
    perPass.kind === "point" ? t.whiskerLabel(perPass.amount, perPass.interval ?? "–") : t.noFinishedTask;
  return (
    <div className="flex flex-col gap-1 text-note">
      <p className="text-ink-2">
        {t.perPass}, {t.interval}
      </p>
      {[view.a, view.b].map((cohort, at) => (
        <div key={at === 0 ? "a" : "b"} className="flex items-center gap-2.5">
          <b className="w-3 font-[650]">{at === 0 ? "A" : "B"}</b>
          <div className="min-w-0 flex-1" style={{ background: gridBackground(view.axis.ticks) }}>
            <WhiskerPlot whisker={cohort.whisker} label={`${cohort.group}: ${label(cohort)}`} />
          </div>
        </div>
      ))}
      <div className="pl-[22px] text-ink-3">
        <WhiskerAxis axis={view.axis} />
      </div>
    </div>
  );
}

/** Which two are compared: a plain form, so that the address says it. */
function Choice({ page, shown, view }: Pick<PanelProps, "page" | "shown"> & { view: ComparisonView }) {
  const { t, params } = page;
  const groups = shown.table.rows.map(({ group }) => group).filter((group) => group !== "");
  return (
    <form className="flex flex-wrap items-end gap-2" action="/outcomes">
      {Object.entries(params)
        .filter(([name]) => name !== "a" && name !== "b")
        .map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
      {(["a", "b"] as const).map((name) => (
        <label key={name} className="field-label">
          {name.toUpperCase()}
          <select name={name} defaultValue={view[name].group} className="field max-w-[220px]">
            {groups.map((group) => (
              <option key={group}>{group}</option>
            ))}
          </select>
        </label>
      ))}
      <button type="submit" className="control">
        {t.compareGroups}
      </button>
    </form>
  );
}

export function ComparisonPanel({ page, shown, comparison }: PanelProps) {
  const { t } = page;
  const view = prepareComparison(comparison);
  const { title, text } = describeVerdict(comparison, view, t);
  const isShown = comparison.verdict === "b_lower" || comparison.verdict === "b_higher";
  const { cheapest } = shown;
  const isOfCheapest = cheapest !== null && view.b.group === cheapest.group && view.a.group === cheapest.against;
  return (
    <Panel
      title={isOfCheapest ? t.lowestIs(view.b.group) : t.twoCohorts(view.a.group, view.b.group)}
      note={isOfCheapest ? describeCertainty(cheapest, t) : undefined}
    >
      <div className="grid grid-cols-[3fr_2fr] gap-x-8 gap-y-3 px-4 pt-2 pb-3.5 max-lg:grid-cols-1">
        <div className="flex min-w-0 flex-col gap-2">
          <p
            className={clsx(
              "border-l-[3px] bg-sunken px-3.5 py-2.5 leading-relaxed",
              isShown ? "border-l-[var(--c-now)]" : "border-l-[var(--c-before)]",
            )}
          >
            <b className="font-[650]">{title}</b> {text}
          </p>
          <Figures view={view} t={t} />
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <Plot view={view} t={t} />
          <Choice page={page} shown={shown} view={view} />
        </div>
      </div>
    </Panel>
  );
}
