/** When test cases are a pass. Shared by every source that counts cases; the exit code is evidence of its own. */
import type { OutcomeFinding, OutcomeStatus } from "@centspan/model";

export type TestTally = {
  /** What the report calls itself, if it does. Reports of one subject that have different names count each by itself. */
  name?: string;
  passed: number;
  failed: number;
  skipped: number;
  /** Names of failing cases, in the order of the report. */
  failing: readonly string[];
  /** The report's own totals speak of failures that none of its cases shows. */
  claimsMoreFailures: boolean;
};

const MAX_FAILING = 20;
const MAX_NAME = 200;

export function judgeTests(tally: TestTally, exitCode: number | null): OutcomeFinding {
  const { name, passed, failed, skipped, failing } = tally;
  return {
    kind: "tests",
    status: statusOf(tally, exitCode),
    evidence: {
      ...(name && { name: name.slice(0, MAX_NAME) }),
      passed,
      failed,
      skipped,
      ...(exitCode === null ? {} : { exitCode }),
      failing: failing.slice(0, MAX_FAILING).map((name) => name.slice(0, MAX_NAME)),
    },
  };
}

/**
 * One failing case decides. Without one, a non-zero exit means that something failed which the report does not show,
 * and no passing case means that nothing was tested: both are unknown. Where nobody knows the exit code, the report's
 * own totals may veto a pass; they never make one.
 */
function statusOf(tally: TestTally, exitCode: number | null): OutcomeStatus {
  if (tally.failed > 0) return "failed";
  if (tally.passed === 0) return "unknown";
  if (exitCode === null) return tally.claimsMoreFailures ? "unknown" : "passed";
  return exitCode === 0 ? "passed" : "unknown";
}
