import { expect, it } from "vitest";
import { listMonths, readMonth } from "./months.ts";

const clock = { zone: "Asia/Seoul", nowMs: Date.parse("2026-12-31T16:00:00Z") };

it("a report is of the last month that is over in the workspace's zone, or of the one that is named", () => {
  expect(readMonth(undefined, clock)).toBe("2026-12");
  expect(readMonth("2026-03", clock)).toBe("2026-03");
  expect(() => readMonth("March", clock)).toThrow("month: is not a month");
  expect(listMonths(clock)).toEqual(["2027-01", "2026-12", "2026-11", "2026-10", "2026-09", "2026-08"]);
});
