/** The conformance suite of KV policies: laws for every registered one, and the obvious version where there is one. */
import type { KvPolicyPlugin } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findKvPolicy, kvPolicies } from "./index.ts";

const SLOTS = 12;
type Block = { slot: number; inserted: number; used: number; held: boolean };

/** One command of a random history: an operation on one of a few blocks, and how far time moved before it. */
const commands = fc.array(
  fc.record({
    kind: fc.constantFrom("insert", "insert", "access", "release", "release", "hold", "remove", "evict"),
    slot: fc.integer({ min: 0, max: SLOTS - 1 }),
    waitNs: fc.constantFrom(0, 0, 1, 1_000_000),
  }),
  { maxLength: 200, size: "max" },
);
type Command = { kind: string; slot: number; waitNs: number };

/** Runs a history on a policy beside a plain list of blocks; `check` sees both whenever a victim is asked for. */
function replay(plugin: KvPolicyPlugin, history: Command[], check: (victim: number, evictable: Block[]) => void) {
  const evictable = new Uint8Array(SLOTS);
  const policy = plugin.create({
    capacityBlocks: SLOTS,
    slotCount: SLOTS,
    keys: Array.from({ length: SLOTS }, (_, slot) => slot),
    depths: Uint32Array.from({ length: SLOTS }, (_, slot) => slot % 4),
    evictable,
    nextUses: new Float64Array(SLOTS).fill(Number.POSITIVE_INFINITY),
  });
  const blocks = new Map<number, Block>();
  const victims: number[] = [];
  let atNs = 0;
  let order = 0;
  for (const { kind, slot, waitNs } of history) {
    atNs += waitNs;
    order += 1;
    const known = blocks.get(slot);
    if (kind === "insert" && !known) {
      policy.onInsert(slot, atNs);
      blocks.set(slot, { slot, inserted: order, used: order, held: true });
    } else if (kind === "evict") {
      const candidates = [...blocks.values()].filter((block) => !block.held);
      if (candidates.length === 0) continue;
      const victim = policy.takeVictim(atNs, null);
      check(victim, candidates);
      victims.push(victim);
      evictable[victim] = 0;
      blocks.delete(victim);
    } else if (known && kind === "access") {
      policy.onAccess(slot, atNs);
      known.used = order;
    } else if (known?.held && kind === "release") {
      evictable[slot] = 1;
      policy.onRelease(slot, atNs);
      Object.assign(known, { held: false, used: order });
    } else if (known && !known.held && kind === "hold") {
      evictable[slot] = 0;
      policy.onHold(slot);
      known.held = true;
    } else if (known && kind === "remove") {
      evictable[slot] = 0;
      policy.onRemove(slot);
      blocks.delete(slot);
    }
  }
  return victims;
}

describe.each(kvPolicies.map((plugin) => [plugin.id, plugin] as const))("%s", (_id, plugin) => {
  it("chooses a block that may go whenever there is one", () => {
    fc.assert(
      fc.property(commands, (history) => {
        replay(plugin, history, (victim, evictable) => {
          expect(evictable.map((block) => block.slot)).toContain(victim);
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

/** The obvious version of a policy: which of the blocks that may go goes, by looking at all of them. */
const OBVIOUS: Record<string, (evictable: Block[]) => Block | undefined> = {
  fifo: (evictable) => evictable.sort((a, b) => a.inserted - b.inserted)[0],
  lru: (evictable) => evictable.sort((a, b) => a.used - b.used)[0],
  "lru-leaf": (evictable) => evictable.sort((a, b) => a.used - b.used)[0],
};

it.each(Object.entries(OBVIOUS))("%s does what its obvious version does", (id, obvious) => {
  let asked = 0;
  fc.assert(
    fc.property(commands, (history) => {
      replay(findKvPolicy(id), history, (victim, evictable) => {
        asked += 1;
        expect(victim).toBe(obvious(evictable)?.slot);
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
