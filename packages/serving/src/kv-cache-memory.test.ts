import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { findKvPolicy } from "@centspan/policies";
import { expect, it } from "vitest";
import { createKvCache } from "./kv-cache.ts";

it.each(["lru-leaf", "loop-aware", "arc", "s3-fifo"])(
  "%s: memory follows the blocks that live, not those that came",
  (id) => {
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    const cache = createKvCache({ capacityBlocks: 2_000, policy: findKvPolicy(id) });
    let next = 0;
    const measure = (): number => {
      for (const end = next + 300_000; next < end; next += 10) {
        const keys = Array.from({ length: 10 }, (_, depth) => next + depth);
        const opened = cache.open({ keys, maxHitBlocks: 9, totalBlocks: 10, atNs: next });
        if (!opened) throw new Error("ten blocks fit into two thousand");
        for (const key of keys) cache.publish(opened.lease, key, next);
        cache.close(opened.lease, next);
      }
      collect();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return heapUsed + arrayBuffers;
    };
    const first = measure();
    measure();
    // Six hundred thousand blocks later: not a byte for each of them.
    expect(measure() - first).toBeLessThan(600_000);
  },
);
