/** The conformance suite of KV policies: laws for every registered one, and the obvious version where there is one. */
import type { KvPolicyPlugin } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findKvPolicy, kvPolicies } from "./index.ts";

type Block = { block: number; depth: number; inserted: number; used: number; usedNs: bigint; evictable: boolean };

/** One command of a random history: an operation on one of a few blocks, and how far time moved before it. */
const commands = fc.array(
  fc.record({
    kind: fc.constantFrom("insert", "insert", "access", "evictable", "evictable", "pinned", "remove", "evict"),
    block: fc.integer({ min: 0, max: 11 }),
    waitNs: fc.constantFrom(0n, 0n, 1n, 1_000_000n),
  }),
  { maxLength: 200, size: "max" },
);
type Command = { kind: string; block: number; waitNs: bigint };

/** Runs a history on a policy beside a plain list of blocks; `check` sees both whenever a victim is asked for. */
function replay(plugin: KvPolicyPlugin, history: Command[], check: (victim: number | null, blocks: Block[]) => void) {
  const policy = plugin.create(12);
  const blocks = new Map<number, Block>();
  const victims: (number | null)[] = [];
  let atNs = 0n;
  let order = 0;
  const remove = (block: number): void => {
    policy.onRemove(block);
    blocks.delete(block);
  };
  for (const { kind, block, waitNs } of history) {
    atNs += waitNs;
    order += 1;
    const depth = block % 4;
    const known = blocks.get(block);
    if (kind === "insert" && !known) {
      policy.onInsert({ block, depth, atNs });
      blocks.set(block, { block, depth, inserted: order, used: order, usedNs: atNs, evictable: false });
    } else if (kind === "evict") {
      const victim = policy.chooseVictim();
      check(victim, [...blocks.values()]);
      expect(policy.chooseVictim()).toBe(victim);
      victims.push(victim);
      if (victim !== null) remove(victim);
    } else if (known && kind === "access") {
      policy.onAccess({ block, depth, atNs });
      Object.assign(known, { used: order, usedNs: atNs });
    } else if (known && (kind === "evictable" || kind === "pinned")) {
      policy.setEvictable(block, kind === "evictable");
      known.evictable = kind === "evictable";
    } else if (known && kind === "remove") {
      remove(block);
    }
  }
  return victims;
}

describe.each(kvPolicies.map((plugin) => [plugin.id, plugin] as const))("%s", (_id, plugin) => {
  it("chooses an evictable block, and none exactly when there is none", () => {
    fc.assert(
      fc.property(commands, (history) => {
        replay(plugin, history, (victim, blocks) => {
          const evictable = blocks.filter((block) => block.evictable).map((block) => block.block);
          if (evictable.length === 0) expect(victim).toBeNull();
          else expect(evictable).toContain(victim);
        });
      }),
    );
  });

  it("is replayable: the same history, the same victims", () => {
    fc.assert(
      fc.property(commands, (history) => {
        const ignore = (): void => undefined;
        expect(replay(plugin, history, ignore)).toEqual(replay(plugin, history, ignore));
      }),
    );
  });

  it("describes itself", () => {
    expect(plugin.id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(plugin.describe.length).toBeGreaterThan(20);
    expect(findKvPolicy(plugin.id)).toBe(plugin);
  });
});

/** The obvious version of a policy: which of the evictable blocks goes, by looking at all of them. */
const OBVIOUS: Record<string, (evictable: Block[]) => Block | undefined> = {
  fifo: (evictable) => evictable.sort((a, b) => a.inserted - b.inserted)[0],
  lru: (evictable) => evictable.sort((a, b) => a.used - b.used)[0],
  "lru-leaf": (evictable) => {
    const oldest = evictable.map((block) => block.usedNs).sort((a, b) => Number(a - b))[0];
    const tied = evictable.filter((block) => block.usedNs === oldest);
    const deepest = Math.max(...tied.map((block) => block.depth));
    return tied.filter((block) => block.depth === deepest).sort((a, b) => a.used - b.used)[0];
  },
};

it.each(Object.entries(OBVIOUS))("%s does what its obvious version does", (id, obvious) => {
  let asked = 0;
  fc.assert(
    fc.property(commands, (history) => {
      replay(findKvPolicy(id), history, (victim, blocks) => {
        asked += 1;
        expect(victim).toBe(obvious(blocks.filter((block) => block.evictable))?.block ?? null);
      });
    }),
    { numRuns: 300 },
  );
  expect(asked).toBeGreaterThan(100);
});

it("names the known policies when asked for another", () => {
  expect(() => findKvPolicy("clock")).toThrow(/fifo, lru, lru-leaf/);
});

it("has unique ids", () => {
  expect(new Set(kvPolicies.map((plugin) => plugin.id)).size).toBe(kvPolicies.length);
});
