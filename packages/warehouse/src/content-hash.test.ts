import { parseDecimal } from "@centspan/base";
import fc from "fast-check";
import { expect, it } from "vitest";
import { hashContent, writeCanonical } from "./content-hash.ts";

/** Records that were stored before keep their hash: this is how it was first written. */
const writeSlowly = (content: unknown): string | undefined =>
  JSON.stringify(content, (_key, value: unknown) => {
    if (typeof value === "bigint") return value.toString();
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });

it("is JSON with sorted keys, big integers and amounts as text", () => {
  const content = {
    b: 1n,
    a: [parseDecimal("0.10"), null, undefined, { z: "é\u2028\ud800", y: undefined }],
    10: Number.NaN,
  };
  expect(writeCanonical(content)).toBe('{"10":null,"a":["0.1",null,null,{"z":"é\u2028\\ud800"}],"b":"1"}');
  expect(hashContent({ a: 1, b: 2 })).toBe(hashContent({ b: 2, a: 1 }));
});

it("equals JSON.stringify with sorted keys", () => {
  // Names that are numbers come first in any object, however they were sorted.
  const name = fc.string().filter((text) => !/^\d+$/.test(text) && text !== "__proto__" && text !== "toJSON");
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.string({ unit: "binary" }),
      fc.double(),
      fc.bigInt(),
      fc.boolean(),
      fc.constantFrom(null, undefined, parseDecimal("12.5")),
      fc.array(tie("tree")),
      fc.dictionary(name, tie("tree")),
    ),
  }));
  fc.assert(
    fc.property(tree, (content) => {
      expect(writeCanonical(content)).toBe(writeSlowly(content) ?? "null");
    }),
  );
});
