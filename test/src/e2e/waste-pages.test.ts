/**
 * Three clicks of a newcomer, over the demo's runs: who has the lowest cost per passing test, whether that is certain, and
 * what is paid for twice, with a run that proves it. What pages say is held against the Trace API.
 */
import type {
  BalanceRow,
  Cheapest,
  Comparison,
  OutcomeCostRow,
  WasteAnswer,
  WasteFixRow,
  WasteItemRow,
} from "@centspan/model";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { getOk } from "../stack/api.ts";
import { keepScreenshot, openBrowser, openPage, readMain } from "../stack/browser.ts";

// Several pages in a test.
vi.setConfig({ testTimeout: 120_000 });

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

const address = (path: string): string => new URL(path, inject("connection").webUrl).href;

/** Money as pages show it below a dollar. */
const shown = (amount: string): string => `$${Number(amount).toFixed(4)}`;
const LANGUAGES = ["en", "ko"] as const;

/** The team whose passes cost least, and the one that decides whether that is certain. */
async function findCheapest(): Promise<{ cheapest: OutcomeCostRow | undefined; against: string }> {
  const answer = await getOk<{ data: OutcomeCostRow[]; cheapest: Cheapest }>("/outcomes/cost?groupBy=team");
  const { group, against } = answer.cheapest;
  return { cheapest: answer.data.find((row) => row.group === group), against };
}

it("answers in three clicks: who is cheapest, whether that is certain, what is paid for twice, and a run as proof", async () => {
  const { cheapest, against } = await findCheapest();
  const compared = await getOk<Comparison>(`/outcomes/compare?groupBy=team&a=${against}&b=${cheapest?.group}`);
  const page = await openPage(browser);
  await page.goto(address("/"));

  await page.getByRole("link", { name: "Outcomes", exact: true }).click();
  await page.waitForURL(/\/outcomes/);
  const verdict = page.getByRole("region", { name: `${cheapest?.group} has the lowest cost per pass` });
  await verdict.waitFor();
  const said = await verdict.innerText();
  expect(said).toContain(shown(cheapest?.costPerPassUsd ?? ""));
  expect(said.includes("No difference can be shown yet.")).toBe(compared.verdict === "not_shown");
  expect(said.includes(`Yes: ${cheapest?.group} is lower than ${against}.`)).toBe(compared.verdict === "b_lower");
  await keepScreenshot(page, "30-outcomes");

  await page.getByRole("link", { name: "Waste", exact: true }).click();
  await page.waitForURL(/\/waste/);
  await page.getByRole("heading", { level: 1, name: "Waste" }).waitFor();
  const { total } = await getOk<WasteAnswer>("/waste?groupBy=cause");
  expect(await readMain(page)).toContain(`Paid twice ${shown(total.wasteUsd)}`);
  await keepScreenshot(page, "31-waste");

  await page.getByRole("link", { name: "Proof: Prefix broken: system text" }).click();
  await page.waitForURL(/\/runs\/[0-9a-f]{32}\?.*span=/);
  const panel = page.getByRole("complementary", { name: "Selected span" });
  await panel
    .getByText(/a time of day or date changed/)
    .first()
    .waitFor();
  expect(await panel.innerText()).toMatch(/Prefix broken: system text[\s\S]*a time of day or date changed/);
  const traceId = /runs\/([0-9a-f]{32})/.exec(page.url())?.[1] ?? "";
  const balance = await getOk<BalanceRow>(`/traces/${traceId}/balance`);
  const sheet = await page.getByRole("region", { name: "Balance sheet" }).innerText();
  for (const amount of [balance.usefulUsd, balance.paidUsd]) expect(sheet).toContain(shown(amount));
  await keepScreenshot(page, "32-run-balance");
  expect(page.problems).toEqual([]);
});

describe("what was paid for twice", () => {
  it("adds up to spend exactly, by cause and in every run, and no call lost more than it cost", async () => {
    const { data, total } = await getOk<WasteAnswer>("/waste?groupBy=cause");
    const parts = [total.usefulUsd, total.wasteUsd, total.failedUsd, total.notAnalysedUsd];
    const sum = (amounts: readonly string[]): number => amounts.reduce((all, amount) => all + Number(amount), 0);
    expect(sum(parts)).toBeCloseTo(Number(total.spendUsd), 10);
    const ofKind = (kind: string): string[] => data.filter((row) => row.kind === kind).map(({ costUsd }) => costUsd);
    expect(sum(ofKind("repeated"))).toBeCloseTo(Number(total.wasteUsd), 10);
    expect(sum(ofKind("failed"))).toBeCloseTo(Number(total.failedUsd), 10);
    const { data: fixes } = await getOk<{ data: WasteFixRow[] }>("/waste/top");
    expect(fixes.map(({ teams, change }) => [teams, change])).toContainEqual([["search"], "clock"]);
  });

  it("is found where it was made: in one team's instructions, and nowhere else", async () => {
    const { data } = await getOk<{ data: WasteItemRow[] }>("/waste/items?cause=prefix_system&limit=1000");
    expect(new Set(data.map(({ team }) => team))).toEqual(new Set(["search"]));
  });

  it.each(LANGUAGES)(
    "has a page for each cause, with what ends it and the calls that show it (%s)",
    async (language) => {
      const page = await openPage(browser, { colorScheme: language === "ko" ? "dark" : "light" });
      await page.goto(address(`/waste/prefix_system?lang=${language}`));
      const text = await readMain(page);
      for (const said of language === "en"
        ? ["Remedy", "system text · a time of day or date changed", "Calls that show it"]
        : ["해결책", "시스템 텍스트 · 시각이나 날짜가 바뀜", "이를 보여 주는 호출"]) {
        expect(text).toContain(said);
      }
      await keepScreenshot(page, `33-cause-${language}`);
      expect(page.problems).toEqual([]);
    },
  );

  it("narrows to a team by its name", async () => {
    const page = await openPage(browser);
    await page.goto(address("/waste?groupBy=team"));
    await page.locator("main").getByRole("link", { name: "search", exact: true }).click();
    await page.waitForURL(/team=search/);
    // Read anew until they agree: what else is done in this workspace may be rated between the two.
    await vi.waitFor(
      async () => {
        await page.reload();
        const { total } = await getOk<WasteAnswer>("/waste?groupBy=cause&team=search");
        expect(/Where (\S+) went/.exec(await readMain(page))?.[1]).toBe(shown(total.spendUsd));
      },
      { timeout: 30_000 },
    );
    expect(page.problems).toEqual([]);
  });

  it("says that there is no such cause, and that a period has none of one", async () => {
    const page = await openPage(browser);
    expect((await page.goto(address("/waste/no_such_cause")))?.status()).toBe(404);
    const quiet = await openPage(browser);
    await quiet.goto(address("/waste/prefix_system?from=2020-01-01&to=2020-01-02"));
    await quiet.getByText("None of it in this period").waitFor();
    expect(quiet.problems).toEqual([]);
  });
});

it.each(LANGUAGES)("compares any two groups, and fits a phone (%s)", async (language) => {
  const page = await openPage(browser, { viewport: { width: 390, height: 844 }, colorScheme: "dark" });
  await page.goto(address(`/outcomes?groupBy=model&a=scripted-strong&b=scripted-cheap&lang=${language}`));
  const text = await readMain(page);
  expect(text).toContain("A · scripted-strong");
  expect(text).toContain("B · scripted-cheap");
  for (const path of ["/outcomes", "/waste", "/waste/prefix_system"]) {
    await page.goto(address(`${path}?lang=${language}`));
    await page.waitForLoadState("networkidle");
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
    await keepScreenshot(page, `34-phone${path.replaceAll("/", "-")}-${language}`);
  }
  expect(page.problems).toEqual([]);
});
