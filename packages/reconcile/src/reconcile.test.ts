import { countToDecimal, formatDecimal, parseDecimal, startOfDayNs, sumDecimals } from "@centspan/base";
import type { InvoiceLine, Meter, UsageCell } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reconcile } from "./index.ts";
import { canonicalModel } from "./match-lines.ts";

const HOUR_NS = 3_600_000_000_000n;
const PRICE = parseDecimal("0.000001");
const dayNs = (day: string) => startOfDayNs("UTC", day);

type Use = {
  day: string;
  hour?: number;
  quantity?: number;
  team?: string;
  key?: string;
  model?: string;
  meter?: Meter;
};
const cell = ({
  day,
  hour = 12,
  quantity = 1000,
  team = "payments",
  key = "ci",
  model = "gpt-4.1",
  meter = "input",
}: Use): UsageCell => ({
  startNs: dayNs(day) + BigInt(hour) * HOUR_NS,
  provider: "openai",
  team,
  keyId: `id of ${key}`,
  key,
  model,
  meter,
  quantity,
  costUsd: PRICE.times(countToDecimal(quantity)),
  unpricedQuantity: 0,
});
const line = (use: Partial<InvoiceLine> & { day: string }, usd = "0.001"): InvoiceLine => ({
  row: "row",
  provider: "openai",
  project: "payments",
  key: "ci",
  model: "gpt-4.1-2025-04-14",
  meter: "input",
  quantity: null,
  costUsd: parseDecimal(usd),
  kind: "usage",
  description: "",
  ...use,
});
const run = (lines: InvoiceLine[], cells: UsageCell[], aliases: [string, string][] = []) =>
  reconcile(lines, cells, { aliases: new Map(aliases), timeZone: "UTC" });
const brief = ({ differences }: ReturnType<typeof run>) =>
  differences.map(({ cause, days, difference }) => [cause, days.length, formatDecimal(difference)]);

describe("reconciliation", () => {
  it("of a file that agrees finds nothing", () => {
    const result = run([line({ day: "2026-10-01" })], [cell({ day: "2026-10-01" })]);
    expect(result).toMatchObject({ matched: 1, differences: [], unit: "usd", strange: [] });
    expect(formatDecimal(result.difference)).toBe("0");
  });

  it("names days of another time zone, which move money between days and nothing else", () => {
    const days = ["2026-10-01", "2026-10-02", "2026-10-03"];
    // Ten in the evening of New York is two in the morning of the next day, UTC.
    const cells = days.flatMap((day, i) => [
      cell({ day, quantity: 1000 }),
      cell({ day, hour: 2, quantity: 10 * (i + 1) }),
    ]);
    const lines = [
      line({ day: "2026-10-01" }, "0.00102"),
      line({ day: "2026-10-02" }, "0.00103"),
      line({ day: "2026-10-03" }, "0.001"),
    ];
    const result = run(lines, cells);
    expect(brief(result)).toEqual([["time_zone", 3, "-0.00001"]]);
    expect(result.differences[0]?.evidence).toContain("America/");
  });

  it.each<[cause: string, lines: InvoiceLine[], cells: UsageCell[], difference: string]>([
    [
      "missing_key",
      [line({ day: "2026-10-01" }), line({ day: "2026-10-01", key: "sk…a91f" }, "4.12")],
      [cell({ day: "2026-10-01" })],
      "4.12",
    ],
    [
      "unpriced",
      [line({ day: "2026-10-01" }, "0.5")],
      [{ ...cell({ day: "2026-10-01" }), costUsd: parseDecimal("0"), unpricedQuantity: 1000 }],
      "0.5",
    ],
    [
      "provider_credit",
      [line({ day: "2026-10-01" }), line({ day: "2026-10-01", kind: "credit" }, "-5")],
      [cell({ day: "2026-10-01" })],
      "-5",
    ],
    [
      "not_invoiced",
      [line({ day: "2026-10-01" })],
      [cell({ day: "2026-10-01" }), cell({ day: "2026-10-01", model: "o3" })],
      "-0.001",
    ],
    ["rounding", [line({ day: "2026-10-01" }, "0.00")], [cell({ day: "2026-10-01", quantity: 4999 })], "-0.004999"],
    [
      "price",
      [line({ day: "2026-10-01", quantity: 1_000_000 }, "2.5")],
      [cell({ day: "2026-10-01", quantity: 1_000_000 })],
      "1.5",
    ],
    ["unexplained", [line({ day: "2026-10-01", quantity: 7 }, "9")], [cell({ day: "2026-10-01" })], "8.999"],
  ])("names %s", (cause, lines, cells, difference) => {
    expect(brief(run(lines, cells))).toEqual([[cause, 1, difference]]);
  });

  it("knows the provider's projects and keys by aliases, and compares without those that are nobody's", () => {
    const lines = [line({ day: "2026-10-01", project: "proj_9", key: "key_9" })];
    const cells = [cell({ day: "2026-10-01" })];
    expect(run(lines, cells)).toMatchObject({ strange: ["project", "key"], matched: 1, differences: [] });
    const named = run(lines, cells, [
      ["proj_9", "payments"],
      ["key_9", "ci"],
    ]);
    expect(named).toMatchObject({ strange: [], compared: ["project", "key", "model", "meter"], differences: [] });
  });

  it("compares what was used where the file has no costs, reasoning as output", () => {
    const cells = [
      cell({ day: "2026-10-01", meter: "output_text" }),
      cell({ day: "2026-10-01", meter: "output_reasoning" }),
    ];
    const used = (quantity: number) => line({ day: "2026-10-01", meter: "output", quantity, costUsd: null });
    expect(run([used(2000)], cells)).toMatchObject({ unit: "units", matched: 1, differences: [] });
    expect(brief(run([used(2001)], cells))).toEqual([["unexplained", 1, "1"]]);
  });

  it("adds up: every difference is in exactly one cause, whatever there is", () => {
    const day = fc.constantFrom("2026-10-01", "2026-10-02", "2026-10-03");
    const whose = { day, key: fc.constantFrom("ci", "web", "x"), model: fc.constantFrom("gpt-4.1", "o3") };
    const uses = fc.record({
      ...whose,
      hour: fc.integer({ min: 0, max: 23 }),
      quantity: fc.integer({ min: 1, max: 9000 }),
    });
    const lines = fc.record({
      ...whose,
      kind: fc.constantFrom("usage", "credit", "adjustment"),
      cents: fc.integer({ min: -50, max: 900 }),
    });
    fc.assert(
      fc.property(fc.array(uses), fc.array(lines, { minLength: 1 }), (used, billed) => {
        const cells = used.map((use) => cell(use));
        const file = billed.map(({ cents, ...rest }) => line(rest, (cents / 100).toFixed(2)));
        const result = run(file, cells);
        const explained = sumDecimals(result.differences.map(({ difference }) => difference));
        expect(formatDecimal(explained)).toBe(formatDecimal(result.difference));
        expect(result.invoiced.minus(result.rated).eq(result.difference)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });
});

it.each([
  ["Claude Haiku 4.5", "claude-haiku-4-5-20251001"],
  ["anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"],
  ["gpt-4.1-2025-04-14", "gpt-4.1"],
])("takes %s and %s for one model", (a, b) => {
  expect(canonicalModel(a)).toBe(canonicalModel(b));
});
