import type { InvoiceLine } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { causes, cell, line, run } from "./testing/ledger.ts";

describe("of a file in cents", () => {
  const days = Array.from({ length: 28 }, (_, index) => `2026-10-${String(index + 1).padStart(2, "0")}`);
  /** Tokens of a microdollar, which differ from day to day and from key to key. */
  const used = (day: number, key = 0) => 10_000 + ((day * 7919 + key * 104_729) % 30_011);
  const inCents = (tokens: number, factor: number) => (Math.round((tokens / 10_000) * factor) / 100).toFixed(2);
  const compare = (factor: number, keys: string[], lines: InvoiceLine[] = []) =>
    run(
      [...keys.flatMap((key, k) => days.map((day, d) => line({ day, key }, inCents(used(d, k), factor)))), ...lines],
      [
        ...keys.flatMap((key, k) => days.map((day, d) => cell({ day, key, quantity: used(d, k) }))),
        ...lines.map(({ day }) => cell({ day, key: "exact" })),
      ],
    );

  it("takes amounts that were rounded for that", async () => {
    expect(causes(await compare(1, ["ci"]))).toEqual(["rounding"]);
    expect(
      causes(
        await compare(
          1,
          Array.from({ length: 40 }, (_, k) => `key ${k}`),
        ),
      ),
    ).toEqual(["rounding"]);
  });

  it("finds a price that is too high by less than a cent a line: together they are all to one side", async () => {
    const ofOne = await compare(1.25, ["ci"]);
    expect(causes(ofOne)).toEqual(["unexplained"]);
    expect(ofOne.differences.map(({ evidence }) => evidence)).toContainEqual(expect.stringContaining("to one side"));
    // By key there are too few lines for that, of all of them not.
    const ofAll = await compare(
      1.05,
      Array.from({ length: 40 }, (_, k) => `key ${k}`),
    );
    expect(causes(ofAll)).toEqual(["unexplained"]);
  });

  it("takes no amount for rounded where another of its file has more places, zeros at the end too", async () => {
    const precise = line({ day: "2026-10-01", key: "exact" }, "0.0010000000");
    expect(causes(await compare(1, ["ci"], [precise]))).toEqual(["unexplained"]);
  });

  it("gives a line half of a cent, and many of one day not a half each", async () => {
    const one = (usd: string) =>
      run([line({ day: "2026-10-01" }, usd)], [cell({ day: "2026-10-01", quantity: 15_000 })]);
    expect([causes(await one("0.02")), causes(await one("0.03"))]).toEqual([["rounding"], ["unexplained"]]);
    const many = Array.from({ length: 200 }, () => line({ day: "2026-10-01" }, "0.05"));
    const against = async (quantity: number) => causes(await run(many, [cell({ day: "2026-10-01", quantity })]));
    expect([await against(9_900_000), await against(9_300_000), await against(8_100_000)]).toEqual([
      ["rounding"],
      ["unexplained"],
      ["unexplained"],
    ]);
  });
});
