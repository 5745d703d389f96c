/**
 * The maintainers' study of agent traffic, made again from its rules: WEKA sessions shuffled with seed 1, 32 at a time in a
 * closed loop. How many requests arrive, how large the live working set is, and what LRU, Belady, the run-end rule and
 * loop-aware eviction hit at shares of it.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { KvPolicyPlugin } from "@centspan/model";
import { BY_BEST_RATE, findKvPolicy } from "@centspan/policies";
import {
  type AgentReplayOptions,
  createCrossFittedLoopAware,
  endsAndSupersededFirst,
  groupSessions,
  readWeka,
  replayAgents,
  scheduleAgents,
  type WekaRequest,
} from "@centspan/serving";
import type { Anchor } from "./anchor.ts";
import { shuffleAsPython } from "./python-random.ts";

const SOURCE = "the maintainers' study of November 2026, WEKA, seed 1, 32 sessions at a time";
const SEED = 1;
const SESSIONS_AT_A_TIME = 32;

/**
 * Share of the working set, what the policy hits there, and how far off is still the same. Shares are left out where the
 * run would only take time; `npm run bench -- policies` prints them all.
 */
type Row = { policy: KvPolicyPlugin; options: Partial<AgentReplayOptions>; expected: [number, number, number][] };

export async function checkAgentStudy(folder: string): Promise<Anchor[]> {
  const requests: WekaRequest[] = [];
  const file = readFileSync(join(folder, "serving/weka/weka_cc_traces_rle.jsonl.gz"));
  for await (const request of readWeka([file])) requests.push(request);
  const schedule = scheduleAgents(shuffleAsPython(groupSessions(requests), SEED), SESSIONS_AT_A_TIME);
  const { workingSetBlocks } = schedule;

  const rows: Row[] = [
    {
      policy: findKvPolicy("lru-leaf"),
      options: {},
      expected: [[0.1, 0.4121, 0.0005]],
    },
    {
      policy: findKvPolicy("belady"),
      options: { mayBypass: true, foresight: true },
      expected: [[0.5, 0.9543, 0.0005]],
    },
    {
      policy: endsAndSupersededFirst,
      options: {},
      expected: [[0.5, 0.9444, 0.001]],
    },
    {
      policy: createCrossFittedLoopAware(schedule, BY_BEST_RATE),
      options: { mayBypass: true },
      expected: [
        [0.1, 0.5415, 0.003],
        [0.5, 0.9455, 0.003],
        [1, 0.9628, 0.0005],
      ],
    },
  ];
  const check = ({ policy, options, expected }: Row): Anchor[] =>
    expected.map(([share, rate, tolerance]) => {
      const capacityBlocks = Math.round(share * workingSetBlocks);
      const { hits, accesses } = replayAgents(schedule, { capacityBlocks, policy, mayBypass: false, ...options });
      const name = `${policy.id} hit rate, WEKA agents, ${100 * share}% of the working set`;
      return { name, source: SOURCE, expected: rate, tolerance, measured: hits / accesses };
    });
  return [
    { name: "requests, WEKA agents", source: SOURCE, expected: 46_927, tolerance: 0, measured: schedule.requests },
    {
      name: "live working set in blocks, WEKA agents",
      source: SOURCE,
      expected: 18_118,
      tolerance: 18,
      measured: workingSetBlocks,
    },
    ...rows.flatMap(check),
  ];
}
