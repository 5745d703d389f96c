import { countToDecimal, formatDecimal, parseDecimal, sumDecimals } from "@centspan/base";
import type { InvoiceLine, UsageCell, UsageQuestion } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reconcile } from "./index.ts";
import { canonicalModel } from "./match-lines.ts";
import { brief, causes, cell, keepLedger, line, PRICE, run, type Use } from "./testing/ledger.ts";

describe("reconciliation", () => {
  it("of a file that agrees finds nothing", async () => {
    const result = await run([line({ day: "2026-10-01" })], [cell({ day: "2026-10-01" })]);
    expect(result).toMatchObject({ matched: 1, differences: [], unit: "usd", strange: [] });
    expect(formatDecimal(result.difference)).toBe("0");
  });

  it("names days of another time zone, which move money between days and nothing else", async () => {
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
    const result = await run(lines, cells);
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
      "correction",
      [line({ day: "2026-10-01" }), line({ day: "2026-09-12", kind: "correction" }, "-0.7")],
      [cell({ day: "2026-10-01" }), cell({ day: "2026-09-12" })],
      "-0.7",
    ],
    [
      "commitment",
      [line({ day: "2026-10-01" }), line({ day: "2026-12-01", kind: "commitment" }, "20")],
      [cell({ day: "2026-10-01" }), cell({ day: "2026-12-01" })],
      "20",
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
  ])("names %s", async (cause, lines, cells, difference) => {
    expect(brief(await run(lines, cells))).toEqual([[cause, 1, difference]]);
  });

  it("names a row that is there twice, where it agrees without, to the file's last place", async () => {
    const twice = [line({ day: "2026-10-01" }, "0.0010"), line({ day: "2026-10-01", row: "row 9" }, "0.0010")];
    const agreeing = cell({ day: "2026-10-01", quantity: 1049 });
    const result = await run(twice, [agreeing]);
    expect(brief(result)).toEqual([["duplicate", 1, "0.000951"]]);
    expect(result.differences[0]?.evidence).toContain("row 9");
    const other = [twice[0], line({ day: "2026-10-01", description: "other" }, "0.0010")].flatMap((one) => one ?? []);
    expect(causes(await run(other, [agreeing]))).toEqual(["unexplained"]);
    expect(causes(await run(twice, [cell({ day: "2026-10-01", quantity: 2000 })]))).toEqual([]);
    expect(causes(await run(twice, [cell({ day: "2026-10-01", quantity: 500 })]))).toEqual(["unexplained"]);
  });

  it("calls unpriced what is more on the invoice, of as much as was used, and nothing else", async () => {
    const unpriced = { ...cell({ day: "2026-10-01" }), unpricedQuantity: 400 };
    const causesOf = async (quantity: number | null, usd: string) =>
      causes(await run([line({ day: "2026-10-01", quantity }, usd)], [unpriced]));
    expect(await causesOf(null, "0.5")).toEqual(["unpriced"]);
    expect(await causesOf(1000, "0.5")).toEqual(["unpriced"]);
    expect(await causesOf(7000, "0.5")).toEqual(["unexplained"]);
    expect(await causesOf(null, "0.0004")).toEqual(["unexplained"]);
  });

  it("names what is in quarantine here, of that day and whose it is, and of nobody else", async () => {
    const held = { day: "2026-10-01", provider: "openai", team: "payments", key: "lost", model: "gpt-4.1", calls: 2 };
    const causesOf = async (invoiced: InvoiceLine, quarantined = held) => {
      const ledger = keepLedger([cell({ day: "2026-10-01" })], [], [quarantined]);
      return causes(
        await reconcile([line({ day: "2026-10-01" }), invoiced], ledger, { aliases: new Map(), timeZone: "UTC" }),
      );
    };
    // No span of that key counts, and yet the key is not missing.
    expect(await causesOf(line({ day: "2026-10-01", key: "lost" }, "3"))).toEqual(["quarantined"]);
    expect(await causesOf(line({ day: "2026-10-01", key: "lost" }, "3"), { ...held, model: "o3" })).toEqual([
      "missing_key",
    ]);
    expect(await causesOf(line({ day: "2026-10-02", key: "lost" }, "3"))).toEqual(["missing_key"]);
  });

  it("compares fees that name no model with what they were for all models, and those that do by model", async () => {
    const searches = (model: string): UsageCell => cell({ day: "2026-10-01", model, meter: "web_search" });
    const cells = [cell({ day: "2026-10-01" }), searches("gpt-4.1"), searches("o3")];
    const fee = (model: string | null, usd: string) => line({ day: "2026-10-01", meter: "web_search", model }, usd);
    const tokens = line({ day: "2026-10-01" });
    expect(await run([tokens, fee(null, "0.002")], cells)).toMatchObject({ matched: 2, differences: [] });
    expect(await run([tokens, fee("gpt-4.1", "0.001"), fee("o3", "0.001")], cells)).toMatchObject({
      matched: 3,
      differences: [],
    });
  });

  it("names what came here after its month was closed, which the file of then does not have", async () => {
    const late = (use: Use, laterUsd: string): UsageCell => ({ ...cell(use), laterUsd: parseDecimal(laterUsd) });
    const cells = [
      late({ day: "2026-10-01", quantity: 1500 }, "0.0005"),
      late({ day: "2026-10-01", key: "new" }, "0.001"),
    ];
    const result = await run([line({ day: "2026-10-01" })], cells);
    expect(brief(result)).toEqual([
      ["correction", 1, "-0.001"],
      ["correction", 1, "-0.0005"],
    ]);
    expect(await run([line({ day: "2026-10-01" }, "0.0015")], cells.slice(0, 1))).toMatchObject({ matched: 1 });
  });

  it("asks the ledger for what the file tells apart, and closely for what differs alone", async () => {
    const asked: UsageQuestion[] = [];
    const models = Array.from({ length: 40 }, (_, model) => `m${model}`);
    const days = Array.from({ length: 31 }, (_, index) => `2026-10-${String(index + 1).padStart(2, "0")}`);
    // Of all models but one, what is used at two in the morning is of the day before to the provider.
    const moved = models.slice(1);
    const cells = [
      ...days.map((day) => cell({ day, model: "m0" })),
      ...moved.flatMap((model, m) => days.map((day, d) => cell({ day, model, hour: 2, quantity: 1000 + m + 50 * d }))),
      { ...cell({ day: "2026-10-01" }), provider: "another" },
    ];
    const bill = (model: string, day: string, tokens: number) =>
      line({ day, model, project: null, key: null }, formatDecimal(PRICE.times(countToDecimal(tokens))));
    const lines = [
      ...days.map((day) => bill("m0", day, 1000)),
      ...moved.flatMap((model, m) => days.slice(0, -1).map((day, d) => bill(model, day, 1000 + m + 50 * (d + 1)))),
    ];
    const result = await reconcile(lines, keepLedger(cells, asked), { aliases: new Map(), timeZone: "America/Bogota" });
    expect(result.differences.map(({ cause, evidence }) => [cause, evidence])).toEqual([
      ["time_zone", "by days of America/Bogota every day is equal"],
    ]);
    expect(result.matched).toBe(31);
    expect(asked.map((question) => question.cells)).toEqual([
      { daysOf: "UTC" },
      "quarters",
      { daysOf: "America/Bogota" },
    ]);
    for (const { by, providers } of asked) expect([by, providers]).toEqual([["model"], ["openai"]]);
    expect(asked[1]?.only?.map(({ model }) => model)).toEqual(moved.slice(-33).reverse());
    const agreeing: UsageQuestion[] = [];
    await reconcile(lines.slice(0, 31), keepLedger(cells.slice(0, 31), agreeing), {
      aliases: new Map(),
      timeZone: "UTC",
    });
    expect(agreeing).toHaveLength(1);
  });

  it("compares a day that lies between those of the file, and none outside of them for a credit", async () => {
    const lines = [
      line({ day: "2026-10-01" }),
      line({ day: "2026-10-03" }),
      line({ day: "2026-11-20", kind: "credit" }, "-1"),
    ];
    const cells = ["2026-10-01", "2026-10-02", "2026-10-03", "2026-10-04"].map((day) => cell({ day, quantity: 1000 }));
    const result = await run(lines, cells);
    expect(result.days).toEqual({ from: "2026-10-01", to: "2026-10-03" });
    expect(brief(result)).toEqual([
      ["provider_credit", 1, "-1"],
      ["unexplained", 1, "-0.001"],
    ]);
    expect(await run([line({ day: "2026-11-20", kind: "credit" }, "-1")], cells)).toMatchObject({
      days: { from: "2026-11-20", to: "2026-11-20" },
      matched: 0,
    });
  });

  it("is done at once with a file of very many rows, of one day and of names that nobody knows", async () => {
    const lines = Array.from({ length: 40_000 }, (_, row) =>
      line({ day: "2026-10-01", key: "nobody", row: `${row}` }, "0.01"),
    );
    const cells = Array.from({ length: 2000 }, (_, key) => cell({ day: "2026-10-01", key: `${key}` }));
    const { strange, differences } = await run(lines, cells);
    expect([strange, differences.map(({ rows }) => rows.length)]).toEqual([["key"], [40_000]]);
  });

  it("knows the provider's projects and keys by aliases, and compares without those that are nobody's", async () => {
    const lines = [line({ day: "2026-10-01", project: "proj_9", key: "key_9" })];
    const cells = [cell({ day: "2026-10-01" })];
    expect(await run(lines, cells)).toMatchObject({ strange: ["project", "key"], matched: 1, differences: [] });
    const named = await run(lines, cells, [
      ["proj_9", "payments"],
      ["key_9", "ci"],
    ]);
    expect(named).toMatchObject({ strange: [], compared: ["project", "key", "model", "meter"], differences: [] });
  });

  it("compares what was used where the file has no costs, reasoning as output", async () => {
    const cells = [
      cell({ day: "2026-10-01", meter: "output_text" }),
      cell({ day: "2026-10-01", meter: "output_reasoning" }),
    ];
    const used = (quantity: number) => line({ day: "2026-10-01", meter: "output", quantity, cost: null });
    expect(await run([used(2000)], cells)).toMatchObject({ unit: "units", matched: 1, differences: [] });
    expect(brief(await run([used(2001)], cells))).toEqual([["unexplained", 1, "1"]]);
  });

  it("adds up: every difference is in exactly one cause, whatever there is", async () => {
    const day = fc.constantFrom("2026-10-01", "2026-10-02", "2026-10-03");
    const whose = { day, key: fc.constantFrom("ci", "web", "x"), model: fc.constantFrom("gpt-4.1", "o3") };
    const uses = fc.record({
      ...whose,
      hour: fc.integer({ min: 0, max: 23 }),
      quantity: fc.integer({ min: 1, max: 9000 }),
    });
    const lines = fc.record({
      ...whose,
      kind: fc.constantFrom("usage", "credit", "adjustment", "correction", "commitment"),
      cents: fc.integer({ min: -50, max: 900 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(uses), fc.array(lines, { minLength: 1 }), async (used, billed) => {
        const cells = used.map((use) => cell(use));
        const file = billed.map(({ cents, ...rest }) => line(rest, (cents / 100).toFixed(2)));
        const result = await run(file, cells);
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
