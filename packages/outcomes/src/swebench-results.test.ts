import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSwebenchResults } from "./index.ts";

const write = (...instances: unknown[]): string => JSON.stringify({ total: 9, instances });

describe("SWE-bench results", () => {
  it("are a table of instances", () => {
    const text = write({ instance_id: "a", resolved: true, extra: 1 }, { instance_id: "b", resolved: false });
    expect([...readSwebenchResults(text)]).toEqual([
      ["a", true],
      ["b", false],
    ]);
  });

  it.each([
    ["not JSON", "{", /file: is not JSON/],
    ["no instances", "{}", /instances: is not a list/],
    ["no id", write({ resolved: true }), /instances\[0\]\.instance_id: is missing/],
    ["a text for a verdict", write({ instance_id: "a", resolved: "false" }), /instances\[0\]\.resolved: is not true/],
    [
      "two verdicts",
      write({ instance_id: "a", resolved: true }, { instance_id: "a", resolved: false }),
      /instances\[1\]\.resolved: contradicts/,
    ],
  ])("%s is refused by field", (_what, text, message) => {
    const read = () => readSwebenchResults(text);
    expect(read).toThrow(message);
    expect(read).toThrow(expect.objectContaining({ code: "invalid_file" }));
  });

  const shared = process.env.CENTSPAN_SHARED;
  const path = join(shared ?? "", "data/trajectories/mini-swe-agent-gemini-3-pro/results_summary.json");
  if (shared && !existsSync(path)) throw new Error(`CENTSPAN_SHARED is set, but ${path} is missing`);
  it.skipIf(!shared)("of the recorded 500 runs: 371 resolved (set CENTSPAN_SHARED)", () => {
    const verdicts = [...readSwebenchResults(readFileSync(path, "utf8")).values()];
    expect([verdicts.length, verdicts.filter(Boolean).length]).toEqual([500, 371]);
  });
});
