/**
 * An outcome: what a task, session, trace, commit or pull request came to, and where that is known from.
 * Outcomes are never edited: a later one (a rerun, a revert) is a new outcome of the same subject.
 */
import { z } from "zod";

export const OUTCOME_KINDS = ["tests", "completed", "approved", "custom"] as const;
export type OutcomeKind = (typeof OUTCOME_KINDS)[number];
export const OUTCOME_STATUSES = ["passed", "failed", "partial", "unknown"] as const;
export type OutcomeStatus = (typeof OUTCOME_STATUSES)[number];

const isGiven = (value: string | undefined): boolean => value !== undefined;

/** What an outcome is about. At least one member is set; `task` is the strongest link. */
export const subjectSchema = z
  .strictObject({
    task: z.string().min(1).max(500).optional(),
    runId: z.string().min(1).max(200).optional(),
    sessionId: z.string().min(1).max(200).optional(),
    traceId: z
      .string()
      .regex(/^[0-9a-f]{32}$/, "must be 32 lower-case hex digits")
      .optional(),
    commit: z.string().min(7).max(64).optional(),
    pullRequest: z.string().min(1).max(200).optional(),
    /** Of `git patch-id --stable`: what a commit changes, whatever it is rebased or squashed to. */
    patchId: z
      .string()
      .regex(/^[0-9a-f]{40}$/, "must be 40 lower-case hex digits")
      .optional(),
    repository: z.string().min(1).max(200).optional(),
    branch: z.string().min(1).max(250).optional(),
  })
  .refine(({ repository, branch, ...names }) => Object.values(names).some(isGiven) || (repository && branch), {
    message:
      "must name at least one of task, runId, sessionId, traceId, commit, pullRequest, patchId, or repository with branch",
  });
export type OutcomeSubject = z.infer<typeof subjectSchema>;

export type Outcome = {
  /** Derived from what makes the outcome unique, so that posting it twice changes nothing. */
  outcomeId: string;
  subject: OutcomeSubject;
  kind: OutcomeKind;
  status: OutcomeStatus;
  weight: number;
  source: string;
  /** Why the status is what it is: counts, exit code, names of failing cases. */
  evidence: Record<string, string | number | boolean | string[]>;
  atNs: bigint;
};

/** What a source finds in a report, before it is tied to a subject. */
export type OutcomeFinding = Pick<Outcome, "kind" | "status" | "evidence">;

/** A plug-in that reads one report format. */
export type OutcomeSource = {
  id: string;
  describe: string;
  mediaType: "application/json" | "application/xml" | "text/plain";
  /** Reads a whole report. `exitCode` is that of the process that wrote it; null when nobody knows. Throws CentspanError("invalid_file"). */
  read(report: string, exitCode: number | null): OutcomeFinding;
};
export const defineOutcomeSource = (source: OutcomeSource): OutcomeSource => source;

/** A finding of a report that names its subjects itself. */
export type SubjectFinding = OutcomeFinding & {
  subject: OutcomeSubject;
  /** What makes it this one among all of its feed: heard of again, it is the same outcome. */
  identity: string;
  /** When it came to that; null where the report doesn't say. */
  atNs: bigint | null;
};

/** What was posted. `header` gives null for one that is not there. */
export type Delivery = { body: string; header(name: string): string | null };

/** A plug-in that reads reports about many subjects, or what a code host delivers. */
export type OutcomeFeed = {
  id: string;
  describe: string;
  /** Whether who sent it knows the secret, for hosts that can present no key; absent where they can. */
  isSigned?(delivery: Delivery, secret: string): boolean;
  /** Nothing for an event that says nothing of an outcome. Throws CentspanError("invalid_file"). */
  read(delivery: Delivery): SubjectFinding[];
};
export const defineOutcomeFeed = (feed: OutcomeFeed): OutcomeFeed => feed;
