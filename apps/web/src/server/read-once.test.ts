import { expect, it } from "vitest";
import { readOnce } from "./read-once.ts";

it("asks once for each workspace and question, at the same time or later", async () => {
  const asked: string[] = [];
  const read = readOnce(async (workspace: string, { fromNs }: { fromNs: bigint }) => {
    asked.push(`${workspace} ${fromNs}`);
    return asked.length;
  });
  expect(await Promise.all([read("a", { fromNs: 1n }), read("a", { fromNs: 1n }), read("b", { fromNs: 1n })])).toEqual([
    1, 1, 2,
  ]);
  expect([await read("a", { fromNs: 2n }), await read("a", { fromNs: 1n })]).toEqual([3, 1]);
  expect(asked).toEqual(["a 1", "b 1", "a 2"]);
});
