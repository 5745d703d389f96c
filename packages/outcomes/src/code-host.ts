/** What deliveries of code hosts come to, said alike whichever host it was. */
import { createHash, timingSafeEqual } from "node:crypto";
import { parseInstant } from "@centspan/base";
import type { OutcomeStatus, OutcomeSubject, SubjectFinding } from "@centspan/model";
import { z } from "zod";

export const text = z.string().max(1000);
export const number = z.int().positive();
export const commit = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/, "is not a commit");
/** ISO 8601, or GitLab's `2026-08-24 23:25:51 UTC`. */
export const instant = z.string().transform((said, context) => {
  const atNs = parseInstant(said.replace(/^(\S+) (\S+) UTC$/, "$1T$2Z"));
  if (atNs !== null) return atNs;
  context.addIssue("is not an instant");
  return z.NEVER;
});

type TestRun = {
  /** What tells this run, and this try of it, from all others of the host. */
  id: string;
  repository: string;
  branch?: string | null | undefined;
  name?: string | null | undefined;
  status: OutcomeStatus;
  conclusion: string;
  commit: string;
  pullRequest?: string | undefined;
  url?: string | undefined;
  atNs: bigint | null;
};

export const describeTestRun = (run: TestRun): SubjectFinding => ({
  kind: "tests",
  status: run.status,
  evidence: { repository: run.repository, conclusion: run.conclusion, ...present({ name: run.name, url: run.url }) },
  subject: {
    commit: run.commit,
    repository: run.repository,
    ...present({ pullRequest: run.pullRequest, branch: run.branch }),
  },
  identity: `run ${run.id}`,
  atNs: run.atNs,
});

type ClosedRequest = {
  repository: string;
  /** Between the repository and the number, as the host writes it. */
  mark: "#" | "!";
  number: number;
  merged: boolean;
  branch?: string | null | undefined;
  /** Who merged or closed it. */
  by?: string | null | undefined;
  /** The last one before it was merged: a squash makes another. */
  headCommit: string;
  mergeCommit?: string | null | undefined;
  text: string;
  url?: string | undefined;
  atNs: bigint;
};

/** Merged work is approved, and what it says that it reverts is so no longer; a request closed otherwise is refused. */
export function describeClosedRequest(request: ClosedRequest): SubjectFinding[] {
  const { repository, mark, merged, mergeCommit, branch, by, url, atNs } = request;
  const name = `${repository}${mark}${request.number}`;
  const own: SubjectFinding = {
    kind: "approved",
    status: merged ? "passed" : "failed",
    evidence: { repository, ...present({ url, by, mergeCommit: merged ? mergeCommit : undefined }) },
    subject: { pullRequest: name, commit: request.headCommit, repository, ...present({ branch }) },
    identity: `request ${name} ${atNs}`,
    atNs,
  };
  const reverted = merged ? listReverted(request) : [];
  return [
    own,
    ...reverted.map(
      (subject): SubjectFinding => ({
        kind: "approved",
        status: "failed",
        evidence: { repository, revertedBy: name },
        subject,
        identity: `revert ${subject.pullRequest ?? subject.commit} ${name} ${atNs}`,
        atNs,
      }),
    ),
  ];
}

/** In the words that hosts and git write themselves: commits, and requests of this repository or of the one they name. */
function listReverted({ text, mark, repository }: ClosedRequest): OutcomeSubject[] {
  const commits = [...text.matchAll(/^This reverts commit ([0-9a-f]{40})\b/gim)].map(([, commit]) => ({ commit }));
  const requests = new RegExp(`^(?:Reverts|This reverts merge request) ([\\w./-]+)?${mark}(\\d+)\\b`, "gim");
  const named = [...text.matchAll(requests)].map(([, elsewhere = repository, number]) => ({
    pullRequest: `${elsewhere}${mark}${number}`,
  }));
  return [...commits, ...named];
}

/** Of equal length, so that how long it takes says nothing of where they differ. */
export const isSecret = (said: string | null, due: string): boolean =>
  timingSafeEqual(digest(said ?? ""), digest(due)) && said !== null;

const digest = (value: string): Buffer => createHash("sha256").update(value).digest();

/** The members that say something. */
const present = (members: Record<string, string | null | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(members).filter((member): member is [string, string] => typeof member[1] === "string"),
  );
