/**
 * JUnit XML, a format without a specification: suites nest to any depth, the root may be either kind of suite, and
 * totals in attributes are wrong often enough that only `testcase` elements count. Document types are refused and
 * entities other than the five of XML and characters by number are not expanded.
 */
import type { CentspanError } from "@centspan/base";
import { defineOutcomeSource } from "@centspan/model";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { judgeTests, type TestTally } from "../judge-tests.ts";
import { limitReport, refuseReport } from "../refuse-report.ts";

type Element = Record<string, unknown>;

export default defineOutcomeSource({
  id: "junit",
  describe: "JUnit XML as written by node --test, pytest, Jest, Vitest, Maven, Gradle and others",
  mediaType: "application/xml",
  read(report, exitCode) {
    return judgeTests(tallyCases(parseReport(report)), exitCode);
  },
});

function parseReport(report: string): Element {
  limitReport("JUnit", report);
  if (hasDocumentType(report)) throw invalid("has a document type, which is not accepted");
  const problem = XMLValidator.validate(report);
  if (problem !== true) throw invalid(`line ${problem.err.line}: ${problem.err.msg}`, `line ${problem.err.line}`);
  const root = parseXml(report);
  if (!("testsuites" in root) && !("testsuite" in root))
    throw invalid("has no testsuite at its root, so it is not a JUnit report");
  return root;
}

/** Failure texts in CDATA, and comments, may quote HTML, document type and all. Looks at each character once. */
function hasDocumentType(report: string): boolean {
  for (let at = report.indexOf("<!"); at >= 0; at = report.indexOf("<!", at)) {
    const quoted = QUOTES.find(({ open }) => report.startsWith(open, at));
    if (quoted === undefined && /^<!(DOCTYPE|ENTITY)/i.test(report.slice(at, at + 9))) return true;
    const inside = at + "<!".length;
    at = quoted === undefined ? inside : report.indexOf(quoted.close, inside);
    if (at < 0) return false;
  }
  return false;
}

const QUOTES = [
  { open: "<![CDATA[", close: "]]>" },
  { open: "<!--", close: "-->" },
];

function parseXml(report: string): Element {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: "@",
    parseTagValue: false,
    parseAttributeValue: false,
    processEntities: false,
    ignoreDeclaration: true,
    isArray: (name) => ["testsuites", "testsuite", "testcase"].includes(name),
  });
  try {
    const parsed: unknown = parser.parse(report);
    if (isElement(parsed)) return parsed;
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : "is not XML");
  }
  throw invalid("is not XML");
}

/** Walks suites without recursion, in document order, so that depth is no danger and names come as they ran. */
function tallyCases(root: Element): TestTally {
  const failing: string[] = [];
  const [outermost = {}] = [...elements(root.testsuites), ...elements(root.testsuite)];
  const tally = { name: nameOf(outermost), passed: 0, failed: 0, skipped: 0, failing, claimsMoreFailures: false };
  const open: { suite: Element; path: readonly string[] }[] = [{ suite: root, path: [] }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { suite, path } = next;
    if (["@failures", "@errors"].some((name) => Number(suite[name] ?? 0) > 0)) tally.claimsMoreFailures = true;
    // A suite that could not load reports itself instead of its cases.
    if ("failure" in suite || "error" in suite) recordFailure(tally, path);
    for (const testCase of elements(suite.testcase)) {
      const verdict = verdictOf(testCase);
      if (verdict === "failed") recordFailure(tally, [...path, nameOf(testCase)]);
      else tally[verdict] += 1;
    }
    const inner = [...elements(suite.testsuites), ...elements(suite.testsuite)];
    for (const child of inner.toReversed()) open.push({ suite: child, path: [...path, nameOf(child)] });
  }
  return tally;
}

function recordFailure(tally: { failed: number; failing: string[] }, path: readonly string[]): void {
  tally.failed += 1;
  tally.failing.push(path.filter((name) => name !== "").join(" > "));
}

/**
 * A failing to-do is expected to fail, so it is skipped like any other to-do. Elements such as flakyFailure and
 * rerunFailure describe earlier tries of a case that passed in the end, or that also has its failure.
 */
function verdictOf(testCase: Element): "passed" | "failed" | "skipped" {
  const [skipped] = elements(testCase.skipped);
  if (skipped?.["@type"] === "todo") return "skipped";
  if ("failure" in testCase || "error" in testCase) return "failed";
  const notRun = ["notrun", "disabled", "skipped"].includes(String(testCase["@status"] ?? ""));
  return "skipped" in testCase || notRun ? "skipped" : "passed";
}

const nameOf = (element: Element): string => decodeText(String(element["@name"] ?? ""));

/** Child elements of one name; the parser gives text for those without attributes and children. */
function elements(value: unknown): Element[] {
  const list: unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
  return list.map((item) => (isElement(item) ? item : {}));
}

const isElement = (value: unknown): value is Element =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const PREDEFINED: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

const decodeText = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(lt|gt|amp|quot|apos));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return PREDEFINED[name.toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

const invalid = (what: string, field?: string): CentspanError => refuseReport("JUnit", what, field);
