import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createHider } from "./hide-secrets.ts";

const SECRET = "aab.a";

it("replaces a secret wherever an answer is cut, and leaves all other bytes", async () => {
  const text = fc.array(fc.constantFrom("a", "b", ".", "c", SECRET, "\xff\x00"), { maxLength: 30 });
  const cuts = fc.array(fc.nat({ max: 120 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(text, cuts, async (pieces, at) => {
      const whole = Buffer.from(pieces.join(""), "latin1");
      const edges = [0, ...at.map((edge) => Math.min(edge, whole.length)).sort((a, b) => a - b), whole.length];
      const parts = edges.slice(1).map((edge, index) => whole.subarray(edges[index], edge));
      const hidden = await buffer(Readable.from(parts).pipe(createHider(new Map([[SECRET, "[KEY]"]]))));
      expect(hidden.toString("latin1")).toBe(whole.toString("latin1").replaceAll(SECRET, "[KEY]"));
    }),
    { numRuns: 200 },
  );
});

it("holds nothing back that can't be a secret's beginning", () => {
  const hider = createHider(new Map([[SECRET, "[KEY]"]]));
  hider.write("data: 1\n\n");
  expect(String(hider.read())).toBe("data: 1\n\n");
  hider.write("xaa");
  expect(String(hider.read())).toBe("x");
});

it("takes the longer of two secrets where one contains the other", async () => {
  const hider = createHider(
    new Map([
      ["key", "[SHORT]"],
      ["key-of-all", "[LONG]"],
    ]),
  );
  hider.end("a key-of-all and a key");
  expect((await buffer(hider)).toString()).toBe("a [LONG] and a [SHORT]");
});
