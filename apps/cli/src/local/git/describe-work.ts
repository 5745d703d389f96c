/**
 * What local clones add to histories: spans that say which commit a tool made and which pull request a session was linked to,
 * and outcomes of these. Of a repository's commits only those that sessions made, or whose change they made, are told.
 */
import { createHash } from "node:crypto";
import { deriveId } from "@centspan/base";
import type { Outcome, SpanRecord } from "@centspan/model";
import { type CommitFacts, judgeCommits } from "@centspan/outcomes";
import type { SpanAttributes } from "@centspan/telemetry/vocabulary";
import type { LinkedRequest, MadeCommit, SeenWork, Whose } from "../seen-work.ts";
import type { Repository } from "./find-repository.ts";
import { readCommits } from "./read-commits.ts";

const DAY_MS = 86_400_000;

export type WorkFound = {
  spans: SpanRecord[];
  outcomes: Outcome[];
  /** What was looked at, and what could not be. */
  repositories: { name: string; commits: number; made: number; problem: string }[];
};

type Finder = (folder: string) => Repository | null;

export async function describeWork(seen: SeenWork, findRepository: Finder): Promise<WorkFound> {
  const found: WorkFound = { spans: [], outcomes: [], repositories: [] };
  for (const work of groupByRepository(seen, findRepository)) {
    const { repository, folders } = work;
    const sinceMs = Math.min(...folders.map(([, [first]]) => first)) - DAY_MS;
    const { commits, problem } = await readCommits(repository.commonDir, sinceMs);
    const made = seen.commits
      .filter(({ cwd }) => findRepository(cwd) === repository)
      .flatMap((commit) => resolveCommit(commit, commits));
    found.spans.push(...made.map(({ commit, facts }) => toCommitSpan(commit, facts, repository)));
    found.outcomes.push(...judge(repository, commits, made, work.branches, seen.requests));
    found.repositories.push({ name: repository.name, commits: commits.length, made: made.length, problem });
  }
  found.spans.push(...seen.requests.flatMap((request) => toRequestSpan(request, findRepository(request.cwd))));
  return found;
}

type Work = { repository: Repository; folders: [cwd: string, times: [number, number]][]; branches: Set<string> };

function groupByRepository(seen: SeenWork, findRepository: Finder): Work[] {
  const works = new Map<string, Work>();
  for (const [cwd, times] of Object.entries(seen.folders)) {
    const repository = findRepository(cwd);
    if (repository === null) continue;
    const work = works.get(repository.commonDir) ?? { repository, folders: [], branches: new Set<string>() };
    work.folders.push([cwd, times]);
    works.set(repository.commonDir, work);
  }
  for (const entry of seen.branches) {
    const [cwd = "", branch = ""] = entry.split("\n");
    const repository = findRepository(cwd);
    if (repository !== null) works.get(repository.commonDir)?.branches.add(branch);
  }
  return [...works.values()];
}

type Resolved = { commit: MadeCommit; facts: CommitFacts };

/** Tools name commits by their first digits. One that was amended or dropped since is not in the clone any more. */
function resolveCommit(commit: MadeCommit, commits: readonly CommitFacts[]): Resolved[] {
  const like = commits.filter(({ sha }) => sha.startsWith(commit.sha));
  const [facts] = like;
  return like.length === 1 && facts !== undefined ? [{ commit, facts }] : [];
}

function judge(
  repository: Repository,
  commits: readonly CommitFacts[],
  made: readonly Resolved[],
  branches: ReadonlySet<string>,
  requests: readonly LinkedRequest[],
): Outcome[] {
  const shas = new Set(made.map(({ facts }) => facts.sha));
  const patches = new Set(made.map(({ facts }) => facts.patchId).filter((id) => id !== ""));
  const named = new Set(requests.map(nameRequest));
  return judgeCommits(repository.name, commits)
    .filter(
      ({ subject: { commit = "", patchId = "", pullRequest = "", branch = "" } }) =>
        shas.has(commit) || patches.has(patchId) || named.has(pullRequest) || branches.has(branch),
    )
    .map(({ identity, atNs, ...finding }) => ({
      ...finding,
      outcomeId: deriveId("outcome", "git", repository.name, identity),
      weight: 1,
      source: "git",
      atNs: atNs ?? 0n,
    }));
}

export const nameRequest = ({
  repository,
  number,
  url,
}: Pick<LinkedRequest, "repository" | "number" | "url">): string =>
  `${repository}${isGitLab(url) ? "!" : "#"}${number}`;

const isGitLab = (url: string): boolean => url.includes("/merge_requests/");

/** Of when git says that it was made, where the tool that made it ended later: nothing is said of it before it is there. */
const toCommitSpan = (commit: MadeCommit, { sha, patchId, atNs }: CommitFacts, repository: Repository): SpanRecord =>
  toSpan(
    { ...commit, atMs: Math.min(commit.atMs, Number(atNs / 1_000_000n)) },
    { name: "vcs.commit", identity: sha, parentSpanId: commit.spanId },
    repository,
    {
      "vcs.ref.head.revision": sha,
      "centspan.patch.id": patchId || undefined,
    },
  );

/** Nothing where the history does not say which run it was linked in. */
const toRequestSpan = (request: LinkedRequest, repository: Repository | null): SpanRecord[] =>
  request.traceId === ""
    ? []
    : [
        toSpan(
          request,
          { name: "vcs.change", identity: request.url, parentSpanId: "" },
          {
            url:
              /^(https:\/\/[^/]+\/.+?)(?:\/-)?\/(?:pull|merge_requests)\/\d+/.exec(request.url)?.[1] ??
              repository?.url ??
              "",
            name: request.repository || (repository?.name ?? ""),
          },
          {
            "vcs.change.id": String(request.number),
            "vcs.provider.name": isGitLab(request.url) ? "gitlab" : "github",
          },
        ),
      ];

type Place = { name: "vcs.commit" | "vcs.change"; identity: string; parentSpanId: string };

function toSpan(
  whose: Whose,
  { name, identity, parentSpanId }: Place,
  { url, name: repository }: Pick<Repository, "url" | "name">,
  said: SpanAttributes,
): SpanRecord {
  const atNs = BigInt(whose.atMs) * 1_000_000n;
  const attributes: SpanAttributes = {
    "centspan.layer": "harness",
    "centspan.timing": "start_only",
    "centspan.run.id": whose.rootSessionId,
    "gen_ai.conversation.id": whose.sessionId,
    "centspan.thread.id": whose.threadId,
    "vcs.repository.url.full": url || undefined,
    "centspan.repository": repository || undefined,
    "vcs.ref.head.name": whose.branch || undefined,
    ...said,
  };
  return {
    traceId: whose.traceId,
    spanId: createHash("sha256").update(`${name}\n${whose.sessionId}\n${identity}`).digest("hex").slice(0, 16),
    parentSpanId,
    name,
    kind: "internal",
    service: whose.format,
    startedAtNs: atNs,
    endedAtNs: atNs,
    status: "unset",
    statusMessage: "",
    attributes: Object.fromEntries(
      Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
    ),
    resourceAttributes: { "service.name": whose.format },
    scopeName: "centspan.histories",
    trusted: false,
    events: [],
    links: [],
  };
}
