import type { KvBlockId } from "@centspan/model";
import { findKvPolicy, kvPolicies } from "@centspan/policies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createKvCache, type KvLease } from "./index.ts";

/** A prompt is a path in a small tree: its key at depth d names the path up to d, as a chained hash does. */
const prompt = fc
  .array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 5 })
  .map((path) => path.map((_, depth) => path.slice(0, depth + 1).reduce((key, step) => key * 3 + step + 1, 0)));

const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("open" as const), keys: prompt, extra: fc.nat(2) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("publish" as const), which: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("grow" as const), which: fc.nat(9), blocks: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("close" as const), which: fc.nat(9) }) },
);

type Operation = ReturnType<typeof operation.generate>["value"];
type OpenRequest = { lease: KvLease; keys: number[]; shared: number; blocks: number };

describe.each(kvPolicies.map((policy) => [policy.id, policy] as const))("KV cache with %s", (_id, policy) => {
  it("neither leaks nor evicts what is in use, and finds what a plain list of resident blocks holds", () => {
    let evictions = 0;
    const play = (operations: Operation[]): void => {
      const capacity = 8;
      const cache = createKvCache({ capacityBlocks: capacity, policy });
      const resident = new Set<KvBlockId>();
      const open: OpenRequest[] = [];
      let atNs = 0;
      const inUse = (): Set<KvBlockId> => new Set(open.flatMap((one) => one.keys.slice(0, one.shared)));
      const take = (evicted: KvBlockId[]): void => {
        for (const key of evicted) {
          expect(inUse()).not.toContain(key);
          expect(resident.delete(key)).toBe(true);
          evictions += 1;
        }
      };
      for (const op of operations) {
        atNs += 1;
        const before = cache.counts();
        if (op.kind === "open") {
          const firstMiss = op.keys.findIndex((key) => !resident.has(key));
          const hits = firstMiss === -1 ? op.keys.length : firstMiss;
          expect(cache.countHits(op.keys)).toBe(hits);
          const totalBlocks = op.keys.length + op.extra;
          const idleHits = op.keys.slice(0, hits).filter((key) => !inUse().has(key)).length;
          const opened = cache.open({ keys: op.keys, maxHitBlocks: op.keys.length, totalBlocks, atNs });
          if (opened) {
            open.push({ lease: opened.lease, keys: op.keys, shared: opened.hitBlocks, blocks: totalBlocks });
            expect(opened.hitBlocks).toBe(hits);
            take(opened.evicted);
          } else {
            expect(totalBlocks - hits).toBeGreaterThan(before.free + before.idle - idleHits);
            expect(cache.counts()).toEqual(before);
          }
        } else {
          const one = open[op.which % Math.max(1, open.length)];
          if (!one) continue;
          if (op.kind === "grow") {
            const evicted = cache.grow(one.lease, op.blocks, atNs);
            if (evicted) one.blocks += op.blocks;
            else expect(op.blocks).toBeGreaterThan(before.free + before.idle);
            take(evicted ?? []);
          } else if (op.kind === "close") {
            open.splice(open.indexOf(one), 1);
            cache.close(one.lease, atNs);
          } else {
            const key = one.keys[one.shared];
            if (key === undefined) continue;
            cache.publish(one.lease, key, atNs);
            one.shared += 1;
            resident.add(key);
          }
        }
        const counts = cache.counts();
        expect(counts.free + counts.exclusive + counts.pinned + counts.idle).toBe(capacity);
        expect(counts.exclusive).toBe(open.reduce((sum, one) => sum + one.blocks - one.shared, 0));
        expect(counts.pinned).toBe(inUse().size);
        expect(counts.idle).toBe(resident.size - inUse().size);
      }
    };
    fc.assert(fc.property(fc.array(operation, { maxLength: 60, size: "max" }), play), { numRuns: 120 });
    expect(evictions).toBeGreaterThan(50);
  });
});

/** One request after the other, each gone before the next comes: the setting of published hit-rate tables. */
function replayPrompts(prompts: readonly (readonly number[])[], capacityBlocks: number, policyId: string): number[] {
  const cache = createKvCache({ capacityBlocks, policy: findKvPolicy(policyId) });
  return prompts.map((keys, at) => {
    const atNs = at;
    const opened = cache.open({ keys, maxHitBlocks: keys.length, totalBlocks: keys.length, atNs });
    if (!opened) throw new Error(`prompt ${at} does not fit`);
    for (const key of keys.slice(opened.hitBlocks)) cache.publish(opened.lease, key, atNs);
    cache.close(opened.lease, atNs);
    return opened.hitBlocks;
  });
}

it("hits under LRU-leaf as the obvious list does: drop the oldest ends of prefixes, deepest first", () => {
  const obvious = (prompts: number[][], capacity: number): number[] => {
    let list: { key: number; parent: number; depth: number; at: number }[] = [];
    return prompts.map((keys, at) => {
      const has = (key: number): boolean => list.some((block) => block.key === key);
      const firstMiss = keys.findIndex((key) => !has(key));
      const hits = firstMiss === -1 ? keys.length : firstMiss;
      while (list.length + keys.length - hits > capacity) {
        const leaves = list.filter((b) => !keys.includes(b.key) && !list.some((child) => child.parent === b.key));
        const victim = leaves.sort((a, b) => a.at - b.at || b.depth - a.depth)[0];
        list = list.filter((block) => block !== victim);
      }
      list = list.filter((block) => !keys.includes(block.key));
      list.push(...keys.map((key, depth) => ({ key, parent: keys[depth - 1] ?? -1, depth, at })));
      return hits;
    });
  };
  let hits = 0;
  const play = (prompts: number[][], capacity: number): void => {
    const got = replayPrompts(prompts, capacity, "lru-leaf");
    expect(got).toEqual(obvious(prompts, capacity));
    hits += got.reduce((sum, n) => sum + n, 0);
  };
  const prompts = fc.array(prompt, { maxLength: 60, size: "max" });
  fc.assert(fc.property(prompts, fc.integer({ min: 5, max: 12 }), play));
  expect(hits).toBeGreaterThan(100);
});
