import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBlockKeyReader, writeBlockKeys } from "./block-keys.ts";

/** Chains of a tree: the key of a block names the whole way to it. */
const prompts = fc.array(fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 9 }), { minLength: 1, maxLength: 30 });
const toKeys = (way: readonly number[]): string[] => way.map((_, at) => `k${way.slice(0, at + 1).join("")}`);

const shared = (a: readonly unknown[], b: readonly unknown[]): number => {
  const at = a.findIndex((key, index) => key !== b[index]);
  return at < 0 ? Math.min(a.length, b.length) : at;
};

describe("block keys on spans", () => {
  it("are read with the same blocks shared as were written, though only what is new was", () => {
    fc.assert(
      fc.property(prompts, (ways) => {
        const reader = createBlockKeyReader();
        const chains = ways.map(toKeys);
        const read = chains.map((keys, at) => {
          const known = Math.max(0, ...chains.slice(0, at).map((other) => shared(keys, other)));
          return reader.read(writeBlockKeys(keys, known));
        });
        for (const [at, one] of read.entries()) {
          expect(one).toHaveLength(chains[at]?.length ?? -1);
          for (const [other, another] of read.entries())
            expect(shared(one, another)).toBe(shared(chains[at] ?? [], chains[other] ?? []));
        }
      }),
    );
  });

  it("of what was known before anybody listened are its own, and the same each time", () => {
    const reader = createBlockKeyReader();
    const once = reader.read({ knownBlocks: 3, keys: "c.d" });
    const again = reader.read({ knownBlocks: 3, keys: "c.e" });
    const other = reader.read({ knownBlocks: 3, keys: "x.y" });
    expect(once).toHaveLength(4);
    expect(shared(once, again)).toBe(3);
    expect(shared(once, other)).toBe(0);
    expect(reader.read({ knownBlocks: 0, keys: "" })).toEqual([]);
  });

  it("take numbers as they are hashed", () => {
    const reader = createBlockKeyReader();
    const first = reader.read(writeBlockKeys([9_007_199_254_740_991, 35], 0));
    expect(reader.read(writeBlockKeys([9_007_199_254_740_991, 36], 1))[0]).toBe(first[0]);
  });
});
