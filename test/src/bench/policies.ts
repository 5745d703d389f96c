/**
 * What each eviction policy hits, and how much of the way from LRU to Belady's optimum it goes: on Mooncake's two traces
 * in file order, and on the WEKA agent sessions in a closed loop (sessions shuffled with a seed as Python's random module
 * does it, so many at a time, the end of one starts the next). Hits are leading resident blocks of each request.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { KvPolicyPlugin } from "@centspan/model";
import { BY_BEST_RATE, findKvPolicy, kvPolicies } from "@centspan/policies";
import {
  type AgentSchedule,
  type AgentSession,
  createCrossFittedLoopAware,
  endsAndSupersededFirst,
  groupSessions,
  type Prompt,
  readMooncake,
  readWeka,
  replayAgents,
  replayChains,
  scheduleAgents,
  type WekaRequest,
} from "@centspan/serving";
import { shuffleAsPython } from "../anchors/python-random.ts";
import { defineBench, readNumber, round } from "./bench.ts";

const BLOCKS = [1_000, 5_000, 10_000, 20_000, 30_000];
const WORKING_SET_SHARES = [0.1, 0.25, 0.5, 0.75, 1];
const WIDTH = 26;

export default defineBench({
  name: "policies",
  describe: "hit rates of every KV policy on published traces, and the share of the gap from LRU to Belady it closes",
  flags: {
    data: "folder of the maintainers' data (CENTSPAN_SHARED/data)",
    concurrency: "agent sessions at a time (32)",
    policies: "ids with commas between, to which lru-leaf and belady are added (all)",
    seeds: "shuffles of the sessions, averaged for the policies that know agents; the others run the first (3)",
    requests: "requests of each Mooncake trace (all)",
    sessions: "agent sessions (all)",
  },
  async run(flags, say) {
    const shared = process.env.CENTSPAN_SHARED;
    const folder = flags.data ?? (shared === undefined ? undefined : join(shared, "data"));
    if (folder === undefined) throw new Error("name the folder of the maintainers' data with --data DIR");
    const data = join(folder, "serving");
    const requests = readNumber("requests", flags.requests, 1e9);
    const conversation = await readPrompts(join(data, "mooncake_conversation_trace.jsonl"), requests);
    const synthetic = await readPrompts(join(data, "mooncake_synthetic_trace.jsonl"), requests);
    const sessions = await readSessions(join(data, "weka/weka_cc_traces_rle.jsonl.gz"));
    const chosen = sessions.slice(0, readNumber("sessions", flags.sessions, 1e9));
    const concurrency = readNumber("concurrency", flags.concurrency, 32);

    const wanted = flags.policies === undefined ? null : [...flags.policies.split(","), "lru-leaf", "belady"];
    const isWanted: IsWanted = ({ id }) => wanted === null || wanted.includes(id);

    const onConversation = studyPrompts("conversation", conversation, { isWanted, say });
    const onSynthetic = studyPrompts("synthetic", synthetic, { isWanted, say });
    const seeds = readNumber("seeds", flags.seeds, 3);
    const onAgents = studyAgents(chosen, { concurrency, seeds }, { isWanted, say });
    return {
      gapClosed: {
        [`weka${concurrency}`]: onAgents.gaps["loop-aware-cross-fitted"],
        conversation: onConversation.gaps["loop-aware"],
      },
      gapClosedEndsUnknown: { [`weka${concurrency}`]: onAgents.gaps[ENDS_UNKNOWN] },
      gapClosedLearningOnTheWay: { [`weka${concurrency}`]: onAgents.gaps["loop-aware"] },
      gapClosedSynthetic: onSynthetic.gaps["loop-aware"],
      workingSetBlocks: onAgents.workingSetBlocks,
    };
  },
});

type IsWanted = (policy: KvPolicyPlugin) => boolean;
type Way = { isWanted: IsWanted; say: (text: string) => void };
/** A policy's hit rates, one per capacity. */
type Rates = Map<string, number[]>;
type Study = { gaps: Record<string, Record<string, number | null>> };

async function readPrompts(path: string, most: number): Promise<Prompt[]> {
  const prompts: Prompt[] = [];
  for await (const { blockKeys, arrivalNs } of readMooncake([readFileSync(path)])) {
    if (prompts.length < most) prompts.push({ keys: blockKeys, atNs: arrivalNs });
  }
  return prompts;
}

async function readSessions(path: string): Promise<AgentSession[]> {
  const requests: WekaRequest[] = [];
  for await (const request of readWeka([readFileSync(path)])) requests.push(request);
  return groupSessions(requests);
}

function studyPrompts(name: string, prompts: readonly Prompt[], { isWanted, say }: Way): Study {
  const rates: Rates = new Map();
  for (const policy of kvPolicies.filter(isWanted)) {
    say(`${name}: ${policy.id}`);
    const how = howToReplay(policy);
    const one = BLOCKS.map((capacityBlocks) => {
      const { hits, accesses } = replayChains(prompts, { capacityBlocks, policy, ...how });
      return hits / accesses;
    });
    rates.set(policy.id, one);
  }
  return report(`Mooncake ${name}, ${prompts.length} requests, blocks`, BLOCKS.map(String), rates);
}

function studyAgents(
  sessions: readonly AgentSession[],
  { concurrency, seeds }: { concurrency: number; seeds: number },
  { isWanted, say }: Way,
): Study & { workingSetBlocks: number[] } {
  const sums: Rates = new Map();
  const workingSetBlocks: number[] = [];
  for (let seed = 1; seed <= seeds; seed += 1) {
    const schedule = scheduleAgents(shuffleAsPython(sessions, seed), concurrency);
    workingSetBlocks.push(round(schedule.workingSetBlocks, 1));
    for (const policy of choosePolicies(schedule, seed).filter(isWanted)) {
      say(`weka, seed ${seed}: ${policy.id}`);
      const before = sums.get(policy.id);
      const rates = replayShares(schedule, policy);
      sums.set(policy.id, before ? rates.map((rate, at) => rate + (before[at] ?? 0)) : rates);
    }
  }
  // Policies of which only the first seed was run stand for themselves.
  const counts = new Map([...sums.keys()].map((id) => [id, isAveraged(id) ? seeds : 1]));
  const rates: Rates = new Map([...sums].map(([id, all]) => [id, all.map((sum) => sum / (counts.get(id) ?? 1))]));
  const title = `WEKA agents, ${sessions.length} sessions, ${concurrency} at a time, percent of the live working set`;
  const shares = WORKING_SET_SHARES.map((share) => String(round(100 * share)));
  return { ...report(title, shares, rates), workingSetBlocks };
}

/** The same policy where nobody tells it that a thread has ended: what the signal is worth. */
const ENDS_UNKNOWN = "loop-aware-ends-unknown";

const hideEnds = (schedule: AgentSchedule): AgentSchedule => ({
  ...schedule,
  events: schedule.events.map((event) => (event.kind === "requested" ? event : { ...event, isLast: false })),
});

const AVERAGED = [
  "lru-leaf",
  "belady",
  "loop-aware",
  "loop-aware-cross-fitted",
  "loop-aware-by-best-rate",
  ENDS_UNKNOWN,
  endsAndSupersededFirst.id,
];
const isAveraged = (id: string): boolean => AVERAGED.includes(id);

function choosePolicies(schedule: AgentSchedule, seed: number): KvPolicyPlugin[] {
  const crossFitted = [createCrossFittedLoopAware(schedule), createCrossFittedLoopAware(schedule, BY_BEST_RATE)];
  const untold = { ...createCrossFittedLoopAware(schedule), id: ENDS_UNKNOWN };
  const all = [...kvPolicies, endsAndSupersededFirst, ...crossFitted, untold];
  return seed === 1 ? all : all.filter(({ id }) => isAveraged(id));
}

/** Policies that predict may bypass; the others keep a request's own chain, as engines do. */
function howToReplay({ id }: KvPolicyPlugin): { foresight: boolean; mayBypass: boolean } {
  const foresight = id === "belady";
  return { foresight, mayBypass: foresight || id.startsWith("loop-aware") };
}

function replayShares(whole: AgentSchedule, policy: KvPolicyPlugin): number[] {
  const schedule = policy.id === ENDS_UNKNOWN ? hideEnds(whole) : whole;
  return WORKING_SET_SHARES.map((share) => {
    const capacityBlocks = Math.max(1, Math.round(share * schedule.workingSetBlocks));
    const { hits, accesses } = replayAgents(schedule, { capacityBlocks, policy, ...howToReplay(policy) });
    return hits / accesses;
  });
}

function report(title: string, columns: string[], rates: Rates): Study {
  const low = rates.get(findKvPolicy("lru-leaf").id) ?? [];
  const high = rates.get(findKvPolicy("belady").id) ?? [];
  const cells = (texts: string[]): string => texts.map((text) => text.padStart(8)).join("");
  console.log(`\n${title}: hit rate${" ".repeat(24)}% of the gap from lru-leaf to belady closed`);
  console.log(`${"".padEnd(WIDTH)}${cells(columns)}  |${cells(columns)}`);
  const gaps: Study["gaps"] = {};
  for (const [id, all] of rates) {
    const closed = all.map((rate, at) => closedShare(rate, low[at] ?? 0, high[at] ?? 0));
    gaps[id] = Object.fromEntries(columns.map((column, at) => [column, closed[at] ?? null]));
    const shown = closed.map((share) => (share === null ? "-" : share.toFixed(1)));
    console.log(`${id.padEnd(WIDTH)}${cells(all.map((rate) => rate.toFixed(4)))}  |${cells(shown)}`);
  }
  return { gaps };
}

/** In percent; null where LRU is as good as the optimum. */
function closedShare(rate: number, low: number, high: number): number | null {
  return high - low < 1e-6 ? null : round((100 * (rate - low)) / (high - low), 1);
}
