import { join } from "node:path";
import type { OutcomeCostRow } from "@centspan/model";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { getOk } from "../stack/api.ts";
import { keepScreenshot, openBrowser, openPage, readMain, type WatchedPage } from "../stack/browser.ts";
import { runProcess } from "../stack/processes.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

const address = (path: string): string => new URL(path, inject("connection").webUrl).href;

/** Charts are drawn once the page's code runs; a picture before that would be half a page. A period of a single bucket has none. */
async function waitForCharts(page: WatchedPage): Promise<void> {
  await page.waitForLoadState("networkidle");
  const charts = page.locator("main .recharts-surface");
  if ((await charts.count()) > 0) await charts.first().waitFor();
}

/** An amount cut or rounded up at so many decimals: which of the two is a matter of the formatter's own tests. */
function shownAs(amount: string | null | undefined, decimals: number): RegExp {
  const unit = 10 ** -decimals;
  const cut = Math.floor(Number(amount) / unit) * unit;
  return new RegExp(`\\$(${cut.toFixed(decimals)}|${(cut + unit).toFixed(decimals)})\\b`);
}

it("leads from the overview over a key and a run to the waterfall and one span", async () => {
  const page = await openPage(browser);
  await page.goto(address("/"));
  const { total } = await getOk<{ total: OutcomeCostRow }>("/outcomes/cost?groupBy=team");

  // The first screen answers a finance person: what was spent, what it bought, at which price, and how sure that is.
  const first = await readMain(page);
  for (const team of ["payments", "search", "platform"]) expect(first).toContain(team);
  expect(first).toContain(`${total.passed} of ${total.tasks} tasks`);
  expect(first).toMatch(shownAs(total.spendUsd, 4));
  expect(first).toMatch(shownAs(total.costPerPassUsd, 4));
  expect(first).toMatch(/95%: 0\.\d+–0\.\d+/);
  expect(first).toContain("simulated");
  await waitForCharts(page);
  await keepScreenshot(page, "1-overview");

  await page.getByRole("link", { name: "platform-agent", exact: true }).first().click();
  await page.waitForURL(/\/keys\//);
  await page.getByRole("heading", { level: 1, name: "platform-agent" }).waitFor();
  await waitForCharts(page);
  await keepScreenshot(page, "2-key");

  const run = page.locator("main a[href^='/runs/']").last();
  await run.click();
  await page.waitForURL(/\/runs\/[0-9a-f]{32}/);
  await page.getByText("invoke_agent centspan-repair").first().waitFor();
  await waitForCharts(page);
  await keepScreenshot(page, "3-run");

  // The waterfall: three layers, and the engine's steps as a lane under the decode that they served.
  const waterfall = await readMain(page);
  for (const name of [
    "loop.turn",
    "WS /v1/responses",
    "api.tokenize",
    "chat scripted-",
    "inference.prefill",
    "decode.step",
  ]) {
    expect(waterfall).toContain(name);
  }
  await page
    .locator("a[href*='span=']")
    .filter({ hasText: /^inference\.decode$/ })
    .first()
    .click();
  await page.waitForURL(/[?&]span=[0-9a-f]{16}/);
  await page.getByText("centspan.decode.tokens").waitFor();
  await page.getByText("simulated", { exact: true }).first().waitFor();
  await keepScreenshot(page, "4-span");

  await page.keyboard.press("Escape");
  await page.waitForURL((url) => !url.searchParams.has("span"));
  expect(page.problems).toEqual([]);
});

it("shows a call's charge lines at its span, exactly as the API has them", async () => {
  const page = await openPage(browser);
  const { data } = await getOk<{ data: { traceId: string; spanId: string; costUsd: string }[] }>("/calls?limit=1");
  const [call] = data;
  await page.goto(address(`/runs/${call?.traceId}?span=${call?.spanId}`));
  await page.getByText("gen_ai.usage.input_tokens").waitFor();
  expect(await readMain(page)).toMatch(shownAs(call?.costUsd, 6));
  expect(page.problems).toEqual([]);
});

it("has pages for dark, phone and Korean, without sideways scrolling", async () => {
  const phone = await openPage(browser, { viewport: { width: 390, height: 844 }, colorScheme: "dark" });
  await phone.goto(address("/"));
  await waitForCharts(phone);
  await keepScreenshot(phone, "5-phone-dark");
  expect(await phone.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  const korean = await openPage(browser);
  await korean.goto(address("/?lang=ko"));
  expect(await korean.locator("html").getAttribute("lang")).toBe("ko");
  await keepScreenshot(korean, "6-korean");
  expect([...phone.problems, ...korean.problems]).toEqual([]);
});

it.each([
  ["en", "More filters", "Attribute, name=value", "Apply", "No run matches these filters"],
  ["ko", "조건 더 보기", "속성, 이름=값", "적용", "조건에 맞는 실행이 없습니다"],
])(
  "narrows runs to an attribute, by keys alone, and says so in the address (%s)",
  async (lang, more, label, apply, none) => {
    const { data } = await getOk<{ data: { task: string }[] }>("/traces?onlyRuns=true&limit=50");
    const task = data.find((run) => run.task !== "")?.task ?? "";
    const attribute = `centspan.task.id=${task}`;
    const wanted = await getOk<{ data: { traceId: string }[] }>(
      `/traces?onlyRuns=true&limit=50&attribute=${encodeURIComponent(attribute)}`,
    );
    expect(wanted.data.length).toBeGreaterThan(0);
    const page = await openPage(browser);
    await page.goto(address(`/runs?lang=${lang}&period=all`));
    await page.getByText(more, { exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.getByLabel(label, { exact: true }).fill(attribute);
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.searchParams.get("attribute") === attribute);
    const links = await page
      .locator("main td:nth-child(2) a[href^='/runs/']")
      .evaluateAll((all) =>
        all.map((link) => new URL(link.getAttribute("href") ?? "", document.baseURI).pathname.split("/").at(-1)),
      );
    expect(links).toEqual(wanted.data.map(({ traceId }) => traceId));
    await keepScreenshot(page, `9-runs-by-attribute-${lang}`);

    await page.getByLabel(label, { exact: true }).fill("centspan.task.id=of no run");
    await page.getByRole("button", { name: apply, exact: true }).click();
    await page.getByText(none).waitFor();
    expect(page.problems).toEqual([]);
  },
);

it("says plainly that a page is not there", async () => {
  const page = await openPage(browser);
  const answer = await page.goto(address(`/runs/${"ab".repeat(16)}`));
  expect(answer?.status()).toBe(404);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await keepScreenshot(page, "7-not-found");
});

it.skipIf(process.env.CENTSPAN_SHARED === undefined)(
  "shows what a resolved task of the 500 recorded runs cost, with its interval (needs CENTSPAN_SHARED)",
  async () => {
    const file = join(
      process.env.CENTSPAN_SHARED ?? "",
      "data/trajectories/mini-swe-agent-gemini-3-pro/stats_all_500.json",
    );
    const options = ["--workspace", "swebench-page", "--data", inject("dataDir")];
    expect((await runProcess(["apps/cli/dist/main.js", "import", "swebench-stats", file, ...options])).code).toBe(0);
    const page = await openPage(browser);
    await page.goto(address("/?workspace=swebench-page"));
    const text = await readMain(page);
    for (const figure of ["$230.46", "$0.6212", "371", "500", "33.8%", "20,163"]) expect(text).toContain(figure);
    expect(text).toMatch(/95%: 0\.56\d\d–0\.6[78]\d\d/);
    await keepScreenshot(page, "8-recorded-runs");
    expect(page.problems).toEqual([]);
  },
);
