import type { Retention } from "@centspan/model";
import { expect, it } from "vitest";
import { findUsageHorizons, forgetOldBudgets } from "./retention.ts";

const DAY_NS = 86_400_000_000_000n;
const keep = (workspace: string, signal: Retention["signal"], days: number): Retention => ({ workspace, signal, days });

it("knows since when spans and records are both there, and nothing of those who keep them for ever", () => {
  const policies = [keep("a", "traces", 30), keep("a", "logs", 7), keep("b", "logs", 9), keep("c", "metrics", 1)];
  expect([...findUsageHorizons(policies, 100n * DAY_NS)]).toEqual([
    ["a", 93n * DAY_NS],
    ["b", 91n * DAY_NS],
  ]);
});

it("asks for nothing before 1970", () => {
  expect([...findUsageHorizons([keep("a", "traces", 200)], 100n * DAY_NS)]).toEqual([]);
});

it("keeps what was spent of budgets until a month that began with it has been over for another", async () => {
  const accounts = { forgetBudgetAccounts: async (before: Date) => before.getTime() };
  const nowNs = BigInt(Date.parse("2026-11-01T12:00:00Z")) * 1_000_000n;
  expect(new Date(await forgetOldBudgets(accounts, nowNs))).toEqual(new Date("2026-08-31T12:00:00Z"));
});
