/** Runs by their tasks: a row for each task, which unfolds to its attempts. Without client code. */
import { formatCount, formatDay, formatSecond, parseInstantNs, type TaskRun, type TaskWithRuns } from "@centspan/ui";
import { DataTable, figures, wide, wideFigures } from "#components/data-table";
import { PageLink } from "#components/page-link";
import { compareHref } from "../compare/compared.ts";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import { AttemptBox, OutcomeText } from "./outcome-text.tsx";
import { Pick, PickForm } from "./pick-form.tsx";

type TaskProps = { page: Page; task: TaskWithRuns };

function TaskCells({ page, task }: TaskProps) {
  const { t } = page;
  return (
    <tr>
      <td className="w-[34px]">
        <label className="task-fold" title={t.unfold(task.title)}>
          <input type="checkbox" className="sr-only" aria-label={t.unfold(task.title)} />
        </label>
      </td>
      <td className="max-w-[340px] truncate max-sm:max-w-[130px]">
        <PageLink href={page.href("/runs", { task: task.task })}>{task.title}</PageLink>
      </td>
      <td className="cell-wide text-ink-2">{task.team || "–"}</td>
      <td className="cell-wide">
        <span className="flex items-center gap-1">
          {task.runs.map((run) => (
            <PageLink key={run.traceId} href={page.href(`/runs/${run.traceId}`)} title={`${run.number} · ${run.model}`}>
              <AttemptBox outcome={run.outcome} t={t} />
            </PageLink>
          ))}
          {task.notListed > 0 && (
            <span className="text-ink-3 text-note">{t.andOthers(formatCount(task.notListed))}</span>
          )}
        </span>
      </td>
      <td className="num cell-wide">{task.calls}</td>
      <td className="num cell-wide text-ink-2">{task.failed ?? "–"}</td>
      <td className="num">{task.cost}</td>
      <td>
        {task.isReverted ? (
          <b className="font-semibold text-waste">{t.reverted}</b>
        ) : (
          <OutcomeText outcome={task.status} t={t} />
        )}
      </td>
      <td className="num cell-wide">
        {task.toCompare !== null && (
          <PageLink href={compareHref(page, ...task.toCompare)} aria-label={`${t.compareGroups}: ${task.title}`}>
            {t.compareGroups}
          </PageLink>
        )}
      </td>
    </tr>
  );
}

function RunCells({ page, task, run }: TaskProps & { run: TaskRun }) {
  const { t, language } = page;
  const startedNs = parseInstantNs(run.startedAt);
  const name = t.attemptNumber(run.number);
  return (
    <tr className="task-run">
      <td>
        <Pick page={page} traceId={run.traceId} of={`${task.title}, ${name}`} isChosen={false} />
      </td>
      <td className="truncate pl-6!">
        <PageLink href={page.href(`/runs/${run.traceId}`)}>{name}</PageLink>{" "}
        <span className="text-ink-3 max-sm:hidden">
          {formatDay(startedNs, language)}, {formatSecond(startedNs)}
        </span>
      </td>
      <td className="cell-wide text-ink-2">{run.model || "–"}</td>
      <td className="cell-wide text-ink-2">{run.duration ?? "–"}</td>
      <td className="num cell-wide">{run.calls}</td>
      <td className="cell-wide" />
      <td className="num">{run.cost ?? <span className="text-ink-3">{t.unpriced}</span>}</td>
      <td>
        <OutcomeText outcome={run.outcome} t={t} />
      </td>
      <td className="cell-wide" />
    </tr>
  );
}

export function TaskRunsPanel({ page, tasks, all }: { page: Page; tasks: readonly TaskWithRuns[]; all: number }) {
  const { t } = page;
  return (
    <Panel
      title={t.tasksWithRuns}
      note={t.tasksWithRunsNote(formatCount(tasks.length), formatCount(all))}
      aside={<PickForm page={page} />}
    >
      <DataTable
        headings={[
          { text: t.unfoldHeading, isForReadersOnly: true },
          t.task,
          wide(t.team),
          wide(t.attempts),
          wideFigures(t.calls),
          wideFigures(t.onFailedAttempts),
          figures(t.cost),
          t.outcome,
          { text: t.compareGroups, isForReadersOnly: true, isWide: true },
        ]}
        bodies={tasks.map((task) => (
          <tbody key={task.task} className="task-group">
            <TaskCells page={page} task={task} />
            {task.runs.map((run) => (
              <RunCells key={run.traceId} page={page} task={task} run={run} />
            ))}
          </tbody>
        ))}
      />
    </Panel>
  );
}
