import type { KvBlockId, KvBlocks, KvThreadEvent, KvWait } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLoopAwarePolicy, createWaitModel, type WaitModel } from "../index.ts";
import { BINS, binOf, binStartS, createWaitHistogram } from "./wait-histogram.ts";

const SLOTS = 10;
/** A chain is a path in a small tree: threads that begin alike share blocks. */
const path = fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 1, maxLength: 4 });
const keysOf = (steps: number[]): string[] => steps.map((_, depth) => steps.slice(0, depth + 1).join(""));

const commands = fc.array(
  fc.record({
    kind: fc.constantFrom(
      "request",
      "request",
      "request",
      "wait",
      "end",
      "end_run",
      "long_wait",
      "stray",
      "evict",
      "evict",
    ),
    thread: fc.integer({ min: 0, max: 2 }),
    path,
    waitsFor: fc.constantFrom<KvWait>("tool", "person", "unknown"),
    waitNs: fc.constantFrom(0, 1, 1_000_000_000, 5_000_000_000),
  }),
  { maxLength: 80, size: "max" },
);

/** Worth falls with time, and differs by state: what the ranking must follow. */
const model: WaitModel = {
  add: () => undefined,
  index: (state, _recent, inStateS) => ({ answering: 8, tool: 4, person: 2, unknown: 1 })[state] / (1 + inStateS),
};

type SlowThread = {
  chain: string[];
  state: "answering" | KvWait;
  sinceNs: number;
  requestedNs: number;
  awayUntilNs: number;
};
type SlowBlock = { key: string; reason: "loose" | "superseded" | "ended"; letGo: number };

/** Threads 0 and 1 are of one run, thread 2 of another, which uses an id of the first. */
const runOf = (thread: number): number => (thread === 2 ? 1 : 0);

/** The order of eviction as its description says it, over plain lists. */
function createSlowLoopAware() {
  const blocks = new Map<string, SlowBlock>();
  const threads = new Map<number, SlowThread>();
  let order = 0;
  const isHeld = (key: string): boolean => [...threads.values()].some(({ chain }) => chain.includes(key));
  const letGo = (key: string, reason: SlowBlock["reason"]): void => {
    const block = blocks.get(key);
    order += 1;
    if (block && !isHeld(key)) Object.assign(block, { reason, letGo: order });
  };
  const worth = ({ state, sinceNs, awayUntilNs }: SlowThread, atNs: number): number =>
    awayUntilNs > atNs ? 1 / ((awayUntilNs - atNs) / 1e9 + 1) : model.index(state, null, (atNs - sinceNs) / 1e9);
  return {
    blocks,
    insert(key: string) {
      order += 1;
      blocks.set(key, { key, reason: "loose", letGo: order });
    },
    use(key: string) {
      const block = blocks.get(key);
      order += 1;
      if (block) block.letGo = order;
    },
    thread(event: KvThreadEvent, id: number, chain?: string[]) {
      if (event.kind === "run_ended") {
        const ids = [...threads.keys()].filter((other) => runOf(other) === runOf(id));
        for (const other of ids) this.thread({ ...event, kind: "ended" }, other);
        return;
      }
      const { atNs } = event;
      const fresh: SlowThread = { chain: [], state: "answering", sinceNs: atNs, requestedNs: -1, awayUntilNs: -1 };
      const thread = threads.get(id) ?? fresh;
      threads.set(id, thread);
      if (event.kind === "requested")
        Object.assign(thread, { state: "answering", sinceNs: atNs, requestedNs: atNs, awayUntilNs: -1 });
      if (event.kind === "waiting") Object.assign(thread, { state: event.waitsFor, sinceNs: atNs });
      if (event.kind === "long_wait") thread.awayUntilNs = atNs + event.expectedNs;
      const before = thread.chain;
      if (chain) thread.chain = chain;
      if (event.kind === "ended") threads.delete(id);
      const after = event.kind === "ended" ? [] : thread.chain;
      const reason = event.kind === "ended" ? "ended" : "superseded";
      for (const key of before.filter((one) => !after.includes(one)).reverse()) letGo(key, reason);
    },
    victim(atNs: number): string | undefined {
      for (const reason of ["ended", "superseded", "loose"]) {
        const going = [...blocks.values()].filter((block) => block.reason === reason && !isHeld(block.key));
        const [first] = going.sort((a, b) => a.letGo - b.letGo);
        if (first) return first.key;
      }
      const ranked = [...threads.values()].sort(
        (a, b) => worth(a, atNs) - worth(b, atNs) || a.requestedNs - b.requestedNs,
      );
      const tails = ranked
        .map(({ chain }) => chain.filter((key) => blocks.has(key)).at(-1))
        .filter((key) => key !== undefined);
      const holders = (key: string): number => [...threads.values()].filter(({ chain }) => chain.includes(key)).length;
      return tails.find((key) => holders(key) === 1) ?? tails[0];
    },
    drop(key: string) {
      blocks.delete(key);
      for (const thread of threads.values()) thread.chain = thread.chain.filter((one) => one !== key);
    },
  };
}

type Command = ReturnType<typeof commands.generate>["value"][number];

const emptyBlocks = (keys: KvBlockId[]): KvBlocks => ({
  capacityBlocks: SLOTS,
  slotCount: SLOTS,
  keys,
  depths: new Uint32Array(SLOTS),
  evictable: new Uint8Array(SLOTS).fill(1),
  nextUses: new Float64Array(SLOTS),
  expiresNs: new Float64Array(SLOTS),
});

/** Plays a history on the policy and on the slow list; all blocks may go at any time. */
function play(history: Command[]): { chosen: (string | undefined)[]; expected: (string | undefined)[] } {
  const keys: string[] = [];
  const policy = createLoopAwarePolicy(emptyBlocks(keys), { model: () => model, learns: false });
  const slow = createSlowLoopAware();
  const slots = new Map<string, number>();
  const free = Array.from({ length: SLOTS }, (_, slot) => slot);
  const chosen: (string | undefined)[] = [];
  const expected: (string | undefined)[] = [];
  let atNs = 0;

  const evict = (): void => {
    if (slots.size === 0) return;
    expected.push(slow.victim(atNs));
    const slot = policy.takeVictim(atNs, null);
    const key = keys[slot] ?? "";
    chosen.push(key);
    slots.delete(key);
    slow.drop(key);
    free.push(slot);
  };
  const bringIn = (chain: string[]): number[] => {
    while (free.length < chain.filter((key) => !slots.has(key)).length) evict();
    return chain.map((key) => {
      const known = slots.get(key);
      if (known !== undefined) {
        policy.onAccess(known, atNs);
        slow.use(key);
        return known;
      }
      const slot = free.pop() ?? 0;
      keys[slot] = key;
      slots.set(key, slot);
      slow.insert(key);
      policy.onInsert(slot, atNs);
      return slot;
    });
  };
  for (const command of history) {
    const { kind, thread } = command;
    atNs += command.waitNs;
    const ids = { runId: runOf(thread), threadId: thread % 2, atNs };
    const tell = (event: KvThreadEvent, chain?: string[]): void => {
      slow.thread(event, thread, chain);
      policy.onThread?.(event);
    };
    if (kind === "evict") evict();
    else if (kind === "wait") tell({ kind: "waiting", ...ids, waitsFor: command.waitsFor });
    else if (kind === "long_wait") tell({ kind: "long_wait", ...ids, expectedNs: 3_000_000_000 });
    else if (kind === "end") tell({ kind: "ended", ...ids });
    else if (kind === "end_run") tell({ kind: "run_ended", ...ids });
    else {
      const chain = keysOf(command.path);
      const places = bringIn(chain);
      if (kind === "request") tell({ kind: "requested", ...ids, chain: places }, chain);
      // Released from the tail, as the cache does.
      for (const [at, slot] of [...places.entries()].reverse()) {
        policy.onHold(slot);
        policy.onRelease(slot, atNs);
        slow.use(chain[at] ?? "");
      }
    }
  }
  return { chosen, expected };
}

it("forgets threads that it has not heard of for long and that hold nothing", () => {
  let asked = 0;
  const counting: WaitModel = {
    add: () => undefined,
    index() {
      asked += 1;
      return 1;
    },
  };
  const policy = createLoopAwarePolicy(emptyBlocks([7]), { model: () => counting, learns: false });
  for (let threadId = 0; threadId < 1000; threadId += 1)
    policy.onThread?.({ kind: "requested", runId: 0, threadId, atNs: 0 });
  const rankAt = (atNs: number): number => {
    asked = 0;
    policy.onInsert(0, atNs);
    policy.onThread?.({ kind: "requested", runId: 1, threadId: 0, atNs, chain: [0] });
    policy.onRelease(0, atNs);
    expect(policy.takeVictim(atNs, null)).toBe(0);
    return asked;
  };
  expect(rankAt(1)).toBe(1001);
  expect(rankAt(4_000_000_000_000)).toBe(1);
});

it("evicts in the order that its description gives", () => {
  let victims = 0;
  fc.assert(
    fc.property(commands, (history) => {
      const { chosen, expected } = play(history);
      victims += chosen.length;
      expect(chosen).toEqual(expected);
    }),
    { numRuns: 500 },
  );
  expect(victims).toBeGreaterThan(2000);
});

describe("waits", () => {
  it("fall into bins that cover all of time, in order", () => {
    for (let bin = 1; bin < 180; bin += 1) {
      expect(binOf(binStartS(bin) * 1.01)).toBe(bin);
      expect(binOf(binStartS(bin) * 0.99)).toBe(bin - 1);
    }
    expect(binOf(0)).toBe(0);
    expect(binOf(1e12)).toBe(BINS - 1);
  });

  it("are worth what the best horizon over the bare samples returns, about", () => {
    const waits = fc.array(
      fc.oneof(fc.double({ min: 0.3, max: 4000, noNaN: true }), fc.constant(Number.POSITIVE_INFINITY)),
      {
        minLength: 1,
        maxLength: 60,
      },
    );
    const slowIndex = (all: number[], ageS: number): number => {
      const away = all.filter((wait) => wait >= ageS);
      const horizons = away
        .filter((wait) => wait < Number.POSITIVE_INFINITY)
        .map((wait) => binStartS(binOf(wait) + 1) - ageS);
      const rate = (w: number): number =>
        away.filter((wait) => wait < ageS + w).length /
        away.reduce((sum, wait) => sum + Math.min(wait - ageS, w), 1e-9);
      return horizons.reduce((best, w) => Math.max(best, rate(w)), 0);
    };
    fc.assert(
      fc.property(waits, fc.integer({ min: 0, max: 140 }), (all, bin) => {
        const histogram = createWaitHistogram();
        for (const wait of all) histogram.add(wait);
        expect(histogram.index(binStartS(bin) * 1.001)).toBeCloseTo(slowIndex(all, binStartS(bin)), 9);
      }),
    );
  });

  it("end for two in five of the bare samples when the histogram says, to a bin", () => {
    const waits = fc.array(
      fc.oneof(fc.double({ min: 0.3, max: 4000, noNaN: true }), fc.constant(Number.POSITIVE_INFINITY)),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(waits, fc.integer({ min: 0, max: 140 }), (all, bin) => {
        const histogram = createWaitHistogram();
        for (const wait of all) histogram.add(wait);
        const ageS = binStartS(bin);
        const away = all.filter((wait) => wait >= ageS).sort((a, b) => a - b);
        const left = histogram.leftS(ageS * 1.001);
        const returnS = away[Math.max(0, Math.ceil(0.4 * away.length) - 1)] ?? Number.POSITIVE_INFINITY;
        if (returnS === Number.POSITIVE_INFINITY) expect(left).toBe(Number.POSITIVE_INFINITY);
        else expect(Math.abs(binOf(left + ageS) - binOf(returnS))).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("of which none is known are worth the same at any age", () => {
    const nothing = createWaitModel();
    for (const age of [0, 0.1, 1, 7, 900]) expect(nothing.index("tool", null, age)).toBe(0);
  });

  it("of a class with few samples are taken from the state, and from all", () => {
    const fast = createWaitModel();
    for (let at = 0; at < 200; at += 1) fast.add("tool", 5, 2);
    for (let at = 0; at < 200; at += 1) fast.add("person", 5, 300);
    expect(fast.index("tool", 5, 0)).toBeCloseTo(0.5, 0);
    expect(fast.index("tool", 90, 0)).toBeCloseTo(fast.index("tool", 5, 0), 9);
    expect(fast.index("person", 5, 0)).toBeLessThan(0.01);
    expect(fast.index("unknown", null, 0)).toBeGreaterThan(fast.index("person", 5, 0));
  });
});
