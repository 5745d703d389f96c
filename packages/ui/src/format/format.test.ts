import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addDecimals, compareDecimals, divideDecimals, roundDecimal, shiftDecimal } from "./decimal-text.ts";
import { formatDate, formatInstantRange, formatPrecise, parseInstantNs } from "./format-instant.ts";
import {
  columnDecimals,
  formatAxisMoney,
  formatInterval,
  formatMoney,
  formatPricePerMillion,
  headlineDecimals,
} from "./format-money.ts";
import {
  formatAge,
  formatAxisCount,
  formatBytes,
  formatCount,
  formatDuration,
  formatOffset,
  formatRatio,
  formatShare,
} from "./format-quantity.ts";

const amount = fc
  .tuple(fc.boolean(), fc.bigInt(0n, 10n ** 20n), fc.integer({ min: 0, max: 12 }))
  .map(([negative, units, scale]) => {
    const digits = units.toString().padStart(scale + 1, "0");
    const whole = digits.slice(0, digits.length - scale);
    const text = scale === 0 ? whole : `${whole}.${digits.slice(digits.length - scale)}`;
    return negative && units !== 0n ? `-${text}` : text;
  });

describe("decimal text", () => {
  it("rounds half to even", () => {
    expect(
      ["0.125", "0.135", "-0.125", "2.5", "3.5"].map((text) => roundDecimal(text, text.length > 4 ? 2 : 0)),
    ).toEqual(["0.12", "0.14", "-0.12", "2", "4"]);
  });

  it("never moves an amount by more than half a step", () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 0, max: 8 }), (text, decimals) => {
        const moved = addDecimals([roundDecimal(text, decimals), negate(text)]);
        const half = `0.${"5".padStart(decimals + 1, "0")}`;
        expect(compareDecimals(moved.replace("-", ""), half)).toBeLessThanOrEqual(0);
      }),
    );
  });

  it("adds in any order to the same exact sum, and comparing agrees with subtracting", () => {
    fc.assert(
      fc.property(fc.array(amount, { minLength: 2 }), (texts) => {
        expect(compareDecimals(addDecimals(texts), addDecimals(texts.toReversed()))).toBe(0);
        const [a = "0", b = "0"] = texts;
        const difference = addDecimals([a, negate(b)]);
        expect(compareDecimals(a, b)).toBe(compareDecimals(difference, "0"));
      }),
    );
  });

  it("divides and shifts exactly", () => {
    expect(divideDecimals("1", "3", 4)).toBe("0.3333");
    expect(divideDecimals("1", "0", 4)).toBeNull();
    expect(shiftDecimal("0.0000125", 6)).toBe("12.5");
    expect(shiftDecimal("3", 6)).toBe("3000000");
  });

  it("refuses what is not a plain decimal", () => {
    for (const text of ["", "1e3", "NaN", " 1", "1.", ".5", "--1"])
      expect(() => roundDecimal(text, 2)).toThrow(RangeError);
  });
});

const negate = (text: string): string => (text.startsWith("-") ? text.slice(1) : `-${text}`);

describe("money", () => {
  it.each([
    ["130770", 0, "$130,770"],
    ["-2.1", 2, "−$2.10"],
    ["0", 2, "$0.00"],
    ["0.004", 2, "<$0.01"],
    ["-0.004", 2, ">−$0.01"],
    ["0.3", 0, "<$1"],
    ["1234567.891", 2, "$1,234,567.89"],
    ["9007199254740993.01", 2, "$9,007,199,254,740,993.01"],
  ])("%s at %i decimals is %s", (text, decimals, expected) => {
    expect(formatMoney(text, decimals)).toBe(expected);
  });

  it("can be read back to the rounded amount, and shows zero only for zero", () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 0, max: 8 }), (text, decimals) => {
        const written = formatMoney(text, decimals);
        if (/^[<>]/.test(written)) {
          expect(compareDecimals(text, "0")).not.toBe(0);
          return;
        }
        const read = written.replace("−", "-").replaceAll(/[$,]/g, "");
        expect(compareDecimals(read, roundDecimal(text, decimals))).toBe(0);
      }),
    );
  });

  it("chooses decimals by size", () => {
    expect(["130770.5", "30.7", "0.2994", "0.0004", "0"].map(headlineDecimals)).toEqual([0, 2, 4, 6, 2]);
    expect(columnDecimals(["230.45", "0.6", null])).toBe(2);
    expect(columnDecimals(["1.2", "0.0512"])).toBe(4);
    expect(columnDecimals([])).toBe(2);
  });

  it("writes intervals, bounds and prices", () => {
    expect(formatInterval("29.4", "32.1", 2)).toBe("29.40–32.10");
    expect(formatInterval("857", null, 0)).toBe("≥ 857");
    expect(formatInterval(null, null, 2)).toBeNull();
    expect(formatPricePerMillion("0.000003")).toBe("$3.00");
    expect(formatPricePerMillion("0.000000025")).toBe("$0.025");
    expect([0, 0.05, 20, 1500, 2_000_000].map(formatAxisMoney)).toEqual(["$0", "$0.05", "$20", "$1.5K", "$2M"]);
  });
});

describe("quantities", () => {
  it("bytes by the largest unit that is reached when rounded", () => {
    expect([0, 1023, 1024, 1536, 1024 ** 2 - 1, 1024 ** 2, 2 * 1024 ** 3].map(formatBytes)).toEqual([
      "0 B",
      "1023 B",
      "1.0 KiB",
      "1.5 KiB",
      "1.0 MiB",
      "1.0 MiB",
      "2.0 GiB",
    ]);
  });

  it("ages in their largest unit, never rounded up to what they have not reached", () => {
    const ages = [-5_000_000_000n, 0n, 59_999_999_999n, 60_000_000_000n, 3_599_000_000_000n, 86_399_000_000_000n];
    expect(ages.map(formatAge)).toEqual(["0 s", "0 s", "59 s", "1 min", "59 min", "23 h"]);
    expect(formatAge(12n * 86_400n * 1_000_000_000n)).toBe("12 d");
  });

  it("groups counts and abbreviates only for axes", () => {
    expect([0, 999, 1000, 333_047_929, -1200].map(formatCount)).toEqual(["0", "999", "1,000", "333,047,929", "−1,200"]);
    expect([0, 850, 20_000, 1_250_000].map(formatAxisCount)).toEqual(["0", "850", "20K", "1.25M"]);
  });

  it("never rounds a share to all or nothing", () => {
    expect(formatRatio("0.8919500000")).toBe("89.2%");
    expect(formatRatio("0.9999900000")).toBe(">99.9%");
    expect(formatRatio("0.0001")).toBe("<0.1%");
    expect([formatRatio("1"), formatRatio("0")]).toEqual(["100.0%", "0.0%"]);
    expect(formatShare(371, 500)).toBe("74.2%");
    expect(formatShare("0", "0")).toBeNull();
  });

  it.each([
    [0n, "0 ns"],
    [999n, "999 ns"],
    [340_000n, "340 µs"],
    [4_700_000n, "4.7 ms"],
    [9_949_999n, "9.9 ms"],
    [160_000_000n, "160 ms"],
    [4_700_000_000n, "4.7 s"],
    [59_949_999_999n, "59.9 s"],
    [59_960_000_000n, "1 min 0 s"],
    [1_270_000_000_000n, "21 min 10 s"],
    [3_599_600_000_000n, "1 h 00 min"],
    [7_500_000_000_000n, "2 h 05 min"],
  ])("%i ns is %s", (durationNs, expected) => {
    expect(formatDuration(durationNs)).toBe(expected);
  });

  it("never shows 60 s, 60 min or 1000 of a unit", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 15n), (durationNs) => {
        expect(formatDuration(durationNs)).not.toMatch(/\b(60(\.0)? s|60 min|1000(\.0)? (ns|µs|ms))/);
      }),
    );
    expect(() => formatDuration(-1n)).toThrow(RangeError);
  });

  it("writes offsets on an axis", () => {
    expect([0n, 250_000_000n, 12_500_000_000n, 768_000_000_000n, 3_725_000_000_000n].map(formatOffset)).toEqual([
      "0",
      "250 ms",
      "12.5 s",
      "12:48",
      "1:02:05",
    ]);
  });
});

describe("instants", () => {
  it("keeps nanoseconds and stays in UTC", () => {
    const at = parseInstantNs("2026-11-29T23:59:59.123456789Z");
    expect(at % 1_000_000_000n).toBe(123_456_789n);
    expect(formatPrecise(at)).toBe("23:59:59.123456");
    expect(formatDate(at, "en")).toBe("29 Nov 2026");
    expect(formatInstantRange(at, at + 2_000_000_000n, "en")).toBe("29 Nov 2026, 23:59:59 – 30 Nov 2026, 00:00:01");
    for (const text of ["2026-11-29", "2026-11-29T23:59:59+09:00", "2026-13-29T00:00:00Z"])
      expect(() => parseInstantNs(text)).toThrow(RangeError);
  });
});
