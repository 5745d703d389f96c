/**
 * The Test Anything Protocol, versions 12 to 14. Counted are the points that no subtest stands behind: a point that closes
 * a subtest only repeats it. A missing or broken plan and a bail-out are failures, a failing to-do is none.
 */
import { defineOutcomeSource } from "@centspan/model";
import { Parser, type Result } from "tap-parser";
import { judgeTests, type TestTally } from "../judge-tests.ts";
import { limitReport, refuseReport } from "../refuse-report.ts";

export default defineOutcomeSource({
  id: "tap",
  describe: "TAP 12 to 14 as written by node --test, tap, bats, prove and others",
  mediaType: "text/plain",
  read(report, exitCode) {
    limitReport("TAP", report);
    // The parser takes any text, and finds no tests in it.
    if (!/^(TAP version \d|(not )?ok\b|\d+\.\.\d|Bail out\b)/m.test(report)) {
      throw refuseReport("TAP", "has neither test points nor a plan");
    }
    const failing: string[] = [];
    const tally = { passed: 0, failed: 0, skipped: 0, failing, claimsMoreFailures: false };
    const parser = new Parser();
    tallyPoints(parser, tally);
    parser.end(report);
    return judgeTests(tally, exitCode);
  },
});

type Tally = { -readonly [Name in keyof TestTally]: TestTally[Name] } & { failing: string[] };

function tallyPoints(parser: Parser, tally: Tally): void {
  let failedBefore = tally.failed;
  const fail = (name: string): void => {
    tally.failed += 1;
    tally.failing.push(name);
  };
  parser.on("child", (child: Parser) => {
    failedBefore = tally.failed;
    tallyPoints(child, tally);
  });
  parser.on("assert", (point: Result) => {
    if (point.todo !== false || point.skip !== false) tally.skipped += 1;
    else if (point.closingTestPoint) {
      // A subtest that failed without a failing point of its own.
      if (!point.ok && tally.failed === failedBefore) fail(point.fullname);
    } else if (point.ok) tally.passed += 1;
    else fail(point.fullname);
  });
  parser.on("complete", ({ bailout, failures }) => {
    if (bailout !== false && parser.level === 0) fail(`Bail out! ${bailout === true ? "" : bailout}`.trim());
    for (const { tapError } of failures) if (tapError) fail([parser.fullname, tapError].filter(Boolean).join(" > "));
  });
}
