/** What-if and recommendations as a person follows them, in a real browser, in both languages. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { keepScreenshot, openBrowser, openPage, readMain } from "../stack/browser.ts";
import { LANGUAGES } from "../stack/finance-workspace.ts";
import { runProcess, until } from "../stack/processes.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

const open = async (path: string) => {
  const page = await openPage(browser);
  await page.goto(new URL(path, inject("connection").webUrl).href);
  await page.waitForLoadState("networkidle");
  return page;
};

it.each(LANGUAGES)(
  "a question is asked and answered, and every figure says that it is simulated (%s)",
  async (language) => {
    const page = await open(`/recommendations?lang=${language}`);
    await page.locator('nav a[href^="/what-if"]').click();
    await page.waitForURL(/what-if/);
    await page.locator("select[name=knob]").selectOption("maxSequences");
    await page.locator("input[name=value]").fill("2");
    await page.locator("select[name=factor]").selectOption("2");
    await page.locator("main form button[type=submit]").click();
    await page.waitForURL(/factor=2/);
    await page.waitForLoadState("networkidle");
    const rows = page.locator("main table tbody tr");
    expect(await rows.count()).toBe(5);
    const label = language === "ko" ? "시뮬레이션" : "simulated";
    // Five figures now, five then.
    expect((await page.locator("main table tbody").innerHTML()).split(label).length - 1).toBeGreaterThanOrEqual(10);
    await keepScreenshot(page, `what-if-${language}`);
    await page.locator("input[name=value]").fill("none");
    await page.locator("main form button[type=submit]").click();
    expect(await page.locator("main [role=alert]").innerText()).toContain("maxSequences");
    expect(page.problems).toEqual([]);
  },
);

it("what the agent was asked on the demo's data can be followed step by step", async () => {
  const { code, output } = await runProcess([
    ...["apps/cli/dist/main.js", "optimize", "--model", "scripted-optimizer", "--json", "--data", inject("dataDir")],
    ...["--question", "why is cost per passing test up this week?"],
  ]);
  expect([code, output]).toEqual([0, expect.stringContaining('"type":"result"')]);
  const { filed } = JSON.parse(output.trim().split("\n").at(-1) ?? "");
  expect(filed).toHaveLength(1);
  const list = await open("/recommendations");
  await until("the studies", async () =>
    (await readMain(list)).includes("Asked of the optimizer") ? true : undefined,
  );
  await keepScreenshot(list, "recommendations-with-studies");
  const page = await open(`/recommendations/${filed[0]}`);
  expect(await readMain(page)).toMatch(/Why it was looked for/);
  await page.locator("input[name=by]").fill("Ada");
  await page.locator("button[value=accept]").click();
  await page.getByText("accepted, by Ada").waitFor();
  await keepScreenshot(page, "recommendation-accepted");
  expect(page.problems).toEqual([]);
});
