/**
 * How outcomes find the spend that they came of: by what their subject says, and else by where work was done (commits,
 * pull requests, branches). Links are decided anew as news come, each decision a row of its own; the latest counts.
 */
import type { Outcome } from "./outcome.ts";

/** What tied an outcome to its tasks, strongest first. */
export const LINKED_BY = [
  "task",
  "run",
  "trace",
  "session",
  "person",
  "commit",
  "pull_request",
  "squash",
  "patch",
  "branch",
] as const;
export type LinkedBy = (typeof LINKED_BY)[number];

export const CONFIDENCES = ["exact", "derived", "weak"] as const;
export type Confidence = (typeof CONFIDENCES)[number];

/** A subject says it, a code host or git says it, or only place and time do. */
export const confidenceOf = (linkedBy: LinkedBy): Confidence =>
  linkedBy === "branch" ? "weak" : linkedBy === "squash" || linkedBy === "patch" ? "derived" : "exact";

/** A decision on an outcome. Parked: `linkedBy` is null, `reason` says why, and it counts nowhere. */
export type OutcomeLink = {
  outcomeId: string;
  tasks: string[];
  linkedBy: LinkedBy | null;
  reason: string;
  /** Who decided; "" for the rules. */
  decidedBy: string;
};

/** Where a task's work was done, as its spans say. Members are "" where they don't. */
export type WorkPlace = {
  repository: string;
  branch: string;
  commit: string;
  pullRequest: string;
  patchId: string;
};

/** Seen at a place in a trace, or in a session that has none. */
export type WorkMark = WorkPlace & { traceId: string; sessionId: string; atNs: bigint };

/** A mark of a task. `isSession`: nothing but its session names the task. */
export type TaskMark = WorkPlace & { task: string; isSession: boolean; atNs: bigint };

/** From then on, what this session spends is spent on that piece of work. */
export type WorkStretch = { task: string; fromNs: bigint; work: string };

/** What spans of a trace or session say of the place, as they say it. */
export type PlaceSighting = {
  workspace: string;
  traceId: string;
  sessionId: string;
  atNs: bigint;
  attributes: Readonly<Record<string, string>>;
};

/** Tasks that calls of a member of a subject are of. */
export type SubjectTasks = { member: "task" | "run" | "trace" | "session"; tasks: readonly string[] };

/** What links are decided by. `tasksOf` has, by outcome, what is known of the members that its subject names. */
export type LinkFacts = {
  outcomes: Outcome[];
  marks: TaskMark[];
  tasksOf: ReadonlyMap<string, readonly SubjectTasks[]>;
  links: ReadonlyMap<string, OutcomeLink>;
};

export type UnlinkedOutcomes = {
  outcomes: Outcome[];
  /** Listed or not. */
  outcomesTotal: number;
  parked: { outcome: Outcome; reason: string }[];
};

export type OutcomeLinkStore = {
  /** Of spans that came since: each place once for each trace and session. */
  listSightings(
    sinceNs: bigint,
    attributeNames: readonly string[],
  ): Promise<{ sightings: PlaceSighting[]; asOfNs: bigint }>;
  insertWorkMarks(workspace: string, marks: readonly WorkMark[]): Promise<void>;
  /** Workspaces with outcomes or marks that came since. */
  listLinkNews(sinceNs: bigint): Promise<{ workspaces: string[]; asOfNs: bigint }>;
  /** Of outcomes since the instant; older ones keep the links they have. */
  readLinkFacts(workspace: string, sinceNs: bigint): Promise<LinkFacts>;
  /** Outcomes since the instant that are of no work that there is, and those that are parked: the newest of each, so many at most. */
  listUnlinked(workspace: string, of: { sinceNs: bigint; limit: number }): Promise<UnlinkedOutcomes>;
  /** Where work of these tasks was seen, and any work on these branches. */
  listMarks(
    workspace: string,
    of: { tasks: readonly string[]; branches: readonly Pick<WorkPlace, "repository" | "branch">[]; sinceNs: bigint },
  ): Promise<TaskMark[]>;
  insertOutcomeLinks(workspace: string, links: readonly OutcomeLink[]): Promise<void>;
  /** Of these tasks those that are no longer there are taken away. Other tasks that have any keep them as they are. */
  replaceWorkStretches(workspace: string, stretches: readonly WorkStretch[], tasks: ReadonlySet<string>): Promise<void>;
};
