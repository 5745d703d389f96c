import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import ctrf from "./sources/ctrf.ts";
import tap from "./sources/tap.ts";

type Case = { why: string; report: string; exit?: number | null; status: string; counts: number[]; failing?: string[] };

const check = (source: typeof tap, { report, exit = 0, status, counts, failing }: Case): void => {
  const finding = source.read(report, exit);
  const { passed, failed, skipped, failing: names } = finding.evidence;
  expect([finding.status, passed, failed, skipped]).toEqual([status, ...counts]);
  if (failing !== undefined) expect(names).toEqual(failing);
};

describe("TAP", () => {
  const nested = `TAP version 14
# Subtest: outer
    ok 1 - good
    not ok 2 - bad
      ---
      message: 'TAP version 13'
      ...
    1..2
not ok 1 - outer
1..1
`;
  const cases: Case[] = [
    {
      why: "points of version 12, the plan last",
      report: "ok 1\nok 2 - b\n1..2\n",
      status: "passed",
      counts: [2, 0, 0],
    },
    {
      why: "a failing point",
      report: "1..2\nok 1 - a\nnot ok 2 - b\n",
      exit: 1,
      status: "failed",
      counts: [1, 1, 0],
      failing: ["b"],
    },
    {
      why: "a failing to-do, and a skipped one",
      report: "1..3\nok 1\nnot ok 2 # TODO later\nok 3 # SKIP no\n",
      status: "passed",
      counts: [1, 0, 2],
    },
    { why: "nothing but skipped ones", report: "1..1\nok 1 # skip\n", status: "unknown", counts: [0, 0, 1] },
    { why: "a plan of nothing", report: "1..0 # SKIP no network\n", status: "unknown", counts: [0, 0, 0] },
    { why: "no plan", report: "TAP version 13\nok 1\n", status: "failed", counts: [1, 1, 0], failing: ["no plan"] },
    { why: "less than was planned", report: "1..3\nok 1\n", status: "failed", counts: [1, 1, 0] },
    {
      why: "a bail-out",
      report: "1..9\nok 1\nBail out! no database\n",
      exit: 1,
      status: "failed",
      counts: [1, 1, 0],
      failing: ["Bail out! no database"],
    },
    {
      why: "subtests, counted by their own points",
      report: nested,
      exit: 1,
      status: "failed",
      counts: [1, 1, 0],
      failing: ["outer > bad"],
    },
    {
      why: "a subtest that failed without a failing point",
      report: "TAP version 14\n# Subtest: outer\n    ok 1 - a\n    1..1\nnot ok 1 - outer\n1..1\n",
      exit: 1,
      status: "failed",
      counts: [1, 1, 0],
      failing: ["outer"],
    },
    { why: "exit 1 although nothing failed", report: "1..1\nok 1\n", exit: 1, status: "unknown", counts: [1, 0, 0] },
  ];
  it.each(cases)("$why", (given) => check(tap, given));

  it("is what node --test writes", () => {
    const folder = mkdtempSync(join(tmpdir(), "centspan-tap-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "a.test.mjs");
    writeFileSync(
      file,
      `import { describe, it } from "node:test";
       describe("s", () => { it("good", () => {}); it("bad", () => { throw new Error("no"); }); it.skip("later", () => {}); });`,
    );
    let report = "";
    try {
      execFileSync(process.execPath, ["--test", "--test-reporter=tap", file], { env: {}, encoding: "utf8" });
    } catch (error) {
      report = Object(error).stdout;
    }
    check(tap, { why: "", report, exit: 1, status: "failed", counts: [1, 1, 1], failing: ["s > bad"] });
  });
});

describe("CTRF", () => {
  const report = (tests: object[], summary: object = {}): string =>
    JSON.stringify({ results: { tool: { name: "jest" }, summary, tests } });
  const [good, bad] = [
    { name: "good", status: "passed", duration: 1 },
    { name: "bad", status: "failed", suite: ["a", "b"], duration: 2 },
  ];
  const cases: Case[] = [
    { why: "all passed", report: report([good]), status: "passed", counts: [1, 0, 0] },
    {
      why: "one failed",
      report: report([good, bad]),
      exit: 1,
      status: "failed",
      counts: [1, 1, 0],
      failing: ["a > b > bad"],
    },
    {
      why: "a flaky one that passed after retries",
      report: report([{ ...good, flaky: true, retries: 2 }]),
      status: "passed",
      counts: [1, 0, 0],
    },
    {
      why: "pending, skipped and other ones",
      report: report(["pending", "skipped", "other"].map((status) => ({ ...good, status }))),
      status: "unknown",
      counts: [0, 0, 3],
    },
    { why: "no tests", report: report([], { tests: 4, passed: 4 }), status: "unknown", counts: [0, 0, 0] },
    {
      why: "a summary that claims a failure, no exit code",
      report: report([good], { failed: 1 }),
      exit: null,
      status: "unknown",
      counts: [1, 0, 0],
    },
  ];
  it.each(cases)("$why", (given) => check(ctrf, given));

  it("names what is wrong with a report", () => {
    const wrong = report([good, { name: "x", status: "broken" }]);
    expect(() => ctrf.read(wrong, 0)).toThrow(
      expect.objectContaining({ code: "invalid_file", field: "results.tests.1.status" }),
    );
  });
});
