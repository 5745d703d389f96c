/**
 * From "why is it dearer?" to a verified saving, on what a team of the demo does: its agents carry a clock in their instructions. The
 * optimizer agent finds that over MCP and files it, a person accepts, the team follows it, and the agent has it held against the ledger.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Recommendation } from "@centspan/model";
import { afterAll, expect, inject, it } from "vitest";
import { getOk } from "../stack/api.ts";
import { keepScreenshot, openBrowser, openPage, readMain } from "../stack/browser.ts";
import { runProcess, until } from "../stack/processes.ts";

const folder = mkdtempSync(join(tmpdir(), "centspan-advised-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TASKS = [
  ...["csv-quoted-fields", "cursor-pagination", "highlight-merge", "iso-week-year"],
  ...["lru-cache-overwrite", "money-half-even", "semver-prerelease", "topo-sort-cycle"],
];

async function centspan(...args: string[]): Promise<string> {
  const { code, output } = await runProcess(["apps/cli/dist/main.js", ...args, "--data", inject("dataDir")]);
  expect([code, args[0]], output).toEqual([0, args[0]]);
  return output;
}

/** Works through the tasks, and waits until the ledger has what was wasted on them. */
async function work(round: string, without: string[]): Promise<void> {
  const plan = join(folder, `${round}.json`);
  writeFileSync(
    plan,
    JSON.stringify({ teams: [{ team: "search", attempts: ["scripted-cheap"], tasks: TASKS, without }] }),
  );
  await centspan("workload", "--plan", plan, "--round", round, "--unsafe", "--json");
  await until(`what ${round} spent`, async () => {
    const { data } = await getOk<{ data: { group: string }[] }>("/cost?groupBy=task&team=search");
    return data.filter(({ group }) => group.endsWith(round)).length === TASKS.length ? true : undefined;
  });
  await until(`what ${round} wasted`, async () => {
    const { total } = await getOk<{ total: { notAnalysedUsd: string } }>("/waste?groupBy=cause&team=search");
    return Number(total.notAnalysedUsd) === 0 ? true : undefined;
  });
}

const ask = (): Promise<string> =>
  centspan("optimize", "--model", "scripted-optimizer", "--question", "why is cost per passing test up this week?");

it("goes by itself as far as people let it, and what was said to be wasted is what is saved", async () => {
  await work("first", ["stableInstructions"]);
  expect(await ask()).toContain("filed recommendation_");
  const { data } = await getOk<{ data: Recommendation[] }>("/recommendations");
  const filed = data.find(({ kind, subject }) => kind === "spend" && subject === "search-agent");
  expect(filed).toMatchObject({ state: "proposed", evidence: { verdict: { waste: { cause: "prefix_system" } } } });
  const id = filed?.id ?? "";
  await centspan("recommend", "accept", id, "--by", "Ada");
  await centspan("recommend", "applied", id, "--by", "Ada");
  await work("second", []);
  expect(await ask()).toContain(`${id} is verified`);

  const { state, steps, realised } = await getOk<Recommendation>(`/recommendations/${id}`);
  expect([state, ...steps.map(({ step, by }) => `${step} by ${by}`)]).toEqual([
    ...["verified", "accept by Ada", "applied by Ada", "verified by centspan worker"],
  ]);
  const spent = (await getOk<{ data: { group: string; costUsd: string }[] }>("/cost?groupBy=task&team=search")).data;
  const of = (round: string): number =>
    spent.filter(({ group }) => group.endsWith(round)).reduce((sum, { costUsd }) => sum + Number(costUsd), 0);
  // The same tasks, so that the ledger's claim can be held against the bill itself.
  const came = of("second") / of("first") - 1;
  expect(came).toBeLessThan(-0.3);
  expect(Math.abs((realised?.effect.share ?? 0) - came)).toBeLessThan(0.05);

  const browser = await openBrowser();
  const page = await openPage(browser);
  await page.goto(new URL(`/recommendations/${id}`, inject("connection").webUrl).href);
  expect(await readMain(page)).toMatch(/verified/i);
  await keepScreenshot(page, "advice-verified");
  expect(page.problems).toEqual([]);
  await browser.close();
}, 300_000);
