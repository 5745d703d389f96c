/**
 * CTRF, the Common Test Report Format: JSON with one entry a test. Counted are the tests, never the summary. A flaky test is
 * one that passed in the end; pending and other ones did not run to a verdict.
 */
import { defineOutcomeSource } from "@centspan/model";
import { z } from "zod";
import { judgeTests } from "../judge-tests.ts";
import { parseJsonReport } from "../parse-json-report.ts";

const reportSchema = z.looseObject({
  results: z.looseObject({
    summary: z.looseObject({ failed: z.int().nonnegative().optional() }).optional(),
    tests: z.array(
      z.looseObject({
        name: z.string(),
        suite: z.union([z.string(), z.array(z.string())]).optional(),
        status: z.enum(["passed", "failed", "skipped", "pending", "other"]),
      }),
    ),
  }),
});

export default defineOutcomeSource({
  id: "ctrf",
  describe: "CTRF JSON as written by the reporters of ctrf.io for Playwright, Cypress, Jest, pytest, k6 and others",
  mediaType: "application/json",
  read(report, exitCode) {
    const { tests, summary } = parseJsonReport("CTRF", reportSchema, report).results;
    const failing = tests.filter(({ status }) => status === "failed");
    const passed = tests.filter(({ status }) => status === "passed").length;
    return judgeTests(
      {
        passed,
        failed: failing.length,
        skipped: tests.length - passed - failing.length,
        failing: failing.map(({ suite = [], name }) => [suite, name].flat().join(" > ")),
        claimsMoreFailures: (summary?.failed ?? 0) > failing.length,
      },
      exitCode,
    );
  },
});
