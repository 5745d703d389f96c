/** What a page of spend is narrowed to, from its address, as chips that take it away again; and what it is grouped by. */
import { clsx } from "clsx";
import { PageLink } from "#components/page-link";
import type { Page } from "./page.ts";
import type { Params } from "./params.ts";

export const FILTERS = ["team", "key", "task", "taskType", "provider", "model", "repository"] as const;
export type Filter = Partial<Record<(typeof FILTERS)[number], string>>;

export function readFilter(params: Params): Filter {
  const filter: Filter = {};
  for (const name of FILTERS) {
    const value = params[name];
    if (value !== undefined) filter[name] = value;
  }
  return filter;
}

type ChipsProps = { page: Page; filter: Filter; names?: readonly (keyof Filter)[] };

export function FilterChips({ page, filter, names = FILTERS }: ChipsProps) {
  const { t } = page;
  return names.flatMap((name) => {
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

type Grouping = keyof Page["t"]["group"];
type TabsProps = { page: Page; groupings: readonly Grouping[]; current: Grouping };

export function GroupingTabs({ page, groupings, current }: TabsProps) {
  return (
    <nav aria-label={page.t.groupBy} className="flex flex-wrap gap-1.5 max-sm:px-4">
      {groupings.map((grouping) => (
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
