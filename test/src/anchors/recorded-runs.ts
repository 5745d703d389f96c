/** Cost per resolved task of 500 recorded SWE-bench runs, through the import's reader, the rate card and the statistics. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { costPerOutcome, sliceTask } from "@centspan/attribution";
import { parseDecimal, ZERO } from "@centspan/base";
import { readSwebenchStats } from "@centspan/histories";
import { EMPTY_TASK_SPEND } from "@centspan/model";
import { listPrices, rateCall } from "@centspan/pricing";
import type { Anchor } from "./anchor.ts";

const SOURCE = "mini-swe-agent with Gemini 3 Pro Preview on SWE-bench Verified, 371 of 500 resolved";

export function checkRecordedRuns(folder: string): Anchor[] {
  const text = readFileSync(join(folder, "trajectories/mini-swe-agent-gemini-3-pro/stats_all_500.json"), "utf8");
  const atNs = BigInt(Date.UTC(2025, 10, 18)) * 1_000_000n;
  const run = { name: "stats_all_500.json", atNs, provider: "google", model: "gemini-3-pro-preview", agent: "a" };
  const { calls, outcomes } = readSwebenchStats(text, run);
  const statusOf = new Map(outcomes.map((outcome) => [outcome.subject.task, outcome.status]));
  const tasks = calls.map((call) => ({
    ...EMPTY_TASK_SPEND,
    task: call.task,
    costUsd: rateCall(call, listPrices, "anchor").costUsd ?? ZERO,
    calls: call.requests,
    firstCallAtNs: call.atNs,
    status: statusOf.get(call.task) ?? null,
  }));
  const { total } = costPerOutcome(tasks.map(sliceTask), { level: 0.95, seed: 1, resamples: 2000 });
  const exactly = (name: string, expected: string, measured: { toFixed(): string } | null): Anchor => ({
    name,
    source: SOURCE,
    expected: Number(expected),
    tolerance: 0,
    measured:
      measured !== null && parseDecimal(measured.toFixed()).eq(parseDecimal(expected)) ? Number(expected) : Number.NaN,
  });
  const about = (name: string, expected: number, measured: { toFixed(): string } | null | undefined): Anchor => ({
    name,
    source: SOURCE,
    expected,
    tolerance: 0.005,
    measured: Number(measured?.toFixed()),
  });
  return [
    exactly("spend, USD", "230.4593276", total.spendUsd),
    exactly("cost per resolved task, USD", "0.6211841714", total.costPerPassUsd),
    about("lower end of its 95% interval, USD", 0.567, total.interval?.lowUsd),
    about("upper end of its 95% interval, USD", 0.68, total.interval?.highUsd),
  ];
}
