/** Cost per passing outcome by a grouping of one's choice, filters as chips, and how to read the interval. */
import { clsx } from "clsx";
import { PageLink } from "#components/page-link";
import { EmptyPeriod } from "../ledger/empty-states.tsx";
import { KeyFigures, SimulatedNote, UnpricedNote } from "../ledger/key-figures.tsx";
import type { Filter, Grouping, Spend } from "../ledger/load-spend.ts";
import { OutcomeTable } from "../ledger/outcome-table.tsx";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import type { Params } from "../page/params.ts";

export const GROUPINGS = ["key", "team", "taskType", "model", "repository", "task"] as const satisfies Grouping[];

export const readGrouping = (text: string | undefined): Grouping =>
  GROUPINGS.find((grouping) => grouping === text) ?? "key";

const FILTERS = ["team", "key", "task", "model", "taskType", "repository"] as const;

export function readFilter(params: Params): Filter {
  const filter: Filter = {};
  for (const name of FILTERS) {
    const value = params[name];
    if (value !== undefined) filter[name] = value;
  }
  return filter;
}

export function FilterChips({ page, filter }: { page: Page; filter: Filter }) {
  const { t } = page;
  return FILTERS.flatMap((name) => {
    const value = filter[name];
    if (value === undefined) return [];
    return (
      <PageLink
        key={name}
        className="control"
        href={page.here({ [name]: null, cursor: null })}
        aria-label={t.removeFilter(`${t.group[name]} ${value}`)}
      >
        {t.group[name]}: {value} <span aria-hidden="true">✕</span>
      </PageLink>
    );
  });
}

function GroupingTabs({ page, current }: { page: Page; current: Grouping }) {
  return (
    <nav aria-label={page.t.groupBy} className="flex flex-wrap gap-1.5 max-sm:px-4">
      {GROUPINGS.map((grouping) => (
        <PageLink
          key={grouping}
          href={page.here({ groupBy: grouping })}
          aria-current={grouping === current ? "true" : undefined}
          className={clsx("control", grouping === current && "border-accent-line! bg-accent-weak! text-accent!")}
        >
          {page.t.group[grouping]}
        </PageLink>
      ))}
    </nav>
  );
}

type ViewProps = { page: Page; spend: Spend; grouping: Grouping; filter: Filter };

export function OutcomesView({ page, spend, grouping, filter }: ViewProps) {
  const { t } = page;
  const [table] = spend.tables;
  if (!spend.any || table === undefined) return <EmptyPeriod page={page} />;
  return (
    <>
      <KeyFigures figures={spend.figures} page={page} filter={filter} />
      <SimulatedNote share={spend.figures.simulatedShare} t={t} />
      <GroupingTabs page={page} current={grouping} />
      <OutcomeTable page={page} table={table} grouping={grouping} filter={filter} />
      <UnpricedNote figures={spend.figures} t={t} />
      <Panel title={t.readingTitle}>
        <ul className="flex max-w-[90ch] flex-col gap-1.5 px-4 pt-1.5 pb-3.5 text-ink-2">
          {[t.readingInterval, t.readingBound, t.readingPending, t.readingCohort, t.readingCoverage].map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      </Panel>
    </>
  );
}
