import {
  countToDecimal,
  createRandom,
  type Decimal,
  formatDecimal,
  parseDecimal,
  sumDecimals,
  ZERO,
} from "@centspan/base";
import type { Meter, MeterSpend } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { explainChange } from "./explain-change.ts";
import { findAnomalies } from "./find-anomalies.ts";
import { forecastSpend } from "./forecast-spend.ts";

const float = (amount: Decimal | undefined) => Number(formatDecimal(amount ?? ZERO));
const usd = (values: readonly number[]) => values.map((value) => parseDecimal(value.toFixed(6)));
const OPTIONS = { level: 0.8, seed: 1, resamples: 1000 };

describe("forecast", () => {
  it("expects of each weekday what it cost, and of the weekend nothing", () => {
    const week = [100, 110, 120, 130, 140, 0, 0];
    const forecast = forecastSpend(usd([...week, ...week, ...week]), { ...OPTIONS, daysAhead: 9 });
    expect(forecast?.method).toBe("weeks");
    expect(forecast?.days.map(({ expectedUsd }) => float(expectedUsd))).toEqual([...week, 100, 110]);
    expect(forecast?.total).toEqual({
      expectedUsd: parseDecimal("810"),
      lowUsd: parseDecimal("810"),
      highUsd: parseDecimal("810"),
    });
  });

  it("weighs the last weeks most", () => {
    const level = (value: number) => Array.from({ length: 7 }, () => value);
    const forecast = forecastSpend(usd([...level(10), ...level(20)]), { ...OPTIONS, daysAhead: 1 });
    expect(float(forecast?.total.expectedUsd)).toBeCloseTo((20 + 10 * 0.8) / 1.8, 9);
  });

  it("expects of a day that has begun no less than it has cost", () => {
    const days = usd(Array.from({ length: 28 }, () => 10));
    const total = (beganUsd: string) =>
      forecastSpend(days, { ...OPTIONS, daysAhead: 2, beganUsd: parseDecimal(beganUsd) })?.total;
    expect([float(total("4")?.expectedUsd), float(total("4")?.lowUsd)]).toEqual([20, 20]);
    expect([float(total("70")?.expectedUsd), float(total("70")?.lowUsd)]).toEqual([80, 80]);
  });

  it("holds what is expected, where a rare day lifts that above most futures", () => {
    const days = usd(Array.from({ length: 56 }, (_, index) => (index === 3 ? 24_750 : 1)));
    const forecast = forecastSpend(days, { ...OPTIONS, daysAhead: 7 });
    for (const one of [...(forecast?.days ?? []), forecast?.total]) {
      expect(float(one?.lowUsd)).toBeLessThanOrEqual(float(one?.expectedUsd));
      expect(float(one?.expectedUsd)).toBeLessThanOrEqual(float(one?.highUsd) + 1e-6);
    }
    expect(float(forecast?.total.expectedUsd)).toBeGreaterThan(100);
  });

  it("says so where days are too few to tell weekdays apart, and nothing where there is no history", () => {
    expect(forecastSpend(usd([1, 2, 3]), { ...OPTIONS, daysAhead: 2 })).toMatchObject({ method: "days" });
    expect(forecastSpend(usd([1, 2]), { ...OPTIONS, daysAhead: 2 })).toBe(null);
    expect(forecastSpend(usd([1, 2, 3]), { ...OPTIONS, daysAhead: 0 })).toBe(null);
  });

  it("holds what comes in about as many cases as its level says", () => {
    const random = createRandom(7);
    const day = (index: number) => (index % 7 > 4 ? 5 : 50) * (0.5 + random.next());
    let held = 0;
    const cases = 300;
    for (let run = 0; run < cases; run++) {
      const days = Array.from({ length: 56 + 10 }, (_, index) => day(index));
      const { total } =
        forecastSpend(usd(days.slice(0, 56)), { ...OPTIONS, seed: run, resamples: 300, daysAhead: 10 }) ?? {};
      const actual = days.slice(56).reduce((sum, cost) => sum + cost, 0);
      if (total && actual >= float(total.lowUsd) && actual <= float(total.highUsd)) held += 1;
    }
    expect(held / cases).toBeGreaterThan(0.7);
    expect(held / cases).toBeLessThan(0.92);
  });

  it("is the same for the same seed, bounded by its bounds, and its days add up", () => {
    const costs = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 3, maxLength: 60 });
    fc.assert(
      fc.property(costs, fc.integer({ min: 1, max: 40 }), (values, daysAhead) => {
        const ask = () => forecastSpend(usd(values), { ...OPTIONS, resamples: 60, daysAhead });
        const forecast = ask();
        expect(forecast).toEqual(ask());
        expect(forecast?.days).toHaveLength(daysAhead);
        const sum = sumDecimals((forecast?.days ?? []).map(({ expectedUsd }) => expectedUsd));
        expect(formatDecimal(forecast?.total.expectedUsd ?? ZERO)).toBe(formatDecimal(sum));
        for (const { lowUsd, highUsd } of forecast?.days ?? []) expect(lowUsd.lte(highUsd)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});

describe("anomalies", () => {
  const random = createRandom(3);
  const ordinary = Array.from({ length: 70 }, (_, index) => (index % 7 > 4 ? 10 : 100) * (0.9 + 0.2 * random.next()));

  it("finds none among ordinary days, whatever their weekday", () => expect(findAnomalies(usd(ordinary))).toEqual([]));

  it.each([
    ["a dear day", 60, 300, 1],
    ["a weekend that is like a working day", 61, 100, 1],
    ["a working day on which nearly nothing ran", 63, 2, -1],
  ])("finds %s, and not the days after it", (_what, index, cost, sign) => {
    const days = usd(ordinary.with(index, cost));
    const found = findAnomalies(days);
    expect(found.map((anomaly) => anomaly.index)).toEqual([index]);
    expect(Math.sign(found[0]?.score ?? 0)).toBe(sign);
    expect(found[0]?.costUsd).toEqual(days[index]);
  });

  it("finds the first spend after weeks of none, and not a cent more or less than a constant", () => {
    const none = Array.from({ length: 28 }, () => 0);
    const [first, ...others] = findAnomalies(usd([...none, 1]));
    expect([first?.index, first?.score, others]).toEqual([28, null, []]);
    expect(findAnomalies(usd([...none.map(() => 50), 54]))).toEqual([]);
    expect(findAnomalies(usd([...none.map(() => 50), 56])).map(({ index }) => index)).toEqual([28]);
  });

  it("judges nothing by less than three weeks", () =>
    expect(findAnomalies(usd([1, 1, 1, 1, 1, 1, 1, 1, 999]))).toEqual([]));
});

describe("price, volume and mix", () => {
  const cell = (model: string, meter: Meter, quantity: bigint, costUsd: string): MeterSpend => ({
    model,
    meter,
    quantity,
    costUsd: parseDecimal(costUsd),
  });
  const text = ({ volumeUsd, mixUsd, priceUsd }: ReturnType<typeof explainChange>) =>
    [volumeUsd, mixUsd, priceUsd].map(formatDecimal);
  const before = { calls: 100, cells: [cell("a", "input", 1000n, "10"), cell("b", "input", 1000n, "30")] };

  it.each([
    [
      "twice the calls",
      { calls: 200, cells: [cell("a", "input", 2000n, "20"), cell("b", "input", 2000n, "60")] },
      ["40", "0", "0"],
    ],
    [
      "a dearer model",
      { calls: 100, cells: [cell("a", "input", 500n, "5"), cell("b", "input", 1500n, "45")] },
      ["0", "10", "0"],
    ],
    [
      "half the price",
      { calls: 100, cells: [cell("a", "input", 1000n, "5"), cell("b", "input", 1000n, "30")] },
      ["0", "0", "-5"],
    ],
    ["another model", { calls: 100, cells: [cell("c", "input", 10n, "7")] }, ["0", "-33", "0"]],
    ["nothing any more", { calls: 0, cells: [] }, ["-40", "0", "0"]],
  ])("tells %s", (_what, after, parts) => expect(text(explainChange(before, after))).toEqual(parts));

  it("calls everything volume where nothing was before", () => {
    expect(text(explainChange({ calls: 0, cells: [] }, before))).toEqual(["40", "0", "0"]);
  });

  it("adds up to the difference to the last digit, and so does each line", () => {
    const cells = fc.uniqueArray(
      fc.record({
        model: fc.constantFrom("a", "b", "c"),
        meter: fc.constantFrom<Meter>("input", "output_text"),
        quantity: fc.bigInt({ min: 0n, max: 10n ** 12n }),
        costUsd: fc
          .bigInt({ min: 0n, max: 10n ** 15n })
          .map((nano) => countToDecimal(nano).times(parseDecimal("0.000000000001"))),
      }),
      { selector: ({ model, meter }) => model + meter },
    );
    const total = (of: { cells: readonly MeterSpend[] }) => sumDecimals(of.cells.map(({ costUsd }) => costUsd));
    const period = fc.record({ calls: fc.nat(10_000), cells });
    fc.assert(
      fc.property(period, period, (was, is) => {
        const change = explainChange(was, is);
        const parts = change.volumeUsd.plus(change.mixUsd).plus(change.priceUsd);
        expect(formatDecimal(parts)).toBe(formatDecimal(total(is).minus(total(was))));
        const lines = sumDecimals(change.cells.map(({ changeUsd }) => changeUsd));
        expect(formatDecimal(lines)).toBe(formatDecimal(change.changeUsd));
        for (const line of change.cells) {
          expect(formatDecimal(line.priceUsd.plus(line.quantityUsd))).toBe(formatDecimal(line.changeUsd));
        }
      }),
    );
  });
});
