import fc from "fast-check";
import { expect, it } from "vitest";
import { TOOLS } from "../tools/registry.ts";
import { groupCalls } from "./execute-calls.ts";

const readers = new Set(TOOLS.filter((tool) => tool.readOnly).map((tool) => tool.name));
const name = fc.constantFrom(...TOOLS.map((tool) => tool.name), "unknown");

it("keeps the order of calls, runs what may change something alone, and readers beside their neighbours", () => {
  expect([...readers].sort()).toEqual(["list_files", "read_file", "read_more", "search"]);
  fc.assert(
    fc.property(fc.array(name, { maxLength: 12 }), (names) => {
      const calls = names.map((tool, index) => ({ callId: String(index), name: tool, argumentsJson: "{}" }));
      const groups = groupCalls(calls, (name) => TOOLS.find((tool) => tool.name === name));
      expect(groups.flat()).toEqual(calls);
      const kinds = groups.map((group) => group.map((call) => readers.has(call.name)));
      for (const [index, kind] of kinds.entries()) {
        expect(kind.length === 1 || kind.every(Boolean)).toBe(true);
        expect(kind[0] && kinds[index - 1]?.[0]).not.toBe(true);
      }
    }),
  );
});
