import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CentspanError,
  countToDecimal,
  createRandom,
  deriveId,
  formatDecimal,
  formatInstant,
  normaliseHexId,
  normaliseTimeZone,
  parseDecimal,
  parseInstant,
  parseNumeric,
  quantiseLine,
  ratio,
  roundToSum,
  sumDecimals,
  toProblem,
  ZERO,
} from "./index.ts";

describe("money", () => {
  it("sums and formats exactly, at any order of magnitude", () => {
    expect(formatDecimal(sumDecimals(["0.1", "0.2"].map(parseDecimal)))).toBe("0.3");
    expect(formatDecimal(parseDecimal("0.000000000001").times(countToDecimal(10n ** 20n)))).toBe("100000000");
    expect(formatDecimal(parseDecimal("-0.0"))).toBe("0");
  });

  it("rounds amounts so that they add up to their sum, rounded once", () => {
    const round = (...amounts: string[]) => roundToSum(amounts.map(parseDecimal), 2).map(formatDecimal);
    expect(round("0.333", "0.333", "0.334")).toEqual(["0.33", "0.33", "0.34"]);
    expect(round("0.005", "0.005")).toEqual(["0.01", "0"]);
    // A half of the sum goes to the even cent; what is below 0 is cut downwards too.
    expect(round("0.005", "0.02")).toEqual(["0", "0.02"]);
    expect(round("-0.004", "1.006")).toEqual(["0", "1"]);
    expect(round()).toEqual([]);
    const amount = fc.integer({ min: -(10 ** 9), max: 10 ** 9 }).map((n) => parseDecimal((n / 1e6).toFixed(6)));
    fc.assert(
      fc.property(fc.array(amount), fc.integer({ min: 0, max: 4 }), (amounts, decimals) => {
        const rounded = roundToSum(amounts, decimals);
        expect(sumDecimals(rounded).eq(sumDecimals(amounts).round(decimals, 2))).toBe(true);
        const unit = parseDecimal((10 ** -decimals).toFixed(4));
        for (const [index, one] of rounded.entries()) {
          const exact = amounts[index] ?? one;
          expect(one.minus(exact).abs().lt(unit)).toBe(true);
          expect(one.round(decimals, 0).eq(one)).toBe(true);
        }
      }),
    );
  });

  it("reads exponents where they may be, exactly", () => {
    const read = (text: string) => parseNumeric(text)?.toFixed() ?? null;
    expect(["1e-7", "-3.5E2", "0.06", "1.2e+3"].map(read)).toEqual(["0.0000001", "-350", "0.06", "1200"]);
    expect(["", "1e", "+1", "1,0", "Infinity", "1e9999"].map(read)).toEqual([null, null, null, null, null, null]);
  });

  it("refuses what is not a plain decimal", () => {
    for (const text of ["1e3", "", " 1", "NaN", "1.", ".5", "0x1"])
      expect(() => parseDecimal(text)).toThrow(RangeError);
    expect(() => countToDecimal(0.5)).toThrow(RangeError);
  });

  it("quantises half to even at the twelfth decimal", () => {
    const round = (text: string) => formatDecimal(quantiseLine(parseDecimal(text)));
    expect(round("0.0000000000005")).toBe("0");
    expect(round("0.0000000000015")).toBe("0.000000000002");
    expect(round("0.0000000000025")).toBe("0.000000000002");
    expect(round("-0.0000000000015")).toBe("-0.000000000002");
  });

  it("adds up any number of amounts of any size and sign as one after the other does", () => {
    const some = fc
      .tuple(fc.bigInt(-(10n ** 20n), 10n ** 20n), fc.integer({ min: -90, max: 70 }))
      .map(([digits, exponent]) => parseNumeric(`${digits}e${exponent}`) ?? ZERO);
    fc.assert(
      fc.property(fc.array(some, { maxLength: 300, size: "max" }), (amounts) => {
        const inTurn = amounts.reduce((total, amount) => total.plus(amount), ZERO);
        expect(formatDecimal(sumDecimals(amounts))).toBe(formatDecimal(inTurn));
      }),
    );
  });

  it("agrees with integer arithmetic on nano-dollars", () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt(0n, 10n ** 15n), { maxLength: 50 }), (nanos) => {
        const asText = (n: bigint) => `${n / 10n ** 9n}.${(n % 10n ** 9n).toString().padStart(9, "0")}`;
        const total = nanos.reduce((a, b) => a + b, 0n);
        expect(sumDecimals(nanos.map((n) => parseDecimal(asText(n)))).eq(parseDecimal(asText(total)))).toBe(true);
      }),
    );
  });

  it("gives ratios ten decimals and no value for an empty denominator", () => {
    expect(formatDecimal(ratio(parseDecimal("230.4593276"), countToDecimal(371)) ?? parseDecimal("0"))).toBe(
      "0.6211841714",
    );
    expect(ratio(parseDecimal("1"), parseDecimal("0"))).toBeNull();
  });
});

describe("time", () => {
  it("round-trips nanoseconds", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 4_102_444_800n * 10n ** 9n), (ns) => {
        expect(parseInstant(formatInstant(ns))).toBe(ns);
      }),
    );
  });

  it("reads zones, dates and ClickHouse's form, and nothing else", () => {
    expect(parseInstant("2026-11-29T01:00:00+01:00")).toBe(parseInstant("2026-11-29"));
    expect(parseInstant("2026-11-29 00:00:00.000000001")).toBe((parseInstant("2026-11-29") ?? 0n) + 1n);
    for (const text of ["yesterday", "2026-13-01", "", "1764374400"]) expect(parseInstant(text)).toBeNull();
  });

  it("refuses days that the calendar does not have, instead of taking the next month's", () => {
    for (const text of ["2026-02-30", "2026-02-29T00:00:00Z", "2026-04-31T12:00:00+02:00", "2026-01-01T24:00:00Z"])
      expect(parseInstant(text)).toBeNull();
    expect(parseInstant("2028-02-29T23:30:00-01:00")).toBe(parseInstant("2028-03-01T00:30:00"));
  });

  it("knows time zones by any name and case, and offsets and inventions by none", () => {
    expect(normaliseTimeZone("europe/berlin")).toBe("Europe/Berlin");
    for (const zone of ["UTC", "Asia/Kolkata", "America/Argentina/Buenos_Aires"])
      expect(normaliseTimeZone(zone)).not.toBeNull();
    for (const zone of ["+09:00", "", "Mars/Olympus", "'"]) expect(normaliseTimeZone(zone)).toBeNull();
  });
});

describe("random and ids", () => {
  it("repeats with the seed and covers the range", () => {
    const draws = (seed: number) => {
      const random = createRandom(seed);
      return Array.from({ length: 1000 }, () => random.integer(10));
    };
    expect(draws(7)).toEqual(draws(7));
    expect(draws(7)).not.toEqual(draws(8));
    expect(new Set(draws(7)).size).toBe(10);
  });

  it("derives ids without concatenation collisions", () => {
    expect(deriveId("x", "ab", "c")).not.toBe(deriveId("x", "a", "bc"));
    expect(deriveId("x", "a")).toBe(deriveId("x", "a"));
  });

  it("accepts hex ids in either case and refuses zeros and wrong lengths", () => {
    expect(normaliseHexId("ABCDEF0123456789", 8)).toBe("abcdef0123456789");
    for (const bad of ["0000000000000000", "abc", "g".repeat(16)]) expect(normaliseHexId(bad, 8)).toBeNull();
  });
});

it("turns an error into problem details with its code and field", () => {
  const problem = toProblem(new CentspanError("invalid_request", "model: is missing", { field: "model" }));
  expect(problem).toMatchObject({ status: 400, code: "invalid_request", field: "model", detail: "model: is missing" });
});
