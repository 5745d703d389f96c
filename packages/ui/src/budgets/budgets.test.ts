import type { BudgetRow } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { prepareBudgets } from "./prepare-budgets.ts";

const account = (
  subject: string,
  spentUsd: string,
  remainingUsd: string,
  reservedUsd = "0",
  forecastUsd: string | null = null,
) => ({
  ...{ subject, spentUsd, reservedUsd, remainingUsd, forecastUsd },
});
const budget = (given: Partial<BudgetRow>): BudgetRow => ({
  ...{ budgetId: "b", name: "ci", scope: "team", subject: "*", period: "month", timeZone: "Europe/Berlin" },
  ...{ limitUsd: "200", enforcement: "hard", unpriced: "refuse", createdAt: "2026-11-01T00:00:00.000Z" },
  ...{ from: "2026-10-31T23:00:00.000Z", resetsAt: "2026-11-30T23:00:00.000Z", subjects: [] },
  alerts: { thresholds: [100, 80], forecast: true, email: [] },
  ...given,
});
const show = (given: Partial<BudgetRow>) => prepareBudgets([budget(given)], 2, "en")[0];

describe("budgets", () => {
  it("say what is spent, held and left: what is held can't be spent by another call", () => {
    const subjects = [account("payments", "150", "50", "30", "199.99"), account("search", "10", "190")];
    expect(show({ subjects })).toMatchObject({
      ...{ limit: "$200.00", thresholds: ["80%", "100%"], resetsAt: "30 Nov 2026, 23:00", others: 0 },
      subjects: [
        {
          ...{ stand: "within", spent: "$150.00", share: "75.0%", held: "$30.00", left: "$20.00" },
          ...{ forecast: "$199.99", forecastIsOver: false, spentPct: 75, heldPct: 15 },
        },
        { subject: "search", forecast: null },
      ],
    });
  });

  it.each([
    ["under the first threshold", "159.99", "40.01", "within", 79.995],
    ["at a threshold", "160", "40", "near", 80],
    ["at its limit, where nothing is left", "200", "0", "over", 100],
    ["above it", "205", "-5", "over", 100],
  ])("stand %s", (_why, spentUsd, remainingUsd, stand, spentPct) => {
    const shown = show({ subjects: [account("payments", spentUsd, remainingUsd)] })?.subjects[0];
    expect(shown).toMatchObject({ stand, spentPct, isOverspent: remainingUsd.startsWith("-") });
  });

  it("are drawn no further than their limit", () => {
    const shown = show({ subjects: [account("payments", "190", "10", "30", "400")] })?.subjects[0];
    expect(shown).toMatchObject({ spentPct: 95, heldPct: 5, left: "−$20.00", forecastIsOver: true });
  });

  it("have a row where nothing was spent yet, unless they are of each by itself", () => {
    expect(show({ subject: "search" })?.subjects).toMatchObject([
      { subject: "search", spent: "$0.00", left: "$200.00" },
    ]);
    expect(show({})?.subjects).toEqual([]);
  });

  it("show the subjects that spent most, and how many others there are; the fullest budget first", () => {
    const subjects = ["a", "b", "c", "d"].map((name) => account(name, "1", "199"));
    const full = budget({ name: "full", subjects: [account("x", "201", "-1")] });
    const shown = prepareBudgets([budget({ subjects }), budget({ name: "empty" }), full], 2, "en");
    expect(shown.map(({ name, others }) => [name, others])).toEqual([
      ["full", 0],
      ["ci", 2],
      ["empty", 0],
    ]);
  });

  it("name the host of a webhook, and not its address, which may hold a secret", () => {
    const alerts = {
      thresholds: [],
      forecast: false,
      email: ["lead@example.com"],
      webhook: "https://hooks.example.com/T0/s3cret",
    };
    expect(show({ alerts, resetsAt: null })).toMatchObject({
      ...{ webhookHost: "hooks.example.com", emails: ["lead@example.com"], thresholds: [], resetsAt: null },
    });
  });
});
