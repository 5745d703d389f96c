/** Outcomes that say two things at once: about whom, or what. They are parked with the reason, and count nowhere. */
import type { LinkFacts, Outcome, OutcomeLink, SubjectTasks } from "@centspan/model";
import { groupBy } from "../group-by.ts";

export function findContradictions({ outcomes, tasksOf }: LinkFacts): Map<string, OutcomeLink> {
  const opposed = findOpposed(outcomes);
  return new Map(
    outcomes.flatMap((outcome) => {
      const { outcomeId, subject } = outcome;
      const reason = opposed.get(outcomeId) ?? describeSubject(subject.task, tasksOf.get(outcomeId) ?? []);
      const parked = { outcomeId, tasks: [], linkedBy: null, reason: reason ?? "", decidedBy: "" };
      return reason === undefined ? [] : [[outcomeId, parked] as const];
    }),
  );
}

/** Members of one subject have to be of one task. Of those that nothing is known of nothing can be said. */
function describeSubject(task: string | undefined, said: readonly SubjectTasks[]): string | undefined {
  const known = said.filter(({ member }) => member !== "task");
  if (task !== undefined) {
    const other = known.find(({ tasks }) => !tasks.includes(task));
    return other && `names task ${task}, but its ${other.member} worked on ${other.tasks.slice(0, 3).join(", ")}`;
  }
  const [first, ...others] = known;
  if (first === undefined) return undefined;
  if (first.tasks.length > 1)
    return `names no task, and its ${first.member} worked on ${first.tasks.length}: ${first.tasks.slice(0, 3).join(", ")}`;
  const other = others.find(({ tasks }) => !tasks.some((one) => first.tasks.includes(one)));
  return (
    other &&
    `its ${first.member} worked on ${first.tasks[0]}, but its ${other.member} on ${other.tasks.slice(0, 3).join(", ")}`
  );
}

/** One source that says of one subject at one instant that it passed and that it did not. */
function findOpposed(outcomes: readonly Outcome[]): Map<string, string> {
  const said = groupBy(outcomes, ({ kind, source, subject, evidence, atNs }) =>
    JSON.stringify([kind, source, Object.entries(subject).sort(), evidence.name ?? "", String(atNs)]),
  );
  return new Map(
    [...said.values()].flatMap((same) => {
      const statuses = new Set(same.map(({ status }) => status));
      if (!statuses.has("passed") || !(statuses.has("failed") || statuses.has("partial"))) return [];
      const reason = `${same[0]?.source} says of one subject, at one instant, ${[...statuses].sort().join(" and ")}`;
      return same.map(({ outcomeId }) => [outcomeId, reason] as const);
    }),
  );
}
