/**
 * What became of commits, as a clone of the repository tells: those on the branch that all work goes to were taken, a
 * revert there takes one back, and a revert of a revert gives it again. Merges that name a pull request say what its head
 * came to. Pure; what no clone holds (reviews, closed requests) is for code hosts to say.
 */
import type { SubjectFinding } from "@centspan/model";
import { describeClosedRequest } from "./code-host.ts";

export type CommitFacts = {
  sha: string;
  parents: readonly string[];
  atNs: bigint;
  subject: string;
  body: string;
  /** On the branch that all work goes to. */
  isOnTrunk: boolean;
  /** Of `git patch-id --stable`; "" where it is not known, as of merges. */
  patchId: string;
};

/** `repository` as code hosts call it. Commits in any order. */
export function judgeCommits(repository: string, commits: readonly CommitFacts[]): SubjectFinding[] {
  const known = new Map(commits.map((commit) => [commit.sha, commit]));
  return commits
    .filter(({ isOnTrunk }) => isOnTrunk)
    .flatMap((commit) => [
      ...describeTaken(repository, commit),
      ...describeRequest(repository, commit, known),
      ...describeReverts(repository, commit, known),
    ]);
}

const describeTaken = (repository: string, { sha, parents, atNs, patchId }: CommitFacts): SubjectFinding[] =>
  parents.length > 1
    ? []
    : [
        {
          kind: "completed",
          status: "passed",
          evidence: { method: "derived", repository, how: "on the main branch of the local clone" },
          subject: { commit: sha, repository, ...(patchId !== "" && { patchId }) },
          identity: `git taken ${sha}`,
          atNs,
        },
      ];

/** GitHub's and GitLab's own words for a merge, and the number that a squash ends with. */
function readRequest({ subject, body }: CommitFacts): { mark: "#" | "!"; number: number; branch?: string } | null {
  const [, merged, branch] = /^Merge pull request #(\d+) from [^/\s]+\/(\S+)/.exec(subject) ?? [];
  if (merged !== undefined) return { mark: "#", number: Number(merged), ...(branch && { branch }) };
  const squashed = /\(#(\d+)\)$/.exec(subject)?.[1];
  if (squashed !== undefined) return { mark: "#", number: Number(squashed) };
  const own = /^See merge request \S*!(\d+)$/m.exec(body)?.[1];
  const of = /^Merge branch '([^']+)'/.exec(subject)?.[1];
  return own === undefined ? null : { mark: "!", number: Number(own), ...(of && { branch: of }) };
}

function describeRequest(
  repository: string,
  commit: CommitFacts,
  known: ReadonlyMap<string, CommitFacts>,
): SubjectFinding[] {
  const request = readRequest(commit);
  if (request === null) return [];
  const [, head] = commit.parents;
  // A revert says of itself what it reverts; that is told by its commits.
  const findings = describeClosedRequest({
    repository,
    ...request,
    merged: true,
    headCommit: head === undefined || !known.has(head) ? commit.sha : head,
    mergeCommit: commit.sha,
    text: commit.body,
    atNs: commit.atNs,
  });
  return findings.map((finding) => ({ ...finding, evidence: { method: "derived", ...finding.evidence } }));
}

const REVERTS = /^This reverts commit ([0-9a-f]{7,64})\b/gim;

/** What it took back was taken before; what it took back of a revert is as that was before the revert. */
function describeReverts(
  repository: string,
  revert: CommitFacts,
  known: ReadonlyMap<string, CommitFacts>,
): SubjectFinding[] {
  return listReverted(revert, known).flatMap((taken) => {
    const again = listReverted(taken, known);
    const backs = again.map((commit) => ({ commit, isBack: true }));
    return [{ commit: taken, isBack: false }, ...backs].map(
      ({ commit, isBack }): SubjectFinding => ({
        kind: "approved",
        status: isBack ? "passed" : "failed",
        evidence: { method: "derived", repository, [isBack ? "restoredBy" : "revertedBy"]: revert.sha },
        subject: { commit: commit.sha, repository, ...(commit.patchId !== "" && { patchId: commit.patchId }) },
        identity: `git ${isBack ? "restored" : "reverted"} ${commit.sha} ${revert.sha}`,
        atNs: revert.atNs,
      }),
    );
  });
}

const listReverted = ({ body }: CommitFacts, known: ReadonlyMap<string, CommitFacts>): CommitFacts[] =>
  [...body.matchAll(REVERTS)].flatMap(([, said = ""]) => {
    const exact = known.get(said);
    if (exact !== undefined) return [exact];
    const like = [...known.values()].filter(({ sha }) => sha.startsWith(said));
    return like.length === 1 ? like : [];
  });
