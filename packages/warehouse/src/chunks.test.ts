import { expect, it } from "vitest";
import { splitByBytes } from "./chunks.ts";

const ID = "0123456789abcdef0123456789abcdef";

it.each<[string, string[], number[]]>([
  ["nothing", [], []],
  ["a few ids go together", Array(100).fill(ID), [100]],
  ["thousands go together", Array(6_000).fill(ID), [2857, 2857, 286]],
  ["a longer id takes the room of many", ["x".repeat(99_000), ID, ...Array(30).fill(ID)], [29, 3]],
  ["an id that is too long for any chunk goes alone", [ID, "x".repeat(200_000), ID], [1, 1, 1]],
  ["an escape counts twice", Array(2).fill("'".repeat(30_000)), [1, 1]],
  ["so does what takes more bytes than letters", Array(2).fill("시".repeat(20_000)), [1, 1]],
])("%s", (_case, ids, lengths) => {
  const chunks = splitByBytes(ids);
  expect(chunks.map(({ length }) => length)).toEqual(lengths);
  expect(chunks.flat()).toEqual(ids);
});
