/** The list of runs with its filters as a plain form: works without client code, and the URL says it all. */
import { prepareTaskRuns } from "@centspan/ui";
import { clsx } from "clsx";
import type { ComponentProps } from "react";
import { PageLink } from "#components/page-link";
import { Panel } from "../ledger/panel.tsx";
import { FilterChips } from "../page/filters.tsx";
import type { Page } from "../page/page.ts";
import { isByTask, OF_RUNS_ALONE, type Runs, STATUSES } from "./load-runs.ts";
import { PickForm } from "./pick-form.tsx";
import { RunTable } from "./run-table.tsx";
import { TaskRunsPanel } from "./task-runs-panel.tsx";

type SelectProps = {
  name: string;
  label: string;
  noChoice: string;
  value: string | undefined;
  options: readonly [string, string][];
};

function Select({ name, label, noChoice, value, options }: SelectProps) {
  return (
    <label className="flex flex-col gap-0.5 text-axis text-ink-3">
      {label}
      <select name={name} defaultValue={value ?? ""} className="field min-w-[110px]">
        <option value="">{noChoice}</option>
        {options.map(([id, text]) => (
          <option key={id} value={id}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

const same = (values: readonly string[]): [string, string][] => values.map((value) => [value, value]);

/** What other pages narrow this one to: there is no field for it here. */
const CHIPS = ["taskType", "provider"] as const;

type FieldProps = { name: string; label: string; value: string | undefined };

function Field({ name, label, value, ...rest }: FieldProps & Pick<ComponentProps<"input">, "pattern" | "placeholder">) {
  return (
    <label className="flex flex-col gap-0.5 text-axis text-ink-3">
      {label}
      <input
        {...rest}
        className={clsx("field", rest.pattern === undefined ? "w-[180px]" : "w-[320px]")}
        name={name}
        defaultValue={value}
        title={rest.pattern && label}
      />
    </label>
  );
}

/** What is typed rather than chosen; open where one of them says something. */
function MoreFilters({ page: { t }, runs: { filter, grouped } }: { page: Page; runs: Runs }) {
  const { task, repository, sessionId, attribute } = filter;
  const isSaid = [task, repository, sessionId, attribute].some((value) => value !== undefined);
  return (
    <details className="w-full" open={isSaid}>
      <summary className="w-fit cursor-pointer text-note">{t.moreFilters}</summary>
      <div className="mt-1.5 flex flex-wrap items-end gap-2">
        <Field name="task" label={t.group.task} value={task} />
        <Field name="repository" label={t.group.repository} value={repository} />
        {grouped === null && (
          <>
            <Field name="sessionId" label={t.session} value={sessionId} />
            <Field
              name="attribute"
              label={t.attributeFilter}
              value={attribute}
              pattern="[^=]+=.*"
              placeholder="vcs.ref.head.name=main"
            />
          </>
        )}
      </div>
    </details>
  );
}

function Filters({ page, runs }: { page: Page; runs: Runs }) {
  const { t, params } = page;
  const { filter, options } = runs;
  return (
    <form className="flex flex-wrap items-end gap-2 max-sm:px-4" action="/runs" key={JSON.stringify(filter)}>
      {["workspace", "period", "from", "to", "groupBy", ...CHIPS].map((name) => {
        const value = params[name];
        return value === undefined ? null : <input key={name} type="hidden" name={name} value={value} />;
      })}
      <Select name="team" label={t.team} noChoice={t.any} value={filter.team} options={same(options.team)} />
      <Select name="key" label={t.key} noChoice={t.any} value={filter.key} options={same(options.key)} />
      <Select name="model" label={t.model} noChoice={t.any} value={filter.model} options={same(options.model)} />
      <Select
        name="status"
        label={t.outcome}
        noChoice={t.any}
        value={filter.status}
        options={STATUSES.map((status) => [status, t.outcomeOf[status]])}
      />
      {runs.grouped === null && (
        <label className="flex flex-col gap-0.5 text-axis text-ink-3">
          {t.minCost}
          <input className="field w-[110px]" name="minCostUsd" inputMode="decimal" defaultValue={filter.minCostUsd} />
        </label>
      )}
      <button type="submit" className="control">
        {t.apply}
      </button>
      <FilterChips page={page} filter={filter} names={CHIPS} />
      {Object.keys(filter).length > 0 && (
        <PageLink href={page.href("/runs", { groupBy: params.groupBy })} className="pb-1.5 text-note">
          {t.clearFilters}
        </PageLink>
      )}
      <MoreFilters page={page} runs={runs} />
    </form>
  );
}

function NoRuns({ page }: { page: Page }) {
  const { t } = page;
  return (
    <section className="panel max-w-[640px] p-4">
      <h2 className="font-[650] text-figure">{t.noRunMatches}</h2>
      <p className="mb-3 text-ink-2">{t.noRunMatchesText}</p>
      <PageLink className="control" href={page.href("/runs", { period: "all", from: null, to: null })}>
        {t.allRuns}
      </PageLink>
    </section>
  );
}

/** Each run by itself, or the attempts at each task together. */
function Grouping({ page }: { page: Page }) {
  const { t } = page;
  const none = Object.fromEntries(OF_RUNS_ALONE.map((name) => [name, null]));
  const choices = [
    { isCurrent: !isByTask(page), text: t.eachRun, changes: { groupBy: null } },
    { isCurrent: isByTask(page), text: t.byTask, changes: { ...none, groupBy: "task" } },
  ];
  return (
    <nav aria-label={t.groupBy} className="flex flex-wrap gap-1.5 max-sm:px-4">
      {choices.map(({ isCurrent, text, changes }) => (
        <PageLink
          key={text}
          href={page.here({ ...changes, cursor: null })}
          aria-current={isCurrent ? "true" : undefined}
          className={clsx("control", isCurrent && "border-accent-line! bg-accent-weak! text-accent!")}
        >
          {text}
        </PageLink>
      ))}
    </nav>
  );
}

function List({ page, runs: { runs, grouped } }: { page: Page; runs: Runs }) {
  if (runs.length === 0 && (grouped?.tasks.length ?? 0) === 0) return <NoRuns page={page} />;
  if (grouped !== null) return <TaskRunsPanel page={page} tasks={prepareTaskRuns(grouped.tasks)} all={grouped.all} />;
  return (
    <Panel title={page.t.runs} aside={<PickForm page={page} />}>
      <RunTable page={page} runs={runs} canPick />
    </Panel>
  );
}

export function RunsView({ page, runs }: { page: Page; runs: Runs }) {
  const { t, params } = page;
  return (
    <>
      <Filters page={page} runs={runs} />
      <Grouping page={page} />
      <List page={page} runs={runs} />
      <div className="flex gap-2 max-sm:px-4">
        {params.cursor !== undefined && (
          <PageLink className="control" href={page.here({ cursor: null })}>
            {t.firstPage}
          </PageLink>
        )}
        {runs.nextCursor !== null && (
          <PageLink className="control" href={page.here({ cursor: runs.nextCursor })} rel="next">
            {runs.grouped === null ? t.nextPage : t.nextTasks}
          </PageLink>
        )}
      </div>
    </>
  );
}
