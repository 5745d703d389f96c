/** Prefix hit rate of LRU-leaf on Mooncake's published conversation trace, replayed through the serving core's cache. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findKvPolicy } from "@centspan/policies";
import { createKvCache } from "@centspan/serving";
import type { Anchor } from "./anchor.ts";

const EXPECTED: [capacityBlocks: number, rate: number][] = [
  [1_000, 0.0445],
  [5_000, 0.1118],
  [10_000, 0.2116],
  [20_000, 0.2878],
  [30_000, 0.3258],
  [50_000, 0.3546],
  [100_000, 0.3637],
];

export function checkHitRates(folder: string): Anchor[] {
  const lines = readFileSync(join(folder, "serving/mooncake_conversation_trace.jsonl"), "utf8").trimEnd().split("\n");
  const prompts = lines.map((line): number[] => JSON.parse(line).hash_ids);
  return EXPECTED.map(([capacityBlocks, expected]) => ({
    name: `LRU-leaf prefix hit rate, Mooncake conversation, ${capacityBlocks} blocks`,
    source: "cross-checked against libCacheSim; reference/serving.md of the maintainers",
    expected,
    tolerance: 0.0005,
    measured: replay(prompts, capacityBlocks),
  }));
}

function replay(prompts: readonly (readonly number[])[], capacityBlocks: number): number {
  const cache = createKvCache({ capacityBlocks, policy: findKvPolicy("lru-leaf") });
  let hits = 0;
  let total = 0;
  for (const [at, keys] of prompts.entries()) {
    const atNs = at;
    const opened = cache.open({ keys, maxHitBlocks: keys.length, totalBlocks: keys.length, atNs });
    if (!opened) throw new Error(`prompt ${at} does not fit into ${capacityBlocks} blocks`);
    for (const key of keys.slice(opened.hitBlocks)) cache.publish(opened.lease, key, atNs);
    cache.close(opened.lease, atNs);
    hits += opened.hitBlocks;
    total += keys.length;
  }
  return hits / total;
}
