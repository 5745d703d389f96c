/**
 * What GitHub delivers to a webhook: finished workflow and check runs, and closed pull requests. Signed over the bytes
 * of the body.
 */
import { createHmac } from "node:crypto";
import { defineOutcomeFeed, type OutcomeStatus, type SubjectFinding } from "@centspan/model";
import { z } from "zod";
import { commit, describeClosedRequest, describeTestRun, instant, isSecret, number, text } from "../code-host.ts";
import { parseJsonReport } from "../parse-json-report.ts";

const eventShape = { action: text, repository: z.looseObject({ full_name: z.string().min(1).max(150) }) };
const runShape = {
  id: number,
  name: text.nullish(),
  conclusion: text.nullable(),
  head_sha: commit,
  html_url: text.optional(),
  pull_requests: z.array(z.looseObject({ number })).max(100).default([]),
};
/** Null where a fork is deleted. */
const headRepository = z.looseObject({ full_name: text }).nullish();
const workflowRunSchema = z.looseObject({
  ...eventShape,
  workflow_run: z.looseObject({
    ...runShape,
    run_attempt: number,
    updated_at: instant,
    head_branch: text.nullish(),
    head_repository: headRepository,
  }),
});
const checkRunSchema = z.looseObject({
  ...eventShape,
  check_run: z.looseObject({
    ...runShape,
    completed_at: instant.nullable(),
    check_suite: z.looseObject({ head_branch: text.nullish() }).nullish(),
  }),
});
const pullRequestSchema = z.looseObject({
  ...eventShape,
  sender: z.looseObject({ login: text }).optional(),
  pull_request: z.looseObject({
    number,
    merged: z.boolean(),
    merge_commit_sha: commit.nullable(),
    head: z.looseObject({ sha: commit, ref: text.optional(), repo: headRepository }),
    merged_by: z.looseObject({ login: text }).nullish(),
    body: z.string().nullable(),
    updated_at: instant,
    html_url: text.optional(),
  }),
});

/** Whatever is not here says nothing of the tests: cancelled, stale, action_required. */
const CONCLUSIONS: Readonly<Record<string, OutcomeStatus>> = {
  success: "passed",
  failure: "failed",
  timed_out: "failed",
  startup_failure: "failed",
};

/** No tests were meant to run: what was said before stays. */
const isIdle = ({ conclusion }: { conclusion: string | null }): boolean =>
  conclusion === "skipped" || conclusion === "neutral";

const READERS: Readonly<Record<string, (body: string) => SubjectFinding[]>> = {
  workflow_run(body) {
    const { action, workflow_run: run, repository } = parseJsonReport("GitHub", workflowRunSchema, body);
    // Tried again it is an outcome of its own, and the later one counts.
    const id = `${run.id}, attempt ${run.run_attempt}`;
    const branch = ownBranch(repository, run.head_repository, run.head_branch);
    return action === "completed" && !isIdle(run)
      ? [readRun(run, { repository: repository.full_name, id, atNs: run.updated_at, branch })]
      : [];
  },
  check_run(body) {
    const { action, check_run: run, repository } = parseJsonReport("GitHub", checkRunSchema, body);
    // Of a fork's commit GitHub tells no branch here.
    const place = { repository: repository.full_name, branch: run.check_suite?.head_branch };
    return action === "completed" && !isIdle(run)
      ? [readRun(run, { ...place, id: `check ${run.id}`, atNs: run.completed_at })]
      : [];
  },
  pull_request(body) {
    const { action, pull_request: pull, repository, sender } = parseJsonReport("GitHub", pullRequestSchema, body);
    if (action !== "closed") return [];
    return describeClosedRequest({
      repository: repository.full_name,
      mark: "#",
      number: pull.number,
      merged: pull.merged,
      branch: ownBranch(repository, pull.head.repo, pull.head.ref),
      by: pull.merged_by?.login ?? sender?.login,
      headCommit: pull.head.sha,
      mergeCommit: pull.merge_commit_sha,
      text: pull.body ?? "",
      url: pull.html_url,
      atNs: pull.updated_at,
    });
  },
};

export default defineOutcomeFeed({
  id: "github",
  describe: "GitHub webhook: the events workflow_run, check_run and pull_request; others are left alone",
  isSigned: ({ body, header }, secret) =>
    isSecret(header("x-hub-signature-256"), `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`),
  read: ({ body, header }) => READERS[header("x-github-event") ?? ""]?.(body) ?? [],
});

type Named = { full_name: string };

/** A fork has branches of the same names, which are not this repository's. */
const ownBranch = (repository: Named, head: Named | null | undefined, branch: string | null | undefined) =>
  head?.full_name === repository.full_name ? branch : undefined;

type Run = z.output<z.ZodObject<typeof runShape>>;

type Told = { repository: string; branch: string | null | undefined; id: string; atNs: bigint | null };

function readRun(run: Run, { repository, branch, id, atNs }: Told): SubjectFinding {
  const [pull] = run.pull_requests;
  return describeTestRun({
    id: `${repository} ${id}`,
    repository,
    branch,
    name: run.name,
    status: CONCLUSIONS[run.conclusion ?? ""] ?? "unknown",
    conclusion: run.conclusion ?? "none",
    commit: run.head_sha,
    pullRequest: pull && `${repository}#${pull.number}`,
    url: run.html_url,
    atNs,
  });
}
