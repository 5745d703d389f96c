import { expect, it } from "vitest";
import { dayOf, nextDay, startBeforeNs, startOfDayNs } from "./index.ts";

const iso = (ns: bigint): string => new Date(Number(ns / 1_000_000n)).toISOString();
const HOUR_NS = 3_600_000_000_000n;

it("starts days where the clocks of the zone do, of 23 and 25 hours too", () => {
  expect(iso(startOfDayNs("Asia/Kolkata", "2026-11-01"))).toBe("2026-10-31T18:30:00.000Z");
  const hours = (zone: string, day: string) => (startOfDayNs(zone, nextDay(day)) - startOfDayNs(zone, day)) / HOUR_NS;
  expect([hours("Europe/Berlin", "2026-03-29"), hours("America/New_York", "2026-11-01")]).toEqual([23n, 25n]);
  // Its clocks go from 23:59:59 to 01:00.
  expect(iso(startOfDayNs("America/Santiago", "2026-09-06"))).toBe("2026-09-06T04:00:00.000Z");
});

it("compares days with as many days before, whatever clocks do, and another stretch with one as long", () => {
  const before = (zone: string, from: string, to: string) =>
    iso(startBeforeNs(zone, startOfDayNs(zone, from), startOfDayNs(zone, to)));
  // A day of 25 hours on 25 October, one of 23 on 29 March.
  expect(before("Europe/Berlin", "2026-10-01", "2026-10-31")).toBe("2026-08-31T22:00:00.000Z");
  expect(before("Europe/Berlin", "2026-03-29", "2026-03-30")).toBe("2026-03-27T23:00:00.000Z");
  expect(before("UTC", "2026-03-01", "2026-03-31")).toBe("2026-01-30T00:00:00.000Z");
  const noonNs = startOfDayNs("Europe/Berlin", "2026-10-25") + 12n * HOUR_NS;
  expect(iso(startBeforeNs("Europe/Berlin", noonNs, noonNs + HOUR_NS))).toBe("2026-10-25T09:00:00.000Z");
});

it.each(["UTC", "Pacific/Kiritimati", "Pacific/Niue", "Australia/Lord_Howe", "Africa/Cairo", "America/Havana"])(
  "leaves no instant of a year in %s without a day and none with two",
  (zone) => {
    for (let day = "2025-12-31"; day < "2027-01-02"; day = nextDay(day)) {
      const startNs = startOfDayNs(zone, nextDay(day));
      expect([dayOf(zone, startNs - 1_000_000n), dayOf(zone, startNs)]).toEqual([day, nextDay(day)]);
    }
  },
);
