/** A small cache that plays a random history of keys, holds and removals on a policy, beside a slow model of it. */
import type { KvPolicyPlugin } from "@centspan/model";
import fc from "fast-check";
import type { SlowModel, Used } from "./slow-models.ts";

const KEYS = 16;

export const history = fc.array(
  fc.record({
    kind: fc.constantFrom("use", "use", "use", "use", "use", "hold", "release", "remove", "evict"),
    key: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: KEYS - 1 })),
    /** Whether a block that comes in stays held. */
    stays: fc.constantFrom(false, false, false, true),
    waitNs: fc.constantFrom(0, 1, 1_000_000),
    nextUse: fc.constantFrom(1, 2, 3, 4, 5, Number.POSITIVE_INFINITY),
  }),
  { maxLength: 300, size: "max" },
);
export type Command = typeof history extends fc.Arbitrary<infer T> ? (T extends (infer U)[] ? U : never) : never;
export const capacity = fc.integer({ min: 1, max: 9 });

export type Victim = { chosen: number | undefined; expected: number | undefined; mayGo: number[] };
type Block = Used & { slot: number; isKnown: boolean; held: (() => void)[] };
type CreateModel = (capacity: number, used: (key: number) => Used) => SlowModel;

/** The victims in order: whom the policy chose, whom the model, and who could go. */
export function playHistory(
  plugin: KvPolicyPlugin,
  slots: number,
  commands: Command[],
  create?: CreateModel,
): Victim[] {
  const keys: number[] = [];
  const depths = new Uint32Array(slots);
  const evictable = new Uint8Array(slots);
  const nextUses = new Float64Array(slots).fill(Number.POSITIVE_INFINITY);
  const expiresNs = new Float64Array(slots);
  const slotCount = slots;
  const blocks = { capacityBlocks: slots, slotCount, keys, depths, evictable, nextUses, expiresNs };
  const policy = plugin.create(blocks);
  const resident = new Map<number, Block>();
  const find = (key: number): Block => {
    const block = resident.get(key);
    if (!block) throw new Error(`key ${key} is not resident`);
    return block;
  };
  const model = create?.(slots, find);
  const free = Array.from({ length: slots }, (_, slot) => slot);
  const victims: Victim[] = [];
  let atNs = 0;
  let order = 0;

  const mayGo = (key: number): boolean => evictable[find(key).slot] === 1;
  const forget = (key: number): void => {
    const { slot } = find(key);
    evictable[slot] = 0;
    free.push(slot);
    resident.delete(key);
  };
  const evict = (incoming: number | null): boolean => {
    const candidates = [...resident.keys()].filter(mayGo);
    if (candidates.length === 0) return false;
    const expected = model?.victim(mayGo, incoming);
    const chosen = keys[policy.takeVictim(atNs, incoming)];
    victims.push({ chosen, expected, mayGo: candidates });
    if (chosen !== undefined && resident.has(chosen)) forget(chosen);
    return true;
  };
  const release = (key: number): void => {
    const block = find(key);
    block.used = order;
    // Keys differ in how long they are wanted.
    block.expires = atNs + (key % 3) * 1_000_000;
    expiresNs[block.slot] = block.expires;
    evictable[block.slot] = 1;
    policy.onRelease(block.slot, atNs);
    // What happened to the block while it was held counts from now on.
    for (const happens of block.held) happens();
    block.held = [];
  };
  const insert = (key: number, { stays, nextUse }: Command): void => {
    if (free.length === 0 && !evict(key)) return;
    const slot = free.pop() ?? -1;
    const depth = key % 4;
    keys[slot] = key;
    depths[slot] = depth;
    nextUses[slot] = nextUse;
    const held = [
      () => {
        Object.assign(find(key), { inserted: order, isKnown: true });
        model?.insert(key);
      },
    ];
    const used = { inserted: order, used: order, uses: 1, nextUse, expires: 0 };
    resident.set(key, { key, slot, depth, ...used, isKnown: false, held });
    policy.onInsert(slot, atNs);
    if (!stays) release(key);
  };

  for (const command of commands) {
    const { kind, key } = command;
    atNs += command.waitNs;
    order += 1;
    const known = resident.get(key);
    if (kind === "use" && !known) insert(key, command);
    else if (kind === "evict") evict(null);
    else if (!known) continue;
    else if (kind === "use") {
      nextUses[known.slot] = command.nextUse;
      const use = (): void => {
        Object.assign(known, { used: order, uses: known.uses + 1 });
        model?.access(key);
      };
      known.nextUse = command.nextUse;
      if (mayGo(key)) use();
      else known.held.push(use);
      policy.onAccess(known.slot, atNs);
    } else if (kind === "hold" && mayGo(key)) {
      evictable[known.slot] = 0;
      policy.onHold(known.slot);
    } else if (kind === "release" && !mayGo(key)) release(key);
    else if (kind === "remove") {
      // What never was released, the model has not heard of.
      if (known.isKnown) model?.drop(key);
      policy.onRemove(known.slot);
      forget(key);
    }
  }
  return victims;
}
