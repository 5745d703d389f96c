import { BUDGET_ENFORCEMENTS, BUDGET_PERIODS, BUDGET_SCOPES, type BudgetRow, UNPRICED_RULES } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { getCatalogue } from "#i18n";
import { type BudgetForm, fillForm, newForm, parseForm, readForm } from "./budget-form.ts";

const filled: BudgetForm = { ...newForm("Asia/Seoul"), name: "ci", subject: "platform", limitUsd: "200" };

describe("a budget's form", () => {
  it("becomes the budget that the API takes", () => {
    expect(parseForm({ ...filled, thresholds: "50% 80,100", email: "a@example.com; b@example.com" })).toEqual({
      budget: {
        ...{ name: "ci", scope: "team", subject: "platform", period: "month", timeZone: "Asia/Seoul" },
        ...{ limitUsd: "200", enforcement: "hard", unpriced: "refuse" },
        alerts: { thresholds: [50, 80, 100], forecast: true, email: ["a@example.com", "b@example.com"] },
      },
    });
  });

  it("comes back as it was from a budget that is changed", () => {
    const parsed = parseForm({ ...filled, webhook: "https://hooks.example.com/x", forecast: "" });
    if (!("budget" in parsed)) throw new Error("was refused");
    const row: BudgetRow = {
      ...{ budgetId: "b", createdAt: "", from: "", resetsAt: null, subjects: [] },
      ...parsed.budget,
    };
    expect(parseForm(fillForm(row))).toEqual(parsed);
  });

  it.each([
    ["name", "CI Budget"],
    ["scope", "everyone"],
    ["subject", ""],
    ["period", "year"],
    ["timeZone", "Mars/Base"],
    ["limitUsd", "0"],
    ["limitUsd", "-5"],
    ["limitUsd", "1e3"],
    ["limitUsd", "12,50"],
    ["enforcement", "firm"],
    ["unpriced", ""],
    ["thresholds", "often"],
    ["thresholds", "80.5"],
    ["webhook", "javascript:alert(1)"],
    ["email", "nobody"],
  ] as const)("names the field %s of %j as wrong, and no other", (field, value) => {
    expect(parseForm({ ...filled, [field]: value })).toEqual({ problems: [field] });
  });

  it("takes what was sent as text, and what is missing as empty", () => {
    const sent = new FormData();
    sent.set("name", " ci ");
    sent.set("subject", new File(["x"], "x"));
    expect(readForm(sent)).toMatchObject({ name: "ci", subject: "", forecast: "" });
  });

  it("offers every choice that the API has, in words", () => {
    const t = getCatalogue("en");
    expect(Object.keys(t.budgetScope)).toEqual([...BUDGET_SCOPES]);
    expect(Object.keys(t.budgetPeriod)).toEqual([...BUDGET_PERIODS]);
    expect(Object.keys(t.budgetEnforcement)).toEqual([...BUDGET_ENFORCEMENTS]);
    expect(Object.keys(t.budgetUnpriced)).toEqual([...UNPRICED_RULES]);
  });
});
