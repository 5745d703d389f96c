/**
 * Which tasks an outcome is of, where its subject names none: those whose work was done at the commit, in the pull request,
 * or, as a last resort, on the branch. Pure; what a person decided stays.
 * Invariants: an outcome is one task's pass at most, but where tasks that each have a name of their own share it; sessions
 * that share a piece of work are attempts at one task; what contradicts itself is parked and counts nowhere.
 */
import type { LinkedBy, LinkFacts, Outcome, OutcomeLink, TaskMark, WorkPlace, WorkStretch } from "@centspan/model";
import { groupBy } from "../group-by.ts";
import { findContradictions } from "./find-contradictions.ts";
import { createNameSets, createOutcomeNames, type NameSets, namePatch, namesOfMark } from "./name-sets.ts";

/** How long after work was seen on a branch an outcome of the branch may still be its own. */
const BRANCH_DAYS_NS = 7n * 86_400_000_000_000n;

type Piece = { name: string; marks: TaskMark[]; outcomes: Outcome[] };

/** Decisions that differ from those before, and all stretches of sessions that are not simply one piece of work. */
export function linkOutcomes(facts: LinkFacts): { links: OutcomeLink[]; stretches: WorkStretch[] } {
  const parked = findContradictions(facts);
  const open = facts.outcomes.filter((outcome) => !parked.has(outcome.outcomeId) && !isTied(outcome));
  const own = keepOwnCommits(facts.marks);
  const namesOf = createOutcomeNames(own);
  const sets = createNameSets([...open.map(namesOf), ...own.map(namesOfMark)]);
  const pieces = findPieces(open, own, { sets, namesOf });
  const { stretches, worksOf } = divideSessions(pieces, own, findNamedTasks(facts));
  const links = new Map<string, OutcomeLink>(parked);
  for (const piece of pieces)
    for (const outcome of piece.outcomes) {
      const tasks = [...new Set(piece.marks.flatMap((mark) => worksOf(mark)))].sort();
      links.set(outcome.outcomeId, decide(outcome.outcomeId, tasks, strongestTie(namesOf(outcome), piece.marks)));
    }
  const known = findKnown(facts, links);
  const onBranches = groupBy(facts.marks, nameBranch);
  for (const outcome of open) {
    if (links.has(outcome.outcomeId)) continue;
    const [task, ...others] = listOnBranch(outcome, onBranches.get(nameBranch(outcome.subject)) ?? []);
    const isAlone = task !== undefined && others.length === 0 && !known.has(task);
    links.set(outcome.outcomeId, decide(outcome.outcomeId, isAlone ? [task] : [], isAlone ? "branch" : null));
  }
  return { links: listChanges(facts, links), stretches };
}

const decide = (outcomeId: string, tasks: string[], linkedBy: LinkedBy | null): OutcomeLink => ({
  outcomeId,
  tasks,
  linkedBy,
  reason: "",
  decidedBy: "",
});

const isTied = ({ subject }: Outcome): boolean =>
  (subject.task ?? subject.runId ?? subject.traceId ?? subject.sessionId) !== undefined;

const nameBranch = ({ repository, branch }: Partial<WorkPlace>): string => `${repository} ${branch}`;

/** Tasks that an outcome says of, or that it was tied to by more than a branch: what a branch comes to is not asked then. */
function findKnown(
  { outcomes, tasksOf, links }: LinkFacts,
  decided: ReadonlyMap<string, OutcomeLink>,
): ReadonlySet<string> {
  return new Set(
    outcomes.flatMap(({ outcomeId, subject }) => {
      const before = links.get(outcomeId);
      const link = before?.linkedBy === "person" ? before : decided.get(outcomeId);
      if (link !== undefined) return link.tasks;
      return subject.task === undefined ? (tasksOf.get(outcomeId) ?? []).flatMap(({ tasks }) => tasks) : [subject.task];
    }),
  );
}

/**
 * The head that work began at is somebody else's: a commit is its own if it saw the head move there, or if it saw no other
 * and no work on another branch was seen at it.
 */
function keepOwnCommits(marks: readonly TaskMark[]): TaskMark[] {
  const placed = marks.filter(({ commit }) => commit !== "");
  const heads = groupBy(placed, ({ task }) => task);
  const branches = groupBy(placed, ({ commit }) => commit);
  const isOwn = ({ task, commit }: TaskMark): boolean => {
    const seen = heads.get(task) ?? [];
    if (new Set(seen.map((mark) => mark.commit)).size > 1) return findFirst(seen)?.commit !== commit;
    return new Set(branches.get(commit)?.map(({ repository, branch }) => `${repository} ${branch}`)).size === 1;
  };
  return marks.map((mark) => (mark.commit === "" || isOwn(mark) ? mark : { ...mark, commit: "" }));
}

const findFirst = (marks: readonly TaskMark[]): TaskMark | undefined =>
  marks.reduce<TaskMark | undefined>((first, mark) => (first && first.atNs <= mark.atNs ? first : mark), undefined);

/** Pieces of work that there are both outcomes and marks of. */
function findPieces(
  outcomes: readonly Outcome[],
  marks: readonly TaskMark[],
  { sets, namesOf }: { sets: NameSets; namesOf(outcome: Outcome): string[] },
): Piece[] {
  const byName = groupBy(marks, (mark) => sets.find(namesOfMark(mark)));
  return [...groupBy(outcomes, (outcome) => sets.find(namesOf(outcome)))].flatMap(([name, said]) => {
    const seen = name === null ? undefined : byName.get(name);
    const since = seen && findFirst(seen)?.atNs;
    if (name === null || seen === undefined || since === undefined) return [];
    // What was known of a commit before there was work at it is no outcome of that work.
    const later = said.filter(({ atNs, subject }) => subject.pullRequest !== undefined || atNs >= since);
    return later.length === 0 ? [] : [{ name, marks: seen, outcomes: later }];
  });
}

/** Tasks that somebody named, in spans or in an outcome: they stay what they are, wherever they work. */
function findNamedTasks({ outcomes, marks, tasksOf }: LinkFacts): ReadonlySet<string> {
  const inSpans = marks.flatMap(({ task, isSession }) => (isSession ? [] : [task]));
  const inOutcomes = outcomes.flatMap(({ outcomeId, subject }) => [
    ...(subject.task === undefined ? [] : [subject.task]),
    ...(tasksOf.get(outcomeId) ?? []).flatMap(({ tasks }) => tasks),
  ]);
  return new Set([...inSpans, ...inOutcomes]);
}

/**
 * A session that worked on one piece, alone, is that piece's task. Several on one piece are attempts at one task: the first
 * that has a name of its own, else the piece. A session on several spends on each from when it was seen there until it was
 * seen elsewhere; what comes before a commit on its branch is spent on that.
 */
function divideSessions(pieces: readonly Piece[], marks: readonly TaskMark[], named: ReadonlySet<string>) {
  const pieceOf = new Map(pieces.flatMap((piece) => piece.marks.map((mark) => [mark, piece] as const)));
  const workOf = new Map(
    pieces.map((piece) => [piece, findFirst(piece.marks.filter(({ task }) => named.has(task)))?.task ?? piece.name]),
  );
  const isShared = ({ marks: [first, ...others] }: Piece): boolean => others.some(({ task }) => task !== first?.task);
  const worksOfTask = new Map<string, string[]>();
  const stretches: WorkStretch[] = [];
  for (const [task, seen] of groupBy(marks, (mark) => mark.task)) {
    const inOrder = [...seen].sort((a, b) => (a.atNs < b.atNs ? -1 : a.atNs > b.atNs ? 1 : 0));
    const worked = fillPieces(inOrder, pieceOf);
    const isPlain = new Set(worked).size === 1 && !worked.some((piece) => piece !== undefined && isShared(piece));
    if (named.has(task) || isPlain) continue;
    const works = worked.map((piece) => (piece && workOf.get(piece)) ?? task);
    const own = listStretches(task, inOrder, works);
    stretches.push(...own);
    // By its own name too where all it spends is on one piece, and none under that name.
    worksOfTask.set(task, own.every(({ work }) => work === own[0]?.work && work !== task) ? [task] : []);
  }
  const worksOf = (mark: TaskMark): string[] => {
    const piece = pieceOf.get(mark);
    const work = piece && workOf.get(piece);
    const own = worksOfTask.get(mark.task);
    return own === undefined || work === undefined ? [mark.task] : [...own, work];
  };
  return { stretches, worksOf };
}

const areOnOneBranch = (a: TaskMark, b: TaskMark): boolean => nameBranch(a) === nameBranch(b);

/** A mark that names no piece is of the next one on its branch, or else of the last. */
function fillPieces(marks: readonly TaskMark[], pieceOf: ReadonlyMap<TaskMark, Piece>): (Piece | undefined)[] {
  return marks.map((mark, index) => {
    const inReach = [...marks.slice(index), ...marks.slice(0, index).reverse()];
    const nearest = inReach.find((other) => pieceOf.has(other) && areOnOneBranch(mark, other));
    return pieceOf.get(nearest ?? mark);
  });
}

function listStretches(task: string, marks: readonly TaskMark[], works: readonly string[]): WorkStretch[] {
  const all = marks.map((mark, index) => {
    const before = marks[index - 1];
    const isMade = before !== undefined && mark.commit !== "" && areOnOneBranch(before, mark);
    const fromNs = before === undefined ? 0n : isMade ? before.atNs : mark.atNs;
    return { task, fromNs, work: works[index] ?? task };
  });
  // Of what was seen at one instant the last counts.
  const apart = all.filter(({ fromNs }, index) => all[index + 1]?.fromNs !== fromNs);
  return apart.filter(({ work }, index) => work !== apart[index - 1]?.work);
}

/** By which of its names the outcome meets the marks; by none of its own where a code host says they are one. */
function strongestTie(names: readonly string[], marks: readonly TaskMark[]): LinkedBy {
  const has = (of: (mark: TaskMark) => string): boolean => marks.some((mark) => names.includes(of(mark)));
  if (has(({ commit }) => commit)) return "commit";
  if (has(({ pullRequest }) => pullRequest)) return "pull_request";
  return has(({ patchId }) => namePatch(patchId)) ? "patch" : "squash";
}

/** Tasks that were seen there lately. */
export function listOnBranch({ subject, atNs }: Outcome, marks: readonly TaskMark[]): string[] {
  const { repository, branch } = subject;
  if (repository === undefined || branch === undefined) return [];
  const near = marks.filter(
    (mark) =>
      mark.repository === repository &&
      mark.branch === branch &&
      mark.atNs <= atNs &&
      mark.atNs >= atNs - BRANCH_DAYS_NS,
  );
  return [...new Set(near.map(({ task }) => task))];
}

function listChanges({ links: before }: LinkFacts, decided: ReadonlyMap<string, OutcomeLink>): OutcomeLink[] {
  return [...decided.values()].filter((link) => {
    const last = before.get(link.outcomeId);
    if (last === undefined) return link.linkedBy !== null || link.reason !== "";
    if (last.linkedBy === "person") return false;
    return (
      last.linkedBy !== link.linkedBy || last.reason !== link.reason || last.tasks.join("\n") !== link.tasks.join("\n")
    );
  });
}
