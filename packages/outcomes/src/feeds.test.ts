import { createHmac } from "node:crypto";
import { parseInstant } from "@centspan/base";
import type { Delivery } from "@centspan/model";
import { describe, expect, it } from "vitest";
import github from "./feeds/github.ts";
import gitlab from "./feeds/gitlab.ts";
import swebench from "./feeds/swebench.ts";

const deliver = (body: unknown, headers: Record<string, string> = {}): Delivery => ({
  body: typeof body === "string" ? body : JSON.stringify(body),
  header: (name) => headers[name] ?? null,
});

const SHA = "0123456789abcdef0123456789abcdef01234567";
const MERGE = "fedcba9876543210fedcba9876543210fedcba98";

describe("SWE-bench", () => {
  const read = (report: unknown) => swebench.read(deliver(report));

  it("makes an outcome of each instance that was submitted, and of no other", () => {
    const report = {
      total_instances: 9,
      submitted_instances: 4,
      resolved_ids: ["django__django-1"],
      unresolved_ids: ["sympy__sympy-2"],
      empty_patch_ids: ["sphinx-doc__sphinx-3"],
      error_ids: ["pylint-dev__pylint-4"],
      incomplete_ids: ["mwaskom__seaborn-5"],
      schema_version: 2,
    };
    expect(
      read(report).map(({ subject, kind, status, evidence }) => [subject.task, kind, status, evidence.list]),
    ).toEqual([
      ["django__django-1", "tests", "passed", "resolved_ids"],
      ["sympy__sympy-2", "tests", "failed", "unresolved_ids"],
      ["sphinx-doc__sphinx-3", "tests", "failed", "empty_patch_ids"],
      ["pylint-dev__pylint-4", "tests", "failed", "error_ids"],
    ]);
  });

  it("is the same outcome when it is the same report, and another one in another report", () => {
    const [first, again] = [
      read({ resolved_ids: ["a"], unresolved_ids: [] }),
      read({ resolved_ids: ["a"], unresolved_ids: [] }),
    ];
    expect(again).toEqual(first);
    expect(read({ resolved_ids: ["a"], unresolved_ids: ["b"] })[0]?.identity).not.toBe(first[0]?.identity);
  });

  it.each([
    ["an instance in two lists", { resolved_ids: ["a"], unresolved_ids: ["a"] }, "unresolved_ids"],
    [
      "more than were submitted",
      { resolved_ids: ["a", "b"], unresolved_ids: [], submitted_instances: 1 },
      "submitted_instances",
    ],
    ["no list of the unresolved", { resolved_ids: ["a"] }, "unresolved_ids"],
    ["an id that is none", { resolved_ids: [7], unresolved_ids: [] }, "resolved_ids.0"],
  ])("refuses %s", (_what, report, field) => {
    expect(() => read(report)).toThrow(expect.objectContaining({ code: "invalid_file", field }));
  });
});

describe("GitHub", () => {
  const repository = { full_name: "acme/shop" };
  const run = {
    id: 7,
    run_attempt: 2,
    name: "CI",
    conclusion: "success",
    head_sha: SHA,
    head_branch: "fix-cart",
    head_repository: repository,
    updated_at: "2026-11-30T08:00:00Z",
    html_url: "https://github.com/acme/shop/actions/runs/7",
    pull_requests: [{ number: 12 }],
  };
  const workflow = (members: object = {}, action = "completed") =>
    github.read(
      deliver({ action, repository, workflow_run: { ...run, ...members } }, { "x-github-event": "workflow_run" }),
    );

  it("reads a finished workflow as the tests of its commit and pull request", () => {
    expect(workflow()).toEqual([
      {
        kind: "tests",
        status: "passed",
        evidence: { repository: "acme/shop", conclusion: "success", name: "CI", url: run.html_url },
        subject: { commit: SHA, pullRequest: "acme/shop#12", repository: "acme/shop", branch: "fix-cart" },
        identity: "run acme/shop 7, attempt 2",
        atNs: parseInstant("2026-11-30T08:00:00Z"),
      },
    ]);
  });

  it("knows no branch of a fork, which may be called as its own are", () => {
    for (const fork of [{ full_name: "stranger/shop" }, null]) {
      expect(workflow({ head_repository: fork })[0]?.subject).not.toHaveProperty("branch");
      expect(pull({ head: { sha: SHA, ref: "main", repo: fork } })[0]?.subject).not.toHaveProperty("branch");
    }
    expect(pull({ head: { sha: SHA, ref: "fix", repo: repository } })[0]?.subject.branch).toBe("fix");
  });

  it.each([
    ["failure", "failed"],
    ["timed_out", "failed"],
    ["startup_failure", "failed"],
    ["cancelled", "unknown"],
    ["stale", "unknown"],
    [null, "unknown"],
  ])("takes the conclusion %s for %s", (conclusion, status) => {
    expect(workflow({ conclusion })[0]?.status).toBe(status);
  });

  it("tells attempts apart, and says nothing of runs that are not over or of other events", () => {
    expect(workflow({ run_attempt: 3 })[0]?.identity).not.toBe(workflow()[0]?.identity);
    expect(workflow({}, "requested")).toEqual([]);
    for (const conclusion of ["skipped", "neutral"]) expect(workflow({ conclusion })).toEqual([]);
    expect(github.read(deliver("zen", { "x-github-event": "ping" }))).toEqual([]);
    expect(github.read(deliver("{}"))).toEqual([]);
  });

  it("reads a check run", () => {
    const check = { id: 3, name: "lint", conclusion: "failure", head_sha: SHA, completed_at: "2026-11-30T08:00:00Z" };
    const [finding] = github.read(
      deliver({ action: "completed", repository, check_run: check }, { "x-github-event": "check_run" }),
    );
    expect(finding).toMatchObject({ kind: "tests", status: "failed", subject: { commit: SHA } });
  });

  const pull = (members: object, action = "closed") =>
    github.read(
      deliver(
        {
          action,
          repository,
          pull_request: {
            number: 12,
            merged: true,
            merge_commit_sha: MERGE,
            head: { sha: SHA },
            body: null,
            updated_at: "2026-11-30T09:00:00Z",
            ...members,
          },
        },
        { "x-github-event": "pull_request" },
      ),
    );

  it("takes a merged pull request for approved, with the commit that a squash made of it, and another for refused", () => {
    expect(pull({})).toMatchObject([
      {
        kind: "approved",
        status: "passed",
        subject: { pullRequest: "acme/shop#12", commit: SHA },
        evidence: { mergeCommit: MERGE },
      },
    ]);
    const [refused] = pull({ merged: false });
    expect(refused).toMatchObject({ kind: "approved", status: "failed" });
    expect(refused?.evidence).not.toHaveProperty("mergeCommit");
    expect(pull({}, "opened")).toEqual([]);
  });

  it.each([
    ["Reverts acme/shop#5", { pullRequest: "acme/shop#5" }],
    ["Reverts #5", { pullRequest: "acme/shop#5" }],
    ["Why.\n\nReverts acme/other.js#5\n", { pullRequest: "acme/other.js#5" }],
    [`This reverts commit ${MERGE}.`, { commit: MERGE }],
  ])("takes back the approval of what %j reverts", (body, subject) => {
    expect(pull({ body })[1]).toMatchObject({
      kind: "approved",
      status: "failed",
      subject,
      evidence: { revertedBy: "acme/shop#12" },
    });
  });

  it("takes nothing back for a mention, or while the revert is not merged", () => {
    expect(pull({ body: "As in acme/shop#5, which reverts #4" })).toHaveLength(1);
    expect(pull({ body: "Reverts #5", merged: false })).toHaveLength(1);
  });

  it("knows its own signature over the very bytes", () => {
    const body = '{"zen":"ä"}';
    const signature = `sha256=${createHmac("sha256", "s3cret").update(body).digest("hex")}`;
    const signed = (said: Record<string, string>, of = body) => github.isSigned?.(deliver(of, said), "s3cret");
    expect(signed({ "x-hub-signature-256": signature })).toBe(true);
    expect(signed({ "x-hub-signature-256": signature }, `${body} `)).toBe(false);
    expect(signed({ "x-hub-signature-256": `${signature.slice(0, -1)}x` })).toBe(false);
    expect(signed({ "x-hub-signature": signature })).toBe(false);
    expect(signed({})).toBe(false);
  });

  it("names the field that is not as GitHub sends it", () => {
    expect(() => workflow({ head_sha: "main" })).toThrow(
      expect.objectContaining({ code: "invalid_file", field: "workflow_run.head_sha" }),
    );
  });
});

describe("GitLab", () => {
  const project = { path_with_namespace: "acme/web/shop" };
  const pipeline = (members: object, request: object | null = null) =>
    gitlab.read(
      deliver(
        {
          object_kind: "pipeline",
          object_attributes: { id: 9, status: "success", sha: SHA, finished_at: "2026-08-24 23:25:51 UTC", ...members },
          merge_request: request,
          project,
        },
        { "x-gitlab-event": "Pipeline Hook" },
      ),
    );

  const request = (members: object) =>
    gitlab.read(
      deliver(
        {
          object_kind: "merge_request",
          object_attributes: {
            iid: 4,
            action: "merge",
            description: "This reverts merge request !3",
            last_commit: { id: SHA },
            merge_commit_sha: MERGE,
            updated_at: "2026-08-24T23:25:51.000Z",
            ...members,
          },
          project,
        },
        { "x-gitlab-event": "Merge Request Hook" },
      ),
    );
  it("reads a finished pipeline as the tests of its commit and merge request", () => {
    expect(pipeline({}, { iid: 4 })).toMatchObject([
      {
        kind: "tests",
        status: "passed",
        subject: { commit: SHA, pullRequest: "acme/web/shop!4" },
        atNs: parseInstant("2026-08-24T23:25:51Z"),
      },
    ]);
    expect(pipeline({ status: "failed" })[0]?.status).toBe("failed");
    expect(pipeline({ status: "canceled" })[0]?.status).toBe("unknown");
    expect(pipeline({ status: "skipped" })).toEqual([]);
    expect(pipeline({ status: "running", finished_at: null })).toEqual([]);
  });

  it("knows no branch of a fork, which may be called as its own are", () => {
    const of = (source: number) => ({ iid: 4, source_project_id: source, target_project_id: 1 });
    expect(pipeline({ ref: "main" }, of(2))[0]?.subject).not.toHaveProperty("branch");
    expect(pipeline({ ref: "main" }, of(1))[0]?.subject.branch).toBe("main");
    expect(pipeline({ ref: "main" })[0]?.subject.branch).toBe("main");
    const members = { source_branch: "main", source_project_id: 2, target_project_id: 1 };
    expect(request(members)[0]?.subject).not.toHaveProperty("branch");
    expect(request({ ...members, source_project_id: 1 })[0]?.subject.branch).toBe("main");
  });

  it("tells the end of a pipeline from its next, when jobs were tried again", () => {
    const later = pipeline({ finished_at: "2026-08-24 23:30:00 UTC" })[0]?.identity;
    expect(later).not.toBe(pipeline({})[0]?.identity);
  });

  it("takes a merged request for approved, and what it reverts for so no longer", () => {
    expect(request({}).map(({ status, subject }) => [status, subject.pullRequest])).toEqual([
      ["passed", "acme/web/shop!4"],
      ["failed", "acme/web/shop!3"],
    ]);
    expect(request({ action: "close" }).map(({ status }) => status)).toEqual(["failed"]);
    expect(request({ action: "update" })).toEqual([]);
  });

  it("knows its token", () => {
    expect(gitlab.isSigned?.(deliver("{}", { "x-gitlab-token": "t" }), "t")).toBe(true);
    expect(gitlab.isSigned?.(deliver("{}", { "x-gitlab-token": "u" }), "t")).toBe(false);
    expect(gitlab.isSigned?.(deliver("{}"), "")).toBe(false);
  });
});
