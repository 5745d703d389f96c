/** Two runs side by side, on the demo's data: how one gets there, and that its figures are those of the Trace API. */
import type { PromptComparison, RunComparison, TaskRunsRow, TraceRow, WasteItemRow } from "@centspan/model";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { getOk } from "../stack/api.ts";
import { keepScreenshot, openBrowser, openPage, readMain, type WatchedPage } from "../stack/browser.ts";

let browser: Browser;
/** Of one task, the earlier first. */
let attempts: [TraceRow, TraceRow];
let comparison: RunComparison;

beforeAll(async () => {
  browser = await openBrowser();
  const { data } = await getOk<{ data: TraceRow[] }>("/traces?onlyRuns=true&limit=200");
  const second = data.find((run) => data.some(isBefore(run)));
  const first = second && data.find(isBefore(second));
  if (first === undefined || second === undefined) throw new Error("the demo has no task with two attempts");
  attempts = [first, second];
  comparison = await getOk(`/traces/${first.traceId}/comparison?against=${second.traceId}`);
});
afterAll(() => browser?.close());

const isBefore =
  (run: TraceRow) =>
  ({ task, startedAt }: TraceRow): boolean =>
    task !== "" && task === run.task && startedAt < run.startedAt;

async function open(path: string, options: Parameters<typeof openPage>[1] = {}): Promise<WatchedPage> {
  const page = await openPage(browser, options);
  await page.goto(new URL(path, inject("connection").webUrl).href);
  return page;
}
const addressOf = ([first, second] = attempts): string => `/runs/compare?run=${first.traceId}&run=${second.traceId}`;
const money = (usd: string): string => Number(usd.replace("-", "")).toFixed(4);

it("is asked for with two rows of the list, and says how much more the second cost and why", async () => {
  const page = await open(`/runs?period=all&task=${encodeURIComponent(attempts[0].task)}`);
  for (const { traceId } of attempts) await page.locator(`input[name=run][value="${traceId}"]`).check();
  await page.getByRole("button", { name: "Compare the two that are ticked" }).click();
  await page.getByRole("heading", { level: 1, name: "Two runs compared" }).waitFor();
  // The list has the newest first.
  await page.getByRole("link", { name: "Swap A and B" }).click();
  await page.waitForURL(new RegExp(`run=${attempts[0].traceId}&run=${attempts[1].traceId}`));
  const { differenceUsd, walked } = comparison;
  const isLess = differenceUsd?.startsWith("-") === true;
  const said = await readMain(page);
  expect(said).toContain(`B cost $${money(differenceUsd ?? "")} ${isLess ? "less" : "more"} than A.`);
  expect(said).toContain(`They part at turn ${(walked?.parting?.at ?? 0) + 1}:`);
  const cost = page.getByRole("row", { name: /^Cost/ }).first();
  for (const { costUsd } of attempts) expect(await cost.innerText()).toContain(money(costUsd ?? ""));
  const turns = page.getByRole("region", { name: "Turn by turn" }).locator("tbody tr");
  expect(await turns.count()).toBe(Math.max(...(walked?.turnCount ?? [])));
  await page.waitForLoadState("networkidle");
  await keepScreenshot(page, "60-compare");
  expect(page.problems).toEqual([]);
});

it("opens each figure where its run shows it", async () => {
  const page = await open(addressOf());
  await page.getByRole("row", { name: /^Cost/ }).first().getByRole("link").first().click();
  await page.waitForURL(new RegExp(`/runs/${attempts[0].traceId}#balance`));
  await page.locator("#balance").waitFor();
  await page.goBack();
  const [turn] = comparison.walked?.turns[0] ?? [];
  await page
    .getByRole("region", { name: "Turn by turn" })
    .locator("tbody tr")
    .first()
    .getByRole("link")
    .first()
    .click();
  await page.waitForURL(new RegExp(`span=${turn?.spanId}`));
  expect(page.problems).toEqual([]);
});

it("is reached from the page of a run: with the attempt before, or with one that is chosen", async () => {
  const page = await open(`/runs/${attempts[1].traceId}`);
  await page.getByRole("link", { name: "Compare with the attempt before" }).click();
  await page.getByRole("heading", { level: 1, name: "Two runs compared" }).waitFor();
  await page.goto(new URL(`/runs/${attempts[0].traceId}`, inject("connection").webUrl).href);
  await page.getByRole("link", { name: "Compare with another run" }).click();
  await page.getByText("Tick one of the other attempts").waitFor();
  expect(await page.locator("input[name=run]:checked").getAttribute("value")).toBe(attempts[0].traceId);
  await keepScreenshot(page, "61-compare-choose");
  await page.locator(`input[name=run][value="${attempts[1].traceId}"]`).check();
  await page.getByRole("button", { name: "Compare the two that are ticked" }).click();
  await page.getByText(/^B cost/).waitFor();
  expect(page.problems).toEqual([]);
});

it("says it in Korean, in the dark, and on a phone without sideways scrolling", async () => {
  const korean = await open(`${addressOf()}&lang=ko`, { colorScheme: "dark" });
  await korean.getByRole("heading", { level: 1, name: "두 실행 비교" }).waitFor();
  await keepScreenshot(korean, "62-compare-korean-dark");
  const phone = await open(addressOf(), { viewport: { width: 390, height: 844 } });
  await keepScreenshot(phone, "63-compare-phone");
  expect(await phone.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  expect([...korean.problems, ...phone.problems]).toEqual([]);
});

it("groups the list of runs by task: what failed attempts cost, and the attempts when a row is unfolded", async () => {
  const [{ task }] = attempts;
  const { data } = await getOk<{ data: TaskRunsRow[] }>(`/tasks?task=${encodeURIComponent(task)}`);
  const page = await open(`/runs?period=all&task=${encodeURIComponent(task)}`);
  await page.getByRole("link", { name: "By task" }).click();
  const group = page.locator(".task-group");
  await group.waitFor();
  const row = group.getByRole("row").first();
  expect(await row.innerText()).toContain(money(data[0]?.failedUsd ?? ""));
  expect(await row.getByRole("img").count()).toBe(data[0]?.runs.length);
  const attempt = group.getByRole("link", { name: "attempt 1", exact: true });
  expect(await attempt.isVisible()).toBe(false);
  await page.locator(".task-fold").click();
  expect(await attempt.getAttribute("href")).toContain(attempts[0].traceId);
  expect(await attempt.isVisible()).toBe(true);
  await page.waitForLoadState("networkidle");
  await keepScreenshot(page, "64-runs-by-task");
  await row.getByRole("link", { name: /^Compare/ }).click();
  await page.waitForURL(new RegExp(`run=${attempts[0].traceId}&run=${attempts[1].traceId}`));
  const korean = await open("/runs?period=all&groupBy=task&lang=ko", { colorScheme: "dark" });
  await korean.getByRole("region", { name: "작업과 시도" }).waitFor();
  await keepScreenshot(korean, "65-runs-by-task-korean-dark");
  const phone = await open("/runs?period=all&groupBy=task", { viewport: { width: 390, height: 844 } });
  await phone.locator(".task-fold").first().click();
  await keepScreenshot(phone, "66-runs-by-task-phone");
  expect(await phone.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  expect([...page.problems, ...korean.problems, ...phone.problems]).toEqual([]);
});

it("shows from a call's panel where its prompt broke against the call before, and what that cost", async () => {
  const { data } = await getOk<{ data: WasteItemRow[] }>("/waste/items?cause=prefix_system&limit=1");
  const [item] = data;
  if (item === undefined) throw new Error("the demo has no prompt that broke");
  const { traceId, spanId } = item;
  const told = await getOk<PromptComparison>(`/traces/${traceId}/spans/${spanId}/prompt`);
  const page = await open(`/runs/${traceId}?span=${spanId}`);
  await page.getByRole("link", { name: "Compare with the call before" }).click();
  await page.getByRole("heading", { level: 1, name: "Prompt against the call before" }).waitFor();
  const said = await readMain(page);
  expect(said).toContain("The prompt before did not stay.");
  expect(said).toContain(`$${money(told.costUsd)}`);
  for (const fact of [
    "instructions",
    "a time of day or date changed",
    "Prompts of this key are not recorded",
    "Remedy",
  ])
    expect(said).toContain(fact);
  await page.waitForLoadState("networkidle");
  await keepScreenshot(page, "67-prompt");
  await page
    .getByRole("row", { name: /^Started/ })
    .getByRole("link")
    .first()
    .click();
  await page.waitForURL(new RegExp(`/runs/${traceId}\\?span=${told.before?.spanId}`));
  const korean = await open(`/runs/${traceId}/prompt/${spanId}?lang=ko`, { colorScheme: "dark" });
  await korean.getByText("이전 프롬프트가 그대로 유지되지 않음.").waitFor();
  await keepScreenshot(korean, "68-prompt-korean-dark");
  const phone = await open(`/runs/${traceId}/prompt/${spanId}`, { viewport: { width: 390, height: 844 } });
  await keepScreenshot(phone, "69-prompt-phone");
  expect(await phone.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  expect([...page.problems, ...korean.problems, ...phone.problems]).toEqual([]);
});
