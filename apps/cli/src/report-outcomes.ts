/** Answers about outcomes as text for a terminal. */
import type { CohortRow, Comparison, Evaluation, Returns, TaskRow, Unlinked, WorkAnswer } from "@centspan/model";
import { formatTable, shorten } from "./report.ts";

const percent = (share: string | null): string => (share === null ? "–" : `${(Number(share) * 100).toFixed(1)}%`);

const cohortLine = (name: string, row: CohortRow): string[] => [
  name || "(none)",
  row.spendUsd,
  `${row.passed} / ${row.tasks}`,
  percent(row.passRate),
  row.passRateInterval ? `${percent(row.passRateInterval.low)} to ${percent(row.passRateInterval.high)}` : "–",
  shorten(row.costPerPassUsd),
  row.interval ? `${shorten(row.interval.lowUsd)} to ${shorten(row.interval.highUsd)}` : "–",
];
const COHORT_HEAD = ["", "spend USD", "passed / tasks", "pass rate", "95% interval", "USD per pass", "95% interval"];

export function describeTasks(tasks: readonly TaskRow[], total: number): string {
  const rows = tasks.map((task) => [
    ...[task.task, task.group || "(none)", task.reverted ? "reverted" : task.status, task.linkedBy ?? "–"],
    ...[
      task.accountable ?? "–",
      String(task.attempts),
      task.costUsd,
      task.reviewUsd ?? `? (${task.reviewMinutes} min)`,
    ],
  ]);
  const head = ["task", "group", "status", "linked by", "accountable", "attempts", "spend USD", "review USD"];
  return rows.length === 0 ? "No task." : `${formatTable([head, ...rows], 5)}\n${tasks.length} of ${total}`;
}

export const describeComparison = ({ a, b, reverted, summary }: Comparison): string =>
  [
    summary,
    "",
    formatTable([COHORT_HEAD, cohortLine(a.group, a), cohortLine(b.group, b)]),
    ...(reverted ? [`  reverted later: ${a.reverted} and ${b.reverted}`] : []),
  ].join("\n");

export function describeReturns({ byAttempt, byGroup }: Returns): string {
  const attempts = byAttempt.map((row) => [
    row.attempt === 5 ? "5 and later" : String(row.attempt),
    ...[String(row.tasks), row.spendUsd, String(row.morePasses), shorten(row.costPerFurtherPassUsd)],
  ]);
  const groups = byGroup.map((row) => [
    row.group || "(none)",
    ...[shorten(row.spendPerTaskUsd), percent(row.passRate), shorten(row.costPerPassUsd), row.summary],
  ]);
  return [
    formatTable([["attempt", "tasks", "spend USD", "more passes", "USD for each"], ...attempts]),
    "",
    formatTable([["group", "USD per task", "pass rate", "USD per pass", ""], ...groups]),
  ].join("\n");
}

export function describeUnlinked(found: Unlinked): string {
  const subjectOf = (subject: Record<string, string>): string =>
    Object.entries(subject)
      .map(([name, value]) => `${name} ${value}`)
      .join(", ");
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ["", title, ...lines];
  return [
    `${percent(found.coverage)} of spend has an outcome. Without one: ${found.spendTotal.costUsd} USD in ${found.spendTotal.tasks} tasks`,
    ...found.spend.map((one) => `  ${one.costUsd} USD  ${one.task || "(no task)"}: ${one.suggestions.join("; ")}`),
    ...section(
      `Outcomes without spend: ${found.outcomesTotal}`,
      found.outcomes.map(
        ({ outcome, suggestions }) =>
          `  ${outcome.outcomeId} (${outcome.source}, ${outcome.status}) ${subjectOf(outcome.subject)}: ${suggestions.join("; ")}`,
      ),
    ),
    ...section(
      "Parked, and not counted:",
      found.parked.map(({ outcome, reason }) => `  ${outcome.outcomeId} (${outcome.source}): ${reason}`),
    ),
    ...section(
      "Refused:",
      found.refused.map(
        ({ source, reason, count, lastAt }) => `  ${source}, ${count} times, last ${lastAt}: ${reason}`,
      ),
    ),
  ].join("\n");
}

export function describeEvaluation({ ways, summary }: Evaluation): string {
  const verdicts = { meets: "meets the bar", misses: "misses it", not_shown: "not shown yet" };
  const rows = ways.map(({ way, cost, verdict }) => [...cohortLine(way, cost), verdicts[verdict]]);
  return [summary, ...(rows.length === 0 ? [] : ["", formatTable([[...COHORT_HEAD, ""], ...rows])])].join("\n");
}

export function describeWork({ data, total, method }: WorkAnswer): string {
  const rows = data.map((row) => [
    ...[row.group, row.repository || "–", row.state.replace("_", " "), String(row.sessions)],
    ...[row.costUsd, row.toGreenUsd ?? "–", row.afterGreenUsd ?? "–", String(row.testRuns)],
  ]);
  const head = ["work", "repository", "state", "sessions", "spend USD", "to green USD", "after USD", "test runs"];
  const shares = `${total.placedUsd} of ${total.spendUsd} USD is of known work (coverage ${percent(total.coverage)}); reverted or refused ${total.revertedUsd}, abandoned ${total.abandonedUsd}; a test run was seen for ${percent(total.testedCoverage)}`;
  return rows.length === 0
    ? "No work whose place is known."
    : `${formatTable([head, ...rows], 3)}\n${shares}\n${method}`;
}
