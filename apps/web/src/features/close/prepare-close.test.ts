import type { PeriodRow } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { prepareClose } from "./prepare-close.ts";

const closed: PeriodRow = {
  period: "2026-10",
  timeZone: "UTC",
  from: "2026-10-01T00:00:00.000000000Z",
  to: "2026-11-01T00:00:00.000000000Z",
  status: "closed",
  closedAt: "2026-11-03T08:30:00.000Z",
  closedBy: "finance",
  exactUsd: "1204.3333330001",
  amountUsd: "1204.33",
  unpricedCalls: 0,
  quarantinedCalls: 0,
  unratedUnits: 0,
  lines: [
    { team: "", lines: 12, exactUsd: "4.333333", roundingUsd: "-0.003333", amountUsd: "4.33", owner: null },
    { team: "data", lines: 2000, exactUsd: "1199.998", roundingUsd: "0.002", amountUsd: "1200", owner: null },
  ],
  commitments: [],
};
const open: PeriodRow = {
  ...closed,
  period: "2026-11",
  from: closed.to,
  to: "2026-12-01T00:00:00.000000000Z",
  status: "open",
  closedAt: null,
  closedBy: null,
  unpricedCalls: 3,
};
const context = (now: string, ratedThrough: string | null) =>
  ({ nowMs: Date.parse(now), ratedThrough, language: "en" }) as const;

describe("a month", () => {
  it("that is closed shows its statement in cents, what rounding did, and that every step is done", () => {
    const view = prepareClose([open, closed], closed, [], context("2026-11-29T00:00:00Z", null));
    expect(view).toMatchObject({
      isClosed: true,
      total: "$1,204.33",
      exactTotal: "$1,204.333333",
      wholeTotal: "$1,204.3333330001",
      lines: "2,012",
      unallocated: "$4.33",
    });
    // One figure of it, to the cent, on one page.
    const [unowned, ...others] = closed.lines;
    const rounded = { ...closed, lines: unowned ? [{ ...unowned, exactUsd: "4.335" }, ...others] : [] };
    expect(prepareClose([rounded], rounded, [], context("2026-11-29T00:00:00Z", null)).unallocated).toBe("$4.33");
    expect(view.rows.map(({ team, rounding, amount }) => [team, rounding, amount])).toEqual([
      ["", "−$0.003333", "$4.33"],
      ["data", "+$0.002000", "$1,200.00"],
    ]);
    expect(view.steps.map(({ done }) => done)).toEqual([true, true, true, true]);
    expect(view.months).toEqual([
      { period: "2026-11", isClosed: false, isThis: false },
      { period: "2026-10", isClosed: true, isThis: true },
    ]);
  });

  it.each([
    ["2026-11-30T23:59:59Z", "2026-12-01T00:00:00Z", [false, true, false, false]],
    ["2026-12-01T00:00:00Z", "2026-11-30T23:59:59Z", [true, false, false, false]],
    ["2026-12-01T00:00:00Z", null, [true, false, false, false]],
  ])("that is open at %s, rated to %s, says what is missing", (now, ratedThrough, done) => {
    const view = prepareClose([open], open, [], context(now, ratedThrough));
    expect(view.steps.map((step) => step.done)).toEqual(done);
    expect(view.total).toBe("$1,204.333333");
  });

  it("tells what was paid in advance apart, and what that usage would have cost by the token", () => {
    const line = {
      commitment: "plan",
      team: "data",
      costUsd: "60",
      payPerTokenUsd: "81.5",
      provenance: "allocated",
    } as const;
    const commitments = [
      { ...line, status: "used" as const },
      { ...line, status: "unused" as const, team: "", costUsd: "40", payPerTokenUsd: "0" },
    ];
    const view = prepareClose([closed], { ...closed, commitments }, [], context("2026-12-01T00:00:00Z", null));
    expect(view.commitments.map(({ team, status, payPerToken, cost }) => [team, status, payPerToken, cost])).toEqual([
      ["data", "used", "$81.500000", "$60.000000"],
      ["", "unused", null, "$40.000000"],
    ]);
  });

  it("without rounding has no sign on it", () => {
    const even = { ...closed, lines: closed.lines.map((line) => ({ ...line, roundingUsd: "0" })) };
    const { rows } = prepareClose([even], even, [], context("2026-12-01T00:00:00Z", null));
    expect(rows.map(({ rounding }) => rounding)).toEqual(["$0.000000", "$0.000000"]);
  });
});
