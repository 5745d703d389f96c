/**
 * Hit rates on Mooncake's published traces, replayed through the serving core's cache tier: every row of two tables that
 * others computed (a script of the maintainers, and libCacheSim), and Figure 9 of the Mooncake paper (FAST'25).
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findKvPolicy } from "@centspan/policies";
import { type Prompt, type ReplayResult, readMooncake, replayAccesses, replayChains } from "@centspan/serving";
import type { Anchor } from "./anchor.ts";

const TABLE_TOLERANCE = 1e-4;
/** The figure is stated to be met within .003; its points were read off a plot, to about 1e-4. */
const FIGURE_TOLERANCE = 0.0031;
const FIGURE_BLOCK_TOKENS = 512;

/** Names in the tables → our ids. What a table has beyond these, or defines in another way, is left out. */
const SCRIPT_POLICIES: Record<string, string> = {
  LRU: "lru",
  "LRU-leaf": "lru-leaf",
  FIFO: "fifo",
  LFU: "lfu",
  SIEVE: "sieve",
  S3FIFO: "s3-fifo",
  ARC: "arc",
  BELADY: "belady",
};
const LIBCACHESIM_POLICIES: Record<string, string> = { "S4LRU(25:25:25:25)": "slru", GDSF: "gdsf" };

export async function checkHitRates(folder: string): Promise<Anchor[]> {
  const data = join(folder, "serving");
  const traces: Record<string, Trace> = {
    conversation: await readTrace(join(data, "mooncake_conversation_trace.jsonl")),
    synthetic: await readTrace(join(data, "mooncake_synthetic_trace.jsonl")),
  };
  return [
    ...checkTable(traces, readCsv(join(data, "reference/hit_rates_python.csv")), {
      column: "any",
      policies: SCRIPT_POLICIES,
      source: "the maintainers' script, cross-checked against libCacheSim",
    }),
    ...checkTable(traces, readCsv(join(data, "reference/hit_rates_libcachesim.csv")), {
      column: "hit_rate",
      policies: LIBCACHESIM_POLICIES,
      source: "libCacheSim, unit-size objects, default parameters",
    }),
    ...checkFigure(traces, readCsv(join(data, "reference/mooncake_fast25_fig9_digitized.csv"))),
  ];
}

type Trace = { prompts: Prompt[]; fullBlocks: number };
type Row = Record<string, string>;

async function readTrace(path: string): Promise<Trace> {
  const trace: Trace = { prompts: [], fullBlocks: 0 };
  for await (const request of readMooncake([readFileSync(path)])) {
    trace.prompts.push({ keys: request.blockKeys, atNs: request.arrivalNs });
    trace.fullBlocks += Math.floor(request.promptTokens / FIGURE_BLOCK_TOKENS);
  }
  return trace;
}

function readCsv(path: string): Row[] {
  const [head = "", ...lines] = readFileSync(path, "utf8").trimEnd().split(/\r?\n/);
  const names = head.split(",");
  return lines.map((line) => {
    const cells = line.split(",");
    return Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ""]));
  });
}

/** `column` has the rate of all accesses; for policies that hold chains, "prefix" has that of leading blocks. */
type Table = { column: string; policies: Record<string, string>; source: string };

function checkTable(traces: Record<string, Trace>, rows: Row[], { column, policies, source }: Table): Anchor[] {
  return rows.flatMap((row) => {
    const { trace = "", policy = "", capacity_blocks } = row;
    const id = policies[policy];
    const name = trace.replace(/^mooncake_(.*)_trace\.jsonl$/, "$1");
    const prompts = traces[name]?.prompts;
    if (id === undefined || !prompts) return [];
    const capacityBlocks = Number(capacity_blocks);
    const replay = id === "lru-leaf" ? replayChains : replayAccesses;
    const result = replay(prompts, { capacityBlocks, policy: findKvPolicy(id), foresight: id === "belady" });
    return {
      name: `${id} hit rate, Mooncake ${name}, ${capacityBlocks} blocks`,
      source,
      expected: Number(row[id === "lru-leaf" ? "prefix" : column]),
      tolerance: TABLE_TOLERANCE,
      measured: rate(result),
    };
  });
}

/** The paper counts full blocks only. Its conversation curve was made with finer blocks than were published. */
function checkFigure(traces: Record<string, Trace>, rows: Row[]): Anchor[] {
  const { prompts, fullBlocks } = traces.synthetic ?? { prompts: [], fullBlocks: 0 };
  return rows.flatMap(({ capacity_tokens, synthetic }) => {
    const capacityBlocks = Math.floor(Number(capacity_tokens) / FIGURE_BLOCK_TOKENS);
    if (!synthetic || Number(capacity_tokens) < 1_000_000) return [];
    const { hits } = replayChains(prompts, { capacityBlocks, policy: findKvPolicy("lru-leaf") });
    return {
      name: `lru-leaf hit rate, Mooncake synthetic, ${capacity_tokens} tokens (Figure 9)`,
      source: "Qin et al., Mooncake, FAST'25, Figure 9, digitised",
      expected: Number(synthetic),
      tolerance: FIGURE_TOLERANCE,
      measured: hits / fullBlocks,
    };
  });
}

const rate = ({ hits, accesses }: ReplayResult): number => hits / accesses;
