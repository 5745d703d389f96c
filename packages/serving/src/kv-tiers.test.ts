import { findKvPolicy, kvPolicies } from "@centspan/policies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createKvCache, type KvCache, type KvCacheOptions, type KvOpened } from "./index.ts";
import { createKeyIndex } from "./key-index.ts";
import type { LowerTierConfig } from "./lower-tiers.ts";

const policy = findKvPolicy("lru-leaf");
const host = (capacityBlocks: number): LowerTierConfig => ({
  name: "host",
  capacityBlocks,
  policy,
  readLatencyNs: 1_000,
  readBlockNs: 10,
});

/** A prompt is a path in a small tree: its key at depth d names the path up to d, as a chained hash does. */
const prompt = fc
  .array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 5 })
  .map((path) => path.map((_, depth) => path.slice(0, depth + 1).reduce((key, step) => key * 3 + step + 1, 0)));
const prompts = fc.array(prompt, { maxLength: 80, size: "max" });

/** One request from start to end; null when there was no room. */
function serve(cache: KvCache, keys: readonly number[], atNs: number, retentionNs?: number): KvOpened {
  const hint = retentionNs === undefined ? {} : { retentionNs };
  const opened = cache.open({ keys, maxHitBlocks: keys.length, totalBlocks: keys.length, atNs, ...hint });
  if (!opened) throw new Error("the prompt does not fit");
  for (const key of keys.slice(opened.hitBlocks)) cache.publish(opened.lease, key, atNs);
  cache.close(opened.lease, atNs);
  return opened;
}

const hitsOf = (all: readonly number[][], options: Omit<KvCacheOptions, "policy">): number[] => {
  const cache = createKvCache({ policy, ...options });
  return all.map((keys, atNs) => serve(cache, keys, atNs).hitBlocks);
};

describe("lower tiers", () => {
  it("exclusive: device, host and disk together hit as one device of their size would", () => {
    let below = 0;
    fc.assert(
      fc.property(prompts, fc.integer({ min: 5, max: 9 }), fc.integer({ min: 1, max: 6 }), (all, device, size) => {
        const lowerTiers = [host(size), { ...host(size + 1), name: "disk" }];
        const cache = createKvCache({ policy, capacityBlocks: device, lowerTiers });
        const hits = all.map((keys, atNs) => {
          const { hitBlocks, reads } = serve(cache, keys, atNs);
          below += reads.reduce((sum, { blocks }) => sum + blocks, 0);
          return hitBlocks;
        });
        expect(hits).toEqual(hitsOf(all, { capacityBlocks: device + 2 * size + 1 }));
        const { free, exclusive, pinned, idle } = cache.counts();
        expect([free + idle, exclusive, pinned]).toEqual([device, 0, 0]);
      }),
    );
    expect(below).toBeGreaterThan(500);
  });

  it("write-through: a host with room for all makes every block that was ever computed a hit", () => {
    fc.assert(
      fc.property(prompts, fc.integer({ min: 5, max: 9 }), (all, capacityBlocks) => {
        const options = { capacityBlocks, lowerTiers: [host(400)], tierMode: "write-through" } as const;
        expect(hitsOf(all, options)).toEqual(hitsOf(all, { capacityBlocks: 400 }));
      }),
    );
  });

  it("write-through writes each block once and reads without losing it; exclusive moves it", () => {
    const play = (tierMode: "write-through" | "exclusive") => {
      const cache = createKvCache({ policy, capacityBlocks: 2, lowerTiers: [host(4)], tierMode });
      serve(cache, [1, 2], 0);
      serve(cache, [3, 4], 1);
      const { hitBlocks, reads, transferNs } = serve(cache, [1, 2], 2);
      expect({ hitBlocks, reads, transferNs }).toEqual({
        hitBlocks: 2,
        reads: [{ tier: "host", blocks: 2 }],
        transferNs: 1_020,
      });
      return cache.tierCounts();
    };
    expect(play("write-through")).toEqual([{ name: "host", capacity: 4, blocks: 4, readBlocks: 2, writtenBlocks: 4 }]);
    expect(play("exclusive")).toEqual([{ name: "host", capacity: 4, blocks: 2, readBlocks: 2, writtenBlocks: 4 }]);
  });

  it("reads what it asked for even when making room fills the host", () => {
    const cache = createKvCache({ policy, capacityBlocks: 2, lowerTiers: [host(2)] });
    serve(cache, [1, 2], 0);
    serve(cache, [3, 4], 1);
    expect(serve(cache, [1, 2], 2).hitBlocks).toBe(2);
    expect(serve(cache, [3, 4], 3).hitBlocks).toBe(2);
  });
});

describe("another policy at run time", () => {
  const swaps = fc.array(fc.tuple(prompt, fc.option(fc.constantFrom(...kvPolicies), { freq: 3 })), {
    maxLength: 60,
    size: "max",
  });

  it("loses nothing that is resident, and evicts what may go only", () => {
    let swapped = 0;
    fc.assert(
      fc.property(swaps, fc.integer({ min: 5, max: 9 }), (steps, capacityBlocks) => {
        const cache = createKvCache({ policy, capacityBlocks });
        const held = cache.open({ keys: [1, 4], maxHitBlocks: 0, totalBlocks: 2, atNs: 0 });
        if (!held) throw new Error("two blocks do not fit");
        for (const key of [1, 4]) cache.publish(held.lease, key, 0);
        for (const [at, [keys, plugin]] of steps.entries()) {
          const resident = steps.map(([seen]) => cache.countHits(seen));
          const counts = cache.counts();
          if (plugin) cache.setPolicy(plugin);
          swapped += plugin ? 1 : 0;
          expect(steps.map(([seen]) => cache.countHits(seen))).toEqual(resident);
          expect(cache.counts()).toEqual(counts);
          if (keys.length <= capacityBlocks - 2) serve(cache, keys, at);
          expect(cache.countHits([1, 4])).toBe(2);
        }
      }),
      { numRuns: 50 },
    );
    expect(swapped).toBeGreaterThan(200);
  });

  it("keeps recency: LRU-leaf put in the place of LRU-leaf changes nothing", () => {
    fc.assert(
      fc.property(prompts, fc.nat(80), (all, swapAt) => {
        const cache = createKvCache({ policy, capacityBlocks: 7 });
        const hits = all.map((keys, at) => {
          if (at === swapAt) cache.setPolicy(policy);
          return serve(cache, keys, at).hitBlocks;
        });
        expect(hits).toEqual(hitsOf(all, { capacityBlocks: 7 }));
      }),
    );
  });
});

describe("retention", () => {
  it("ends for the cache's blocks, and later for those of a request that asked for longer", () => {
    const cache = createKvCache({ policy, capacityBlocks: 8, retentionNs: 100 });
    serve(cache, [1, 2], 0);
    serve(cache, [3, 4], 0, 1_000);
    expect(serve(cache, [1, 2], 99).hitBlocks).toBe(2);
    expect(serve(cache, [1, 2], 198).hitBlocks).toBe(2);
    expect(serve(cache, [1, 2], 298)).toMatchObject({ hitBlocks: 0, expiredBlocks: 2 });
    expect(serve(cache, [1, 5], 299)).toMatchObject({ hitBlocks: 1, expiredBlocks: 0 });
    expect(serve(cache, [3, 4], 999).hitBlocks).toBe(2);
    const { free, idle } = cache.counts();
    expect(free + idle).toBe(8);
  });

  it("goes down with a block, and a lower tier keeps it too", () => {
    const cache = createKvCache({ policy, capacityBlocks: 2, lowerTiers: [host(4)], retentionNs: 100 });
    serve(cache, [1, 2], 0);
    serve(cache, [3, 4], 50);
    expect(serve(cache, [1, 2], 90).hitBlocks).toBe(2);
    expect(serve(cache, [3, 4], 150).hitBlocks).toBe(0);
  });

  it("of nothing is what the ttl policy gives up first", () => {
    const cache = createKvCache({ policy: findKvPolicy("ttl"), capacityBlocks: 4 });
    serve(cache, [1, 2], 0, 1_000);
    serve(cache, [3, 4], 1, 10);
    serve(cache, [5, 6], 2, 1_000);
    expect(cache.countHits([1, 2])).toBe(2);
    expect(cache.countHits([3, 4])).toBe(0);
  });
});

describe("agents", () => {
  it("are known to the cache: the blocks of an ended run go before older ones", () => {
    const cache = createKvCache({ policy: findKvPolicy("loop-aware"), capacityBlocks: 4 });
    const run = (runId: string, keys: number[], atNs: number) => {
      const thread = { runId, threadId: `${runId}/main` };
      const opened = cache.open({ keys, maxHitBlocks: 2, totalBlocks: 2, atNs, thread });
      if (!opened) throw new Error("the prompt does not fit");
      for (const key of keys.slice(opened.hitBlocks)) cache.publish(opened.lease, key, atNs);
      cache.close(opened.lease, atNs, "tool");
      return thread;
    };
    run("old", [1, 2], 0);
    cache.hint({ kind: "ended", ...run("ended", [3, 4], 1), atNs: 2 });
    run("new", [5, 6], 3);
    expect([cache.countHits([1, 2]), cache.countHits([3, 4]), cache.countHits([5, 6])]).toEqual([2, 0, 2]);
  });
});

it("the key index finds what a Map finds", () => {
  const key = fc.oneof(
    fc.integer({ min: 0, max: 40 }),
    fc.integer({ min: -3, max: 3 }),
    fc.maxSafeInteger(),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(key, fc.boolean()), { maxLength: 300, size: "max" }), (steps) => {
      const index = createKeyIndex(300);
      const map = new Map<number | string, number>();
      for (const [at, [one, adds]] of steps.entries()) {
        expect(index.find(one)).toBe(map.get(one) ?? -1);
        if (adds && !map.has(one)) {
          index.add(one, at);
          map.set(one, at);
        } else if (!adds && map.delete(one)) index.remove(one);
      }
      for (const [one, slot] of map) expect(index.find(one)).toBe(slot);
    }),
  );
});
