/** One key: its figures, its tasks with every attempt, its newest runs. */
import type { TraceRow } from "@centspan/model";
import { formatCount, formatDay, formatMinute, parseInstantNs, type TaskRow } from "@centspan/ui";
import { DataTable, figures } from "#components/data-table";
import { PageLink } from "#components/page-link";
import { EmptyPeriod } from "../ledger/empty-states.tsx";
import { KeyFigures, SimulatedNote, UnpricedNote } from "../ledger/key-figures.tsx";
import type { Spend } from "../ledger/load-spend.ts";
import { Panel } from "../ledger/panel.tsx";
import { TrendPanel } from "../ledger/trend-panel.tsx";
import type { Page } from "../page/page.ts";
import { AttemptBox, OutcomeText } from "../runs/outcome-text.tsx";
import { RunTable } from "../runs/run-table.tsx";

const SHOWN_RUNS = 20;

type TaskProps = { task: TaskRow; page: Page; keyName: string; withRuns: boolean };

function AttemptCells({ task, page }: Pick<TaskProps, "task" | "page">) {
  const { t, language } = page;
  return (
    <>
      <td className="max-w-[300px] truncate">{task.title || "–"}</td>
      <td className="text-ink-2">{task.taskType || "–"}</td>
      <td>
        <span className="flex gap-1">
          {task.attempts.map((attempt) => {
            const startedNs = parseInstantNs(attempt.startedAt);
            const when = `${attempt.model}, ${formatDay(startedNs, language)} ${formatMinute(startedNs)}`;
            return (
              <PageLink key={attempt.traceId} href={page.href(`/runs/${attempt.traceId}`)} title={when}>
                <AttemptBox outcome={attempt.outcome} t={t} />
              </PageLink>
            );
          })}
          {task.attempts.length === 0 && <span className="text-ink-3">–</span>}
        </span>
      </td>
      <td className="num">{task.calls === null ? "–" : formatCount(task.calls)}</td>
    </>
  );
}

function TaskLine({ task, page, keyName, withRuns }: TaskProps) {
  const { t } = page;
  const fill = task.outcome === "failed" ? "var(--c-failed)" : "var(--c-useful)";
  return (
    <tr>
      <td className="max-w-[260px] truncate">
        {task.attempts.length === 0 ? (
          task.task
        ) : (
          <PageLink href={page.href("/runs", { key: keyName, task: task.task })}>{task.task}</PageLink>
        )}
      </td>
      {withRuns && <AttemptCells task={task} page={page} />}
      <td className="num font-[650]">{task.cost}</td>
      <td className="w-[14%]">
        <span className="block h-[9px]" style={{ width: `max(1px, ${task.barPct}%)`, background: fill }} />
      </td>
      <td>
        <OutcomeText outcome={task.outcome} t={t} />
      </td>
    </tr>
  );
}

function TaskTable({ tasks, page, keyName }: { tasks: readonly TaskRow[]; page: Page; keyName: string }) {
  const { t } = page;
  // Imported statistics know tasks and calls, and no runs.
  const withRuns = tasks.some((task) => task.attempts.length > 0);
  return (
    <DataTable
      headings={[
        t.task,
        ...(withRuns ? [t.title, t.type, t.attempts, figures(t.calls)] : []),
        figures(t.cost),
        { text: t.cost, isForReadersOnly: true },
        t.outcome,
      ]}
    >
      {tasks.map((task) => (
        <TaskLine key={task.task} task={task} page={page} keyName={keyName} withRuns={withRuns} />
      ))}
    </DataTable>
  );
}

type ViewProps = {
  page: Page;
  keyName: string;
  spend: Spend;
  tasks: readonly TaskRow[];
  taskCount: number;
  runs: readonly TraceRow[];
  moreRuns: boolean;
};

export function KeyView({ page, keyName, spend, tasks, taskCount, runs, moreRuns }: ViewProps) {
  const { t } = page;
  if (!spend.any) return <EmptyPeriod page={page} />;
  const notes = [t.tasksNote(formatCount(tasks.length), formatCount(taskCount))];
  if (moreRuns) notes.push(t.attemptsNote(formatCount(runs.length)));
  return (
    <>
      <KeyFigures figures={spend.figures} page={page} filter={{ key: keyName }} />
      <SimulatedNote share={spend.figures.simulatedShare} t={t} />
      <Panel title={t.tasksOfKey} note={notes.join("; ")}>
        <TaskTable tasks={tasks} page={page} keyName={keyName} />
      </Panel>
      {runs.length > 0 && (
        <Panel title={t.runsOfKey} aside={<PageLink href={page.href("/runs", { key: keyName })}>{t.allRuns}</PageLink>}>
          <RunTable page={page} runs={runs.slice(0, SHOWN_RUNS)} />
        </Panel>
      )}
      <TrendPanel trend={spend.trend} t={t} />
      <UnpricedNote figures={spend.figures} t={t} />
    </>
  );
}
