/**
 * The shell and the home page on the demo's data: what a finance person finds at once, an engineer's questions within two clicks,
 * search, palette, views, exports, the report. Figures are held against the Trace API.
 */
import { readFileSync } from "node:fs";
import type { KeyRow, OutcomeCostRow, TraceRow, WasteAnswer, WasteItemRow } from "@centspan/model";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { getOk } from "../stack/api.ts";
import { keepScreenshot, openBrowser, openPage, readMain, type WatchedPage } from "../stack/browser.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

const address = (path: string): string => new URL(path, inject("connection").webUrl).href;
const open = async (path: string, options: Parameters<typeof openPage>[1] = {}): Promise<WatchedPage> => {
  const page = await openPage(browser, options);
  await page.goto(address(path));
  return page;
};
/** As pages write an amount under a dollar, whichever way it was rounded. */
const amount = (usd: string): RegExp => {
  const cut = Math.floor(Number(usd) * 10_000) / 10_000;
  return new RegExp(`\\$(${cut.toFixed(4)}|${(cut + 0.0001).toFixed(4)})`);
};
const readWaste = () => getOk<WasteAnswer>("/waste?groupBy=cause");

describe("the home page", () => {
  it("says at once what finance asks: spend, per pass, paid twice, unallocated, lost, forecast, seats, invoices, savings", async () => {
    const page = await open("/");
    const { total } = await readWaste();
    const strip = page.getByRole("region", { name: "What finance asks next" });
    const said = (await strip.innerText()).replace(/\s+/g, " ");
    for (const name of ["Paid twice", "Unallocated", "Abandoned, reverted", "Forecast", "Seats", "Invoice residual"])
      expect(said).toContain(name);
    expect(said).toMatch(amount(total.wasteUsd));
    expect(said).toContain("none entered");
    // Within the first screen, by the pixel.
    const box = await strip.boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(1000);
    // The days are told, and those before them, with their zone.
    const bar = (await page.locator("body").innerText()).replace(/\s+/g, " ");
    expect(bar).toMatch(/30 complete days.* against \d+ \w+ – \d+ \w+/);
    expect(bar).toContain("UTC");
    await page.waitForLoadState("networkidle");
    await keepScreenshot(page, "50-home");
    expect(page.problems).toEqual([]);
  });

  it("says it in Korean, in the dark, and on a phone without sideways scrolling", async () => {
    const korean = await open("/?lang=ko", { colorScheme: "dark" });
    await korean.getByRole("region", { name: "재무에서 이어 묻는 것" }).waitFor();
    await keepScreenshot(korean, "51-home-korean-dark");
    const phone = await open("/", { viewport: { width: 390, height: 844 } });
    await keepScreenshot(phone, "52-home-phone");
    expect(await phone.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
    expect([...korean.problems, ...phone.problems]).toEqual([]);
  });

  it("leads to each section by its question, with what stands beside it", async () => {
    const page = await open("/");
    const menu = page.getByRole("navigation", { name: "Main" });
    expect((await menu.getByRole("link").allInnerTexts()).map((text) => text.trim())).toEqual([
      ...["Ledger", "Outcomes", "Waste", "Runs", "Allocation"],
      ...["Recommendations", "Close", "Sources and privacy", "Settings"],
    ]);
    await menu.getByRole("link", { name: "Allocation" }).click();
    await page
      .getByRole("navigation", { name: "Pages of this section" })
      .getByRole("link", { name: "Budgets" })
      .click();
    await page.getByRole("heading", { level: 1, name: "Budgets" }).waitFor();
    expect(await menu.getByRole("link", { name: "Allocation" }).getAttribute("aria-current")).toBe("page");
    expect(page.problems).toEqual([]);
  });
});

describe("an engineer finds within two clicks", () => {
  it("which request was paid twice, why, where the cache broke and at what price", async () => {
    const page = await open("/");
    const [cause] = (await readWaste()).data.filter(({ kind }) => kind === "repeated");
    const { data: items } = await getOk<{ data: WasteItemRow[] }>(`/waste/items?cause=${cause?.group}&limit=1`);
    await page.locator(`main a[href*='/waste/${cause?.group}']`).first().click();
    await page.waitForURL(/\/waste\/\w+/);
    const text = await readMain(page);
    expect(text).toMatch(amount(cause?.costUsd ?? "0"));
    expect(text).toContain(items[0]?.evidence.path ?? "nowhere");
    await page.locator("main a[href*='/runs/']").first().click();
    await page.waitForURL(/\/runs\/[0-9a-f]{32}/);
    expect(page.problems).toEqual([]);
  });

  it("what failed loops cost, and of which tasks", async () => {
    const page = await open("/");
    const { total } = await getOk<{ total: OutcomeCostRow }>("/outcomes/cost?groupBy=team");
    await page
      .getByRole("link", { name: amount(total.failedSpendUsd) })
      .first()
      .click();
    await page.waitForURL(/groupBy=task/);
    expect(await readMain(page)).toContain("failed");
  });

  it("whether a cheaper model would have passed", async () => {
    const page = await open("/");
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Outcomes" }).click();
    await page.getByRole("link", { name: "Model", exact: true }).click();
    await page.waitForURL(/groupBy=model/);
    const text = await readMain(page);
    for (const model of ["scripted-strong", "scripted-cheap"]) expect(text).toContain(model);
    expect(page.problems).toEqual([]);
  });

  it("why a run cost what it did, and which tool or agent spent", async () => {
    const page = await open("/");
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Runs" }).click();
    await page.locator("main a[href^='/runs/']").first().click();
    await page.waitForURL(/\/runs\/[0-9a-f]{32}/);
    await page.getByText("invoke_agent").first().waitFor();
    const text = await readMain(page);
    for (const name of ["invoke_agent", "loop.turn", "execute_tool"]) expect(text).toContain(name);
  });

  it("whether a number is measured, estimated or simulated, at the number", async () => {
    const page = await open("/");
    const marks = page.locator("main").getByRole("img", { name: "simulated" });
    expect(await marks.count()).toBeGreaterThan(5);
  });
});

describe("search and the palette", () => {
  it("open a run by its id, without any code in the browser, too", async () => {
    const { data } = await getOk<{ data: TraceRow[] }>("/traces?limit=1&onlyRuns=true");
    const [run] = data;
    const page = await open(`/search?q=${run?.traceId}`, { javaScriptEnabled: false });
    expect(page.url()).toContain(`/runs/${run?.traceId}`);
    const nothing = await open("/search?q=nobody-is-called-so");
    expect(await readMain(nothing)).toContain("Nothing is called so");
  });

  it("open a key by a part of its name, by keys alone", async () => {
    const { data: keys } = await getOk<{ data: KeyRow[] }>("/keys");
    const name = keys.find((key) => key.kind === "gateway" && key.name.endsWith("-agent"))?.name ?? "";
    const page = await open("/");
    await page.waitForLoadState("networkidle");
    await page.keyboard.press("Control+k");
    await page.keyboard.type(name.slice(0, 6));
    await page.getByRole("option", { name }).waitFor();
    await keepScreenshot(page, "53-palette");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/keys\//);
    await page.getByRole("heading", { level: 1, name }).waitFor();
    expect(page.problems).toEqual([]);
  });

  it("let who goes on by keys past the field, and open with what is typed there", async () => {
    const page = await open("/");
    await page.waitForLoadState("networkidle");
    const field = page.locator("input[name=q]");
    await field.focus();
    await page.keyboard.press("Tab");
    expect(await page.getByRole("dialog").isVisible()).toBe(false);
    await field.focus();
    await page.keyboard.type("bu");
    await page.getByRole("option", { name: "Budgets" }).waitFor();
    // Open already: it stays open.
    await page.keyboard.press("Control+k");
    await page.keyboard.press("Escape");
    expect(await page.getByRole("dialog").isVisible()).toBe(false);
    expect(page.problems).toEqual([]);
  });

  it("keep a view by name, whose address is all of it", async () => {
    const page = await open("/outcomes?groupBy=model&period=all");
    await page.waitForLoadState("networkidle");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("models ever");
    await page.getByRole("option", { name: /Save this view as/ }).click();
    await page.keyboard.press("Escape");
    await page.goto(address("/"));
    await page.waitForLoadState("networkidle");
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "models ever" }).click();
    await page.waitForURL(/\/outcomes\?groupBy=model&period=all/);
    expect(page.problems).toEqual([]);
  });
});

describe("what is on the screen leaves it", () => {
  it("as CSV and as a picture, as it is shown", async () => {
    const page = await open("/");
    const panel = page.getByRole("region", { name: "Spend by team, and what it bought" });
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      panel.getByRole("button", { name: "CSV" }).click(),
    ]);
    const lines = readFileSync(await file.path(), "utf8")
      .trim()
      .split("\r\n");
    expect(lines[0]).toContain("Team,Spend,Passed / tasks");
    expect(lines.map((line) => line.split(",")[0])).toEqual(expect.arrayContaining(["payments", "search", "All"]));
    await page.locator("main .recharts-surface").first().waitFor();
    const [picture] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "PNG" }).first().click(),
    ]);
    expect(
      readFileSync(await picture.path())
        .subarray(1, 4)
        .toString(),
    ).toBe("PNG");
    expect(page.problems).toEqual([]);
  });

  it("as a month's report, printed without what steers it", async () => {
    const month = new Date().toISOString().slice(0, 7);
    const page = await open(`/report?month=${month}`);
    await page.getByRole("region", { name: "Spend by team, and what it bought" }).waitFor();
    await page.waitForLoadState("networkidle");
    await page.emulateMedia({ media: "print" });
    expect(await page.getByRole("navigation", { name: "Main" }).isVisible()).toBe(false);
    await keepScreenshot(page, "54-report-printed");
    const bad = await open("/report?month=March");
    expect(await bad.locator("main").innerText()).toContain("month: is not a month");
    expect(page.problems).toEqual([]);
  });
});
