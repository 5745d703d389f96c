/**
 * Spend and budgets in a real browser and in both languages: what a finance person does there, from the first look to the
 * last click.
 */
import { readFileSync } from "node:fs";
import { parseDecimal, ZERO } from "@centspan/base";
import type { CostRow } from "@centspan/model";
import { parse } from "csv-parse/sync";
import { describe, expect, inject, it } from "vitest";
import { getOk } from "../stack/api.ts";
import { keepScreenshot, readMain, type WatchedPage } from "../stack/browser.ts";
import { LANGUAGES, useFinanceWorkspace } from "../stack/finance-workspace.ts";
import { ODD_DAYS_BACK } from "../stack/spend-history.ts";

const WORKSPACE = "spend-pages";
const { open, control, centspan } = useFinanceWorkspace(WORKSPACE);

const DAY_MS = 86_400_000;
const dayBack = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
const asMoney = (amount: number): string => `$${amount.toFixed(2).replace(/\B(?=(\d{3})+\.)/g, ",")}`;
const overflow = (page: WatchedPage): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

describe("the spend page", () => {
  const range = { from: dayBack(30), to: dayBack(0) };
  const costs = async (groupBy: string) =>
    (
      await getOk<{ data: CostRow[] }>(
        `/cost?workspace=${WORKSPACE}&groupBy=${groupBy}&from=${range.from}&to=${range.to}`,
      )
    ).data;

  it.each(LANGUAGES)("answers in one screen what was spent, by whom, and why it moved (%s)", async (language) => {
    const page = await open("/spend", { language });
    await page.locator("main .recharts-surface").first().waitFor();
    const text = await readMain(page);
    const teams = await costs("team");
    const total = teams.reduce((sum, { costUsd }) => sum + Number(costUsd), 0);
    expect(text).toContain(asMoney(total));
    for (const { group, costUsd } of teams) {
      if (group !== "") expect(text).toContain(group);
      expect(text).toContain(asMoney(Number(costUsd)));
    }
    const unpriced = teams.reduce((sum, row) => sum + row.unpricedCalls, 0);
    const quarantined = teams.reduce((sum, row) => sum + row.quarantinedCalls, 0);
    expect([unpriced, quarantined].every((count) => count > 0)).toBe(true);
    expect(text).toContain(
      language === "en"
        ? `${unpriced} without a price, ${quarantined} in quarantine: in no figure`
        : `가격 없음 ${unpriced}건, 격리 ${quarantined}건`,
    );
    expect(text).toMatch(language === "en" ? /80%: [\d,.]+–[\d,.]+/ : /80%: /);
    await keepScreenshot(page, `20-spend-${language}`);
    expect(page.problems).toEqual([]);
  });

  it("leads from a team over its key to the runs, and finds the day on which a loop ran wild", async () => {
    const page = await open("/spend");
    await page.getByRole("link", { name: "payments", exact: true }).first().click();
    await page.waitForURL(/team=payments/);
    await page.getByRole("link", { name: "payments-ci", exact: true }).first().waitFor();
    expect(page.url()).toContain("groupBy=key");
    // The day that stands out is a row of its own, and opens what was spent on it.
    const day = new Date(dayBack(ODD_DAYS_BACK)).toLocaleDateString("en-GB", { day: "numeric", month: "short" });
    await page
      .getByRole("row", { name: `${day} payments-ci` })
      .getByRole("link")
      .click();
    await page.waitForURL((url) => url.searchParams.get("from") === dayBack(ODD_DAYS_BACK));
    expect(await readMain(page)).toContain("payments-ci");
    await page
      .getByRole("row", { name: /^payments-ci/ })
      .getByRole("link")
      .nth(1)
      .click();
    await page.waitForURL(/\/runs\?/);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({
      ...{ team: "payments", key: "payments-ci", from: dayBack(ODD_DAYS_BACK), to: dayBack(ODD_DAYS_BACK) },
    });
    expect(page.problems).toEqual([]);
  });

  it("gives what is on screen as a file, to the last decimal", async () => {
    const page = await open("/spend?groupBy=model");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "CSV" }).click(),
    ]);
    const rows: Record<string, string>[] = parse(readFileSync(await download.path()), { columns: true });
    const models = await costs("model");
    expect(Object.fromEntries(rows.map(({ model, cost_usd }) => [model, cost_usd]))).toEqual(
      Object.fromEntries(models.map(({ group, costUsd }) => [group, costUsd])),
    );
    expect(await readMain(page)).toContain("unpriced");
  });

  it("fits a phone in the dark, with every page within reach", async () => {
    const page = await open("/spend", { phone: true, dark: true });
    await page.locator("main .recharts-surface").first().waitFor();
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await keepScreenshot(page, "21-spend-phone");
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("link", { name: "Budgets" }).click();
    await page.getByRole("heading", { level: 1, name: "Budgets" }).waitFor();
    expect(page.problems).toEqual([]);
  });

  it("names what an address asks for that there isn't, and says what to do where nothing was spent", async () => {
    const page = await open("/spend?from=soon");
    expect(await readMain(page)).toContain("from: is not a day");
    await page.goto(new URL(`/spend?workspace=${WORKSPACE}&team=nobody`, inject("connection").webUrl).href);
    await page.getByRole("link", { name: "Clear all filters" }).click();
    await page.getByRole("heading", { name: "Spend by team" }).waitFor();
  });
});

describe("the budgets page", () => {
  it("makes a budget, says what is wrong with another by field, changes it, and ends it", async () => {
    const page = await open("/budgets");
    await page.getByRole("link", { name: "New budget" }).click();
    const form = page.getByRole("form", { name: "New budget" });
    await form.getByLabel("Name").fill("CI Budget");
    await form.getByLabel("Of a").selectOption("taskType");
    await form.getByLabel("Which").fill("repair");
    await form.getByLabel("Limit, USD").fill("12,50");
    await form.getByRole("button", { name: "Make it" }).click();
    await form.getByRole("alert").waitFor();
    expect(await form.innerText()).toContain("An amount above 0 such as 12.50");
    expect(await form.getByLabel("Of a").inputValue()).toBe("taskType");
    await keepScreenshot(page, "22-budget-refused");
    await form.getByLabel("Name").fill("repairs");
    await form.getByLabel("Limit, USD").fill("12.50");
    await form.getByRole("button", { name: "Make it" }).click();
    await page.waitForURL(/saved=repairs/);
    expect(await readMain(page)).toContain("Type of task repair · $12.50 · by month, UTC · hard: refuses");

    await page.getByRole("link", { name: "Change repairs" }).click();
    const change = page.getByRole("form", { name: "Change repairs" });
    await change.getByLabel("Limit is").selectOption("soft");
    await change.getByLabel("Mail to").fill("lead@example.com");
    await change.getByRole("button", { name: "Save" }).click();
    await page.waitForURL(/saved=repairs/);
    await page.getByText("soft: alerts only").waitFor();
    expect(await readMain(page)).toContain("80%, 100%, on forecast → log, lead@example.com");

    await page.getByRole("link", { name: "End repairs" }).click();
    await page.getByRole("button", { name: "End repairs" }).click();
    await page.getByText("The budget is ended.").waitFor();
    expect((await control().listBudgets(WORKSPACE)).length).toBe(0);
    expect(page.problems).toEqual([]);
  });

  it.each(LANGUAGES)("shows how near each is to its limit (%s)", async (language) => {
    const page = await open("/budgets", { language, dark: language === "ko" });
    expect(await readMain(page)).toContain(language === "en" ? "No budget yet" : "아직 예산이 없습니다");
    await centspan("budgets", "create", "ci", "--team", "*", "--limit", "200", "--per", "month");
    const [budget] = await control().listBudgets(WORKSPACE);
    if (budget === undefined) throw new Error("the budget was not made");
    await spend(budget.budgetId, "payments", "206.40", "0");
    await spend(budget.budgetId, "search", "151.25", "12.5");
    await page.reload();
    const text = await readMain(page);
    for (const figure of ["$206.40", "103.2%", "−$6.40", "$151.25", "$12.50", "$36.25"]) expect(text).toContain(figure);
    await keepScreenshot(page, `23-budgets-${language}`);
    await control().deleteBudget(WORKSPACE, budget.budgetId, "tests");
    expect(page.problems).toEqual([]);
  });

  /** As a gateway would: what it spent, and what it holds for calls under way. */
  async function spend(budgetId: string, subject: string, spentUsd: string, asideUsd: string): Promise<void> {
    const from = new Date(`${new Date().toISOString().slice(0, 7)}-01T00:00:00Z`);
    await control().visitBudgetAccount({
      ...{ budgetId, subject, from, holder: subject, visit: 1, wantedUsd: [], ttlMs: 600_000 },
      ...{ spentUsd: parseDecimal(spentUsd), asideUsd: parseDecimal(asideUsd), nextUsd: ZERO },
    });
  }

  it("takes no change that another site's form sends", async () => {
    const answer = await fetch(new URL("/budgets", inject("connection").webUrl), {
      method: "POST",
      headers: { origin: "https://attacker.example", "content-type": "application/x-www-form-urlencoded" },
      body: "name=theirs",
    });
    expect(answer.status).toBe(403);
  });
});
