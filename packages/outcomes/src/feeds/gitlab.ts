/**
 * What GitLab delivers to a webhook: finished pipelines and closed merge requests. It signs nothing with the secret token,
 * it sends it: so only over HTTPS.
 */
import { defineOutcomeFeed, type OutcomeStatus, type SubjectFinding } from "@centspan/model";
import { z } from "zod";
import { commit, describeClosedRequest, describeTestRun, instant, isSecret, number, text } from "../code-host.ts";
import { parseJsonReport } from "../parse-json-report.ts";

const projectsShape = { source_project_id: number.nullish(), target_project_id: number.nullish() };
const project = z.looseObject({ path_with_namespace: z.string().min(1).max(150) });
const pipelineSchema = z.looseObject({
  object_attributes: z.looseObject({
    id: number,
    name: text.nullish(),
    status: text,
    sha: commit,
    ref: text.nullish(),
    finished_at: instant.nullable(),
    url: text.optional(),
  }),
  merge_request: z.looseObject({ iid: number, ...projectsShape }).nullish(),
  project,
});
const mergeRequestSchema = z.looseObject({
  object_attributes: z.looseObject({
    iid: number,
    ...projectsShape,
    source_branch: text.nullish(),
    action: text.optional(),
    description: z.string().nullish(),
    last_commit: z.looseObject({ id: commit }),
    merge_commit_sha: commit.nullish(),
    updated_at: instant,
    url: text.optional(),
  }),
  user: z.looseObject({ username: text }).nullish(),
  project,
});

/** Of a pipeline that is over and ran; the last one says nothing of the tests. */
const STATUSES: Readonly<Record<string, OutcomeStatus>> = {
  success: "passed",
  failed: "failed",
  canceled: "unknown",
};

/** A fork has branches of the same names, which are not this project's. */
const isOwn = (request: z.output<z.ZodObject<typeof projectsShape>>): boolean =>
  typeof request.source_project_id === "number" && request.source_project_id === request.target_project_id;

const READERS: Readonly<Record<string, (body: string) => SubjectFinding[]>> = {
  "Pipeline Hook"(body) {
    const { object_attributes: run, merge_request: request, project } = parseJsonReport("GitLab", pipelineSchema, body);
    const status = STATUSES[run.status];
    if (status === undefined) return [];
    const repository = project.path_with_namespace;
    return [
      describeTestRun({
        // One whose jobs are tried again keeps its id, and ends again.
        id: `${repository} ${run.id}, ended ${run.finished_at}`,
        repository,
        branch: !request || isOwn(request) ? run.ref : undefined,
        name: run.name,
        status,
        conclusion: run.status,
        commit: run.sha,
        pullRequest: request ? `${repository}!${request.iid}` : undefined,
        url: run.url,
        atNs: run.finished_at,
      }),
    ];
  },
  "Merge Request Hook"(body) {
    const { object_attributes: request, project, user } = parseJsonReport("GitLab", mergeRequestSchema, body);
    if (request.action !== "merge" && request.action !== "close") return [];
    return describeClosedRequest({
      repository: project.path_with_namespace,
      mark: "!",
      number: request.iid,
      merged: request.action === "merge",
      branch: isOwn(request) ? request.source_branch : undefined,
      by: user?.username,
      headCommit: request.last_commit.id,
      mergeCommit: request.merge_commit_sha,
      text: request.description ?? "",
      url: request.url,
      atNs: request.updated_at,
    });
  },
};

export default defineOutcomeFeed({
  id: "gitlab",
  describe: "GitLab webhook: pipeline and merge request events; others are left alone",
  isSigned: ({ header }, secret) => isSecret(header("x-gitlab-token"), secret),
  read: ({ body, header }) => READERS[header("x-gitlab-event") ?? ""]?.(body) ?? [],
});
