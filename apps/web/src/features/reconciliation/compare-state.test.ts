import { expect, it } from "vitest";
import { readAliases } from "./compare-state.ts";

it.each([
  ["", {}],
  [" proj_9 = payments \n\napikey_7=ci\n", { proj_9: "payments", apikey_7: "ci" }],
  ["proj_9", null],
  ["a=b=c", null],
  ["=payments", null],
])("reads %j as names of theirs and ours", (text, aliases) => expect(readAliases(text)).toEqual(aliases));
