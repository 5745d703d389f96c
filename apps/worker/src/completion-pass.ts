/**
 * Runs that count as completed by the rules of their workspace. What a rule decides of a run is an outcome. It is decided again
 * whenever more spans of the run have come: where it comes to the same, nothing is said; where not, that is another outcome, of
 * when it was found out, so that it is the later word.
 */
import { deriveId } from "@centspan/base";
import type {
  CompletionRule,
  FinishedRun,
  FinishedRunStore,
  JobStore,
  Ledger,
  Outcome,
  OutcomeSettings,
} from "@centspan/model";
import { judgeCompletion } from "@centspan/outcomes";

const COMPLETION_JOB = "completion-rules";
/** Summaries are revised by several clocks. */
const OVERLAP_NS = 60_000_000_000n;

type CompletionStores = {
  store: FinishedRunStore & Pick<Ledger, "insertOutcomes" | "listOutcomes">;
  settings: Pick<OutcomeSettings, "listAllCompletionRules">;
  jobs: JobStore;
};

export async function runCompletionPass({ store, settings, jobs }: CompletionStores): Promise<void> {
  const rules = await settings.listAllCompletionRules();
  for (const workspace of new Set(rules.map((one) => one.workspace))) {
    const ofWorkspace = rules.filter((one) => one.workspace === workspace);
    const job = `${COMPLETION_JOB} ${workspace}`;
    const doneNs = (await jobs.readJob(job))?.watermarkNs ?? 0n;
    // A rule that is new is for runs that there are, too.
    const hasNew = ofWorkspace.some(({ createdAtNs }) => createdAtNs > doneNs - OVERLAP_NS);
    const { runs, asOfNs } = await store.listFinishedRuns(workspace, hasNew ? 0n : doneNs);
    for (const { rule } of ofWorkspace) {
      const outcomes = await decide(store, workspace, rule, runs);
      if (outcomes.length > 0) await store.insertOutcomes(workspace, outcomes);
    }
    await jobs.writeJob(job, asOfNs - OVERLAP_NS);
  }
}

/** What differs from what the rule said last of the run. */
async function decide(
  store: CompletionStores["store"],
  workspace: string,
  rule: CompletionRule,
  runs: readonly FinishedRun[],
): Promise<Outcome[]> {
  const source = `rule ${rule.name}`;
  const judged = runs.flatMap((run) => {
    const finding = judgeCompletion(rule, run);
    return finding === null ? [] : [{ run, finding }];
  });
  const said = await store.listOutcomes(workspace, { source, traceIds: judged.map(({ run }) => run.traceId) });
  return judged.flatMap(({ run: { task, traceId, endedAtNs, summedUpAtNs }, finding }): Outcome[] => {
    // The newest comes first.
    const before = said.find(({ subject }) => subject.traceId === traceId);
    if (before?.status === finding.status) return [];
    const atNs = before === undefined ? endedAtNs : laterOf(summedUpAtNs, before.atNs + 1n);
    const after = before === undefined ? [] : [before.outcomeId];
    return [
      {
        ...finding,
        outcomeId: deriveId("outcome", workspace, "rule", rule.name, traceId, finding.status, ...after),
        subject: task === "" ? { traceId } : { task, traceId },
        weight: 1,
        source,
        atNs,
      },
    ];
  });
}

const laterOf = (a: bigint, b: bigint): bigint => (a > b ? a : b);
