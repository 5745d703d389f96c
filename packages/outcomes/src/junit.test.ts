import { describe, expect, it } from "vitest";
import junit from "./sources/junit.ts";

const suite = (inner: string, attributes = ""): string => `<testsuite name="s" ${attributes}>${inner}</testsuite>`;
const PASS = '<testcase name="good"/>';
const FAIL = '<testcase name="bad"><failure message="m">text</failure></testcase>';
const ERROR = '<testcase name="broken"><error/></testcase>';
const SKIP = '<testcase name="later"><skipped/></testcase>';

describe("verdicts", () => {
  const cases: { why: string; report: string; exit: number | null; status: string; counts?: number[] }[] = [
    { why: "one pass, exit 0", report: suite(PASS), exit: 0, status: "passed", counts: [1, 0, 0] },
    { why: "a pass beside a skipped case", report: suite(PASS + SKIP), exit: 0, status: "passed", counts: [1, 0, 1] },
    { why: "some passed, some failed", report: suite(PASS + FAIL), exit: 1, status: "failed", counts: [1, 1, 0] },
    { why: "a failing case although the exit code is 0", report: suite(PASS + FAIL), exit: 0, status: "failed" },
    { why: "an error is a failure", report: suite(PASS + ERROR), exit: 1, status: "failed" },
    { why: "exit 1 without a failing case", report: suite(PASS), exit: 1, status: "unknown" },
    { why: "killed by a signal, as shells say it", report: suite(PASS), exit: 137, status: "unknown" },
    { why: "no case at all", report: suite(""), exit: 0, status: "unknown", counts: [0, 0, 0] },
    { why: "everything skipped", report: suite(SKIP + SKIP), exit: 0, status: "unknown", counts: [0, 0, 2] },
    { why: "an empty root", report: "<testsuites/>", exit: 0, status: "unknown" },
    { why: "suite totals that no case bears out", report: suite("", 'tests="9"'), exit: 0, status: "unknown" },
    {
      why: "wrong suite totals beside real cases",
      report: suite(PASS, 'tests="7" failures="0"'),
      exit: 0,
      status: "passed",
      counts: [1, 0, 0],
    },
    { why: "no exit code, all passed", report: suite(PASS), exit: null, status: "passed" },
    {
      why: "no exit code, and totals that claim a failure",
      report: suite(PASS, 'failures="1"'),
      exit: null,
      status: "unknown",
    },
    {
      why: "suites in suites, and a case outside of any",
      report: `<testsuites>${PASS}${suite(suite(suite(FAIL)) + PASS)}</testsuites>`,
      exit: 1,
      status: "failed",
      counts: [2, 1, 0],
    },
    {
      why: "pytest: a call that failed and its teardown error are two cases of one name",
      report: suite('<testcase name="a"><failure/></testcase><testcase name="a"><error/></testcase>'),
      exit: 1,
      status: "failed",
      counts: [0, 2, 0],
    },
    {
      why: "a to-do that fails is expected to",
      report: suite(`${PASS}<testcase name="t"><skipped type="todo"/><failure/></testcase>`, 'failures="1"'),
      exit: 0,
      status: "passed",
      counts: [1, 0, 1],
    },
    {
      why: "Surefire: a flaky failure under a case that passed in the end",
      report: suite('<testcase name="a"><flakyFailure message="m">t</flakyFailure></testcase>'),
      exit: 0,
      status: "passed",
    },
    { why: "a suite that could not load", report: suite("<error>no module</error>"), exit: 1, status: "failed" },
    { why: "a case that was not run", report: suite('<testcase status="notrun"/>'), exit: 0, status: "unknown" },
    {
      why: "HTML quoted in a failure's text",
      report: suite(`<testcase name="a"><failure><![CDATA[<!DOCTYPE html><p>]]></failure></testcase>`),
      exit: 1,
      status: "failed",
    },
  ];
  it.each(cases)("$why: $status", ({ report, exit, status, counts }) => {
    const { evidence, ...finding } = junit.read(report, exit);
    expect(finding).toEqual({ kind: "tests", status });
    if (counts) expect([evidence.passed, evidence.failed, evidence.skipped]).toEqual(counts);
    expect(evidence.exitCode).toBe(exit ?? undefined);
  });
});

it("names failing cases with their suites, twenty at most", () => {
  const many = Array.from({ length: 30 }, (_, n) => `<testcase name="t${n}"><failure/></testcase>`).join("");
  const { failing } = junit.read(
    `<testsuites><testsuite name="a &lt;b&gt; &#38;"> ${many}</testsuite></testsuites>`,
    1,
  ).evidence;
  expect(failing).toHaveLength(20);
  expect(failing).toMatchObject({ 0: "a <b> & > t0", 19: "a <b> & > t19" });
});

it("may quote a document type in a comment or a failure", () => {
  const quoted = suite(
    '<!-- <!DOCTYPE a> --><testcase name="a"><system-out><![CDATA[<!-- <!ENTITY b>]]></system-out></testcase>',
  );
  expect(junit.read(quoted, 0).status).toBe("passed");
});

describe("hostile input", () => {
  const BOMB = `<?xml version="1.0"?><!DOCTYPE t [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><testsuite name="&b;">${PASS}</testsuite>`;
  it.each([
    ["an entity bomb", BOMB],
    ["an external entity", `<!DOCTYPE t SYSTEM "file:///etc/passwd">${suite(PASS)}`],
    ["a document type after the root", `${suite(PASS)}<!DOCTYPE t>`],
    ["a document type in odd capitals", `<!doctype t>${suite(PASS)}`],
    ["a document type after an empty comment", `<!----><!DOCTYPE t>${suite(PASS)}`],
    ["millions of comments that never end", `<testsuite>${"<!--".repeat(3_000_000)}`],
    ["millions of quotations that never end", `<testsuite>${"<![CDATA[".repeat(1_000_000)}`],
    ["more than 16 MiB", suite(PASS + " ".repeat(17 * 1024 * 1024))],
    ["a thousand nested suites", "<testsuite>".repeat(1000) + PASS + "</testsuite>".repeat(1000)],
  ])("%s is refused", (_what, report) => {
    expect(() => junit.read(report, 0)).toThrow(expect.objectContaining({ code: "invalid_file" }));
  });

  it("is not repeated at length in the error", () => {
    const read = () => junit.read(`<testsuite>${"<".repeat(10_000)}`, 0);
    expect(read).toThrow(expect.objectContaining({ code: "invalid_file" }));
    expect(read).not.toThrow("<".repeat(1_000));
  });

  it("leaves an undeclared entity as it is", () => {
    const { failing } = junit.read(suite('<testcase name="&secret;"><failure/></testcase>'), 1).evidence;
    expect(failing).toEqual(["s > &secret;"]);
  });
});
