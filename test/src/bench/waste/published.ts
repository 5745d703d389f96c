/**
 * The published case: 15,000 stable and 2,000 fresh tokens in each of fifty requests that have nothing else in common. Sound, all
 * but the first find the stable part in the cache (98%); broken by a clock, by the order of members or of tools, none does.
 */
import { createRandom, type Decimal, formatDecimal, parseDecimal, type Random } from "@centspan/base";
import { round } from "../bench.ts";
import { type Item, playRun, type Run, type Tool, type Turn } from "./agent.ts";
import { turnKeys, writeClock } from "./cost-plants.ts";
import { MODELS, type WasteStack } from "./waste-stack.ts";
import { makeTool, nonce, shuffle, write } from "./words.ts";

export const REQUESTS = 50;
const SYSTEM_WORDS = 600;
const TOOL_WORDS = 355;
const FRESH_WORDS = 520;
/** So many that no order of them comes twice. */
const TOOLS = Array.from({ length: 12 }, (_, n) => `tool_${n}`);

const BREAKS: Record<string, (turn: Turn, n: number, random: Random) => Partial<Turn>> = {
  sound: () => ({}),
  clock: ({ instructions }, n) => ({ instructions: writeClock(instructions, n) }),
  key_order: ({ tools }, _n, random) => ({ tools: tools.map((tool) => turnKeys(tool, random)) }),
  tool_order: ({ tools }, _n, random) => ({ tools: shuffle(random, tools) }),
};

/** Names of the runs, by how they are broken. */
export type PublishedRuns = Record<string, string>;

export async function playPublished(stack: WasteStack, seed: number): Promise<PublishedRuns> {
  const runs: PublishedRuns = {};
  for (const [name, change] of Object.entries(BREAKS)) {
    const random = createRandom(seed);
    const own = createRandom(seed + name.length);
    const runId = `published-${name}-${seed}`;
    const tools = TOOLS.map((tool): Tool => makeTool(random, tool, TOOL_WORDS));
    const instructions = `Run ${nonce(own)}. ${write(random, SYSTEM_WORDS)}`;
    for (let n = 0; n < REQUESTS; n++) {
      const turn: Turn = { model: MODELS.plain, instructions, tools, news: writeFresh(random) };
      const run: Run = { runId, task: runId, key: stack.key, session: `${runId}-${n}` };
      await playRun(stack.gatewayUrl, run, [{ ...turn, ...change(turn, n, own) }]);
    }
    runs[name] = runId;
  }
  return runs;
}

/** A question of its own, with a call of each tool. */
const writeFresh = (random: Random): Item[] => [
  { type: "message", role: "user", content: write(random, FRESH_WORDS) },
  ...shuffle(random, TOOLS).flatMap((name, n): Item[] => [
    { type: "function_call", call_id: `call_${n}`, name, arguments: JSON.stringify({ path: nonce(random) }) },
    { type: "function_call_output", call_id: `call_${n}`, output: nonce(random) },
  ]),
];

type Named = {
  run_id: string;
  cause: string;
  change: string;
  path: string;
  since: string;
  cost: string;
  items: string;
};

/** What was said of each, and how far its worth is from what the two runs differ by. */
export async function judgePublished(stack: WasteStack, runs: PublishedRuns) {
  const spend = await stack.query<{ run_id: string; cost: string; hits: string; prompt: string }>(
    `SELECT run_id, toString(sum(cost_usd)) AS cost, countIf(cache_read > 0) AS hits,
       max(input + cache_read) AS prompt
     FROM calls FINAL WHERE run_id LIKE 'published-%' GROUP BY run_id`,
  );
  const named = await stack.query<Named>(
    `SELECT run_id, cause, JSONExtractString(evidence, 'change') AS change, min(JSONExtractString(evidence, 'path')) AS path,
       min(JSONExtractString(evidence, 'sinceAt')) AS since, toString(sum(cost_usd)) AS cost, count() AS items
     FROM waste_items FINAL WHERE run_id LIKE 'published-%' GROUP BY run_id, cause, change`,
  );
  const spendOf = (name: string) => spend.find(({ run_id }) => run_id === runs[name]);
  const costOf = (name: string): Decimal => parseDecimal(spendOf(name)?.cost ?? "0");
  const found = Object.keys(BREAKS)
    .filter((name) => name !== "sound")
    .map((name) => {
      const own = named.filter(({ run_id }) => run_id === runs[name]);
      const [said] = own;
      const truth = Number(formatDecimal(costOf(name).minus(costOf("sound"))));
      const errorPct = round((Math.abs(Number(said?.cost ?? 0) - truth) / truth) * 100);
      const { cause = "", change = "", path = "", items = "0" } = own.length === 1 ? (said ?? {}) : {};
      return [name, { cause, change, path, calls: Number(items), worthUsd: said?.cost ?? "0", errorPct }] as const;
    });
  return {
    promptTokens: Number(spendOf("sound")?.prompt ?? 0),
    hitShare: round(Number(spendOf("sound")?.hits ?? 0) / REQUESTS, 4),
    falseAlarms: named.filter(({ run_id }) => run_id === runs.sound).length,
    found: Object.fromEntries(found),
  };
}
