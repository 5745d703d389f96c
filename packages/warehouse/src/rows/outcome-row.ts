/** Outcomes between the model and the columns of `outcomes`. An empty column is a subject member that is not set. */
import type { Outcome, OutcomeKind, OutcomeStatus, OutcomeSubject } from "@centspan/model";
import { nanoseconds, writeInstant } from "../instants.ts";

export const toSubjectColumns = (subject: OutcomeSubject) => ({
  task: subject.task ?? "",
  run_id: subject.runId ?? "",
  session_id: subject.sessionId ?? "",
  trace_id: subject.traceId ?? "",
  commit: subject.commit ?? "",
  pull_request: subject.pullRequest ?? "",
  patch_id: subject.patchId ?? "",
  repository: subject.repository ?? "",
  branch: subject.branch ?? "",
});

export const toOutcomeRow = (workspace: string, { subject, ...outcome }: Outcome) => ({
  workspace,
  outcome_id: outcome.outcomeId,
  ...toSubjectColumns(subject),
  kind: outcome.kind,
  status: outcome.status,
  weight: outcome.weight,
  source: outcome.source,
  evidence: JSON.stringify(outcome.evidence),
  at: writeInstant(outcome.atNs, "atNs"),
});

export const OUTCOME_COLUMNS = `outcome_id, task, run_id, session_id, trace_id, commit, pull_request,
  patch_id, repository, branch, kind, status, weight, source, evidence, ${nanoseconds("at")} AS at_ns`;

export type OutcomeRow = {
  outcome_id: string;
  task: string;
  run_id: string;
  session_id: string;
  trace_id: string;
  commit: string;
  pull_request: string;
  patch_id: string;
  repository: string;
  branch: string;
  kind: OutcomeKind;
  status: OutcomeStatus;
  weight: number;
  source: string;
  evidence: string;
  at_ns: string;
};

export const fromOutcomeRow = (row: OutcomeRow): Outcome => ({
  outcomeId: row.outcome_id,
  subject: {
    ...(row.task && { task: row.task }),
    ...(row.run_id && { runId: row.run_id }),
    ...(row.session_id && { sessionId: row.session_id }),
    ...(row.trace_id && { traceId: row.trace_id }),
    ...(row.commit && { commit: row.commit }),
    ...(row.pull_request && { pullRequest: row.pull_request }),
    ...(row.patch_id && { patchId: row.patch_id }),
    ...(row.repository && { repository: row.repository }),
    ...(row.branch && { branch: row.branch }),
  },
  kind: row.kind,
  status: row.status,
  weight: row.weight,
  source: row.source,
  evidence: JSON.parse(row.evidence),
  atNs: BigInt(row.at_ns),
});
