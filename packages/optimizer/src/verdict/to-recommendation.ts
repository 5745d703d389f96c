/** A verdict that holds, as a record that a person can decide on. A refused one is none: nothing is recommended then. */
import { assert } from "@centspan/base";
import type { RecommendationInput } from "@centspan/model";
import type { Objective } from "../evaluation/score.ts";
import type { ExportedConfig } from "../export-config.ts";
import { KNOBS } from "../settings/knobs.ts";
import type { Effect } from "./bootstrap.ts";
import { describeBreach, type JudgedChange, type Verdict, type WhatIf } from "./judge.ts";
import type { Worth } from "./worth.ts";

export type RecommendationFacts = {
  subject: string;
  objective: Objective;
  worth: Worth;
  exported: readonly ExportedConfig[];
  chosenOn: string;
  judgedOn: string;
  traceIds?: readonly string[];
};

export function toRecommendation(verdict: Verdict, facts: RecommendationFacts): RecommendationInput {
  assert(verdict.state === "holds" && verdict.judged !== null, "only what holds is recommended");
  const { worth, exported, subject, objective, chosenOn, judgedOn, traceIds = [] } = facts;
  return {
    kind: "serving",
    subject,
    title: describeChanges(verdict.changes),
    changes: verdict.changes.map(({ knob, from, to, effect }) => ({
      knob,
      now: from,
      proposed: to,
      effect: effect && toRange(effect),
    })),
    effect: toRange(verdict.judged),
    metric: objective === "used" ? "gpu_seconds_per_token" : "paid_gpu_seconds_per_token",
    savings: { capacityUsdMonth: worth.capacityUsdMonth, cashUsdMonth: worth.cashUsdMonth },
    provenance: "simulated",
    evidence: { chosenOn, judgedOn, traceIds: [...traceIds], verdict: { ...verdict, worth } },
    risks: findRisks(verdict),
    apply: exported.map(({ engine, text, undo, cannot, notes }) => ({
      engine,
      text: [text, ...notes.map((note) => `# ${note}`)].filter((line) => line !== "").join("\n"),
      cannot: [...cannot],
      undo,
    })),
  };
}

const toRange = ({ share, low, high, level }: Effect) => ({ share, low, high, level });

export const describeChanges = (changes: readonly Pick<JudgedChange, "knob" | "from" | "to">[]): string =>
  changes
    .map(({ knob, from, to }) => `${KNOBS[knob].describe}: ${from} → ${to}`)
    .join("; ")
    .slice(0, 200);

const percent = (share: number): string => `${share < 0 ? "−" : "+"}${Math.abs(100 * share).toFixed(1)}%`;

function findRisks({ before, after, whatIf, changes }: Verdict): string[] {
  const risks: string[] = [];
  for (const priority of ["interactive", "batch"] as const)
    for (const metric of ["ttftMs", "tpotMs"] as const) {
      const [now, then] = [before?.waits[priority][metric], after?.waits[priority][metric]];
      if (!now || !then || then.p99 <= 1.02 * now.p99) continue;
      const what = metric === "ttftMs" ? "first token" : "token after it";
      risks.push(
        `p99 of the time to the ${what} of ${priority} requests rises from ${now.p99.toFixed(1)} to ${then.p99.toFixed(1)} ms (${percent(then.p99 / now.p99 - 1)})`,
      );
    }
  for (const one of whatIf) {
    const problem = describeProblem(one);
    if (problem !== null) risks.push(`at ${one.factor} times the traffic: ${problem}`);
  }
  if (changes.some(({ to }) => to === "loop-aware"))
    risks.push("without run ends from the harness most of what loop-aware eviction gains is gone");
  return risks;
}

function describeProblem({ refused, breaches, effect }: WhatIf): string | null {
  if (refused !== null) return `refused: ${refused}`;
  const [breach] = breaches;
  if (breach !== undefined) return describeBreach(breach);
  return effect !== null && effect.share >= 0 ? `nothing is gained (${percent(effect.share)})` : null;
}
