import { describe, expect, it } from "vitest";
import { type CommitFacts, judgeCommits } from "./judge-commits.ts";

const sha = (digit: string): string => digit.repeat(40);
const commit = (digit: string, facts: Partial<CommitFacts> = {}): CommitFacts => ({
  sha: sha(digit),
  parents: [sha("0")],
  atNs: 1_790_000_000_000_000_000n,
  subject: "Work",
  body: "",
  isOnTrunk: true,
  patchId: "",
  ...facts,
});
const judge = (...commits: CommitFacts[]) =>
  judgeCommits("acme/shop", commits).map(({ kind, status, subject, evidence }) => ({
    kind,
    status,
    subject,
    evidence,
  }));
const reverts = (digit: string) => `This reverts commit ${sha(digit)}.`;

describe("commits", () => {
  it("on the main branch were taken, with what they change", () => {
    expect(judge(commit("a", { patchId: sha("e") }))).toEqual([
      {
        kind: "completed",
        status: "passed",
        subject: { commit: sha("a"), repository: "acme/shop", patchId: sha("e") },
        evidence: { method: "derived", repository: "acme/shop", how: "on the main branch of the local clone" },
      },
    ]);
  });

  it("elsewhere came to nothing yet", () => {
    expect(judge(commit("a", { isOnTrunk: false }))).toEqual([]);
  });

  it.each([
    [
      "GitHub merged",
      { subject: "Merge pull request #12 from acme/fix", parents: [sha("0"), sha("a")] },
      "acme/shop#12",
      sha("a"),
    ],
    ["GitHub squashed", { subject: "Fix the cart (#13)" }, "acme/shop#13", sha("b")],
    [
      "GitLab merged",
      {
        subject: "Merge branch 'fix' into 'main'",
        body: "See merge request acme/shop!4",
        parents: [sha("0"), sha("a")],
      },
      "acme/shop!4",
      sha("a"),
    ],
  ])("of a request that %s are approved as that request", (_how, facts, pullRequest, head) => {
    const found = judge(commit("a", { isOnTrunk: false }), commit("b", facts));
    expect(found.filter(({ kind }) => kind === "approved")).toMatchObject([
      {
        status: "passed",
        subject: { pullRequest, commit: head },
        evidence: { mergeCommit: sha("b"), method: "derived" },
      },
    ]);
  });

  it("that are reverted are taken back, and given again by a revert of the revert", () => {
    const [a, b] = [commit("a"), commit("b", { body: reverts("a") })];
    const statuses = (...commits: CommitFacts[]) =>
      judge(...commits).flatMap(({ kind, status, subject }) =>
        kind === "approved" ? [[subject.commit?.[0], status]] : [],
      );
    expect(statuses(a, b)).toEqual([["a", "failed"]]);
    expect(statuses(a, b, commit("c", { body: reverts("b") }))).toEqual([
      ["a", "failed"],
      ["b", "failed"],
      ["a", "passed"],
    ]);
    expect(statuses(a, commit("b", { body: reverts("a"), isOnTrunk: false }))).toEqual([]);
  });

  it("are known by their first digits where these are of one alone", () => {
    const short = (digits: string) => judge(commit("a"), commit("b", { body: `This reverts commit ${digits}` }));
    expect(short("aaaaaaaa").filter(({ kind }) => kind === "approved")).toHaveLength(1);
    expect(short("cccccccc").filter(({ kind }) => kind === "approved")).toEqual([]);
  });
});
