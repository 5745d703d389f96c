/** What the evidence of a run says, by the same rule as everywhere: for display, and where no Trace API keeps outcomes. */
import { assert } from "@centspan/base";
import type { OutcomeFinding } from "@centspan/model";
import { outcomeSources } from "@centspan/outcomes";
import type { OutcomeRecorder } from "./record-outcome.ts";
import type { TestEvidence } from "./verify-task.ts";

const junit = outcomeSources.find((source) => source.id === "junit");
assert(junit, "there is a source for JUnit reports");

export const readEvidence = (evidence: TestEvidence): OutcomeFinding => junit.read(evidence.report, evidence.exitCode);

/** Keeps nothing; the run is shown with what its evidence says. */
export const localRecorder: OutcomeRecorder = {
  record: async (_subject, evidence) => readEvidence(evidence).status,
};
