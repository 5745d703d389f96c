import { recommendationInputSchema, type WasteFixRow } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { adviseSpend } from "./advise-spend.ts";

const fix: WasteFixRow = {
  cause: "unused_tools",
  layer: "harness",
  title: "Unused tool schemas",
  remedy: "Defer tools that are rarely called.",
  section: "tools",
  path: "tools[3]",
  change: "",
  since: "2026-11-01T00:00:00Z",
  savingPerMonthUsd: "41.25",
  interval: { lowUsd: "30", highUsd: "52", level: 0.95 },
  secondsPerMonth: 0,
  calls: 120,
  runs: 9,
  keys: ["ci"],
  teams: ["core"],
  proof: [{ traceId: "a".repeat(32), spanId: "b".repeat(16), task: "t", costUsd: "0.5" }],
  provenance: "derived",
};

describe("recommendations for who rents models", () => {
  it("are what the ledger found, with its saving to the last digit, and a record that can be filed", () => {
    const [one] = adviseSpend([fix], "workspace");
    expect(recommendationInputSchema.parse(one)).toEqual(one);
    expect(one).toMatchObject({
      kind: "spend",
      subject: "ci",
      savings: { capacityUsdMonth: "0", cashUsdMonth: "41.25" },
      changes: [{ knob: "toolSchemas" }],
      evidence: { traceIds: ["a".repeat(32)] },
    });
    expect(one?.evidence.judgedOn).toContain("30 to 52 USD");
  });

  it("of causes without a setting are their remedy, and of no more than a dollar a month none", () => {
    const other = { ...fix, cause: "something_new", keys: [], provenance: null, interval: null };
    const [one] = adviseSpend([other], "all keys");
    expect(one).toMatchObject({ subject: "all keys", provenance: "estimated" });
    expect(one?.changes[0]?.proposed).toBe(fix.remedy);
    expect(recommendationInputSchema.parse(one)).toEqual(one);
    expect(adviseSpend([{ ...fix, savingPerMonthUsd: "0.99" }], "w")).toEqual([]);
  });
});
