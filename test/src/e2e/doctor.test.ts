import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { keepScreenshot, openBrowser, openPage, readMain } from "../stack/browser.ts";
import { runProcess } from "../stack/processes.ts";

const runDoctor = (dataDir: string, ...options: string[]) =>
  runProcess(["apps/cli/dist/main.js", "doctor", "--data", dataDir, ...options]);

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** One span whose trace id is two bytes long. */
const badSpan = {
  resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: "abcd", spanId: "eee19b7ec3c1b174", name: "x" }] }] }],
};

it("a refused record is told by reason, with what to do, in the terminal and on the page", async () => {
  const response = await fetch(`${inject("connection").otlpUrl}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(badSpan),
  });
  expect(response.status).toBe(200);

  const { code, output } = await runDoctor(inject("dataDir"));
  expect(code).toBe(1);
  expect(output).toMatch(/records? of traces refused: invalid_id\n\s+→ trace ids must be 16 bytes/);
  expect(output).toMatch(/spool\s+.* of 4\.0 GiB/);
  expect(output).toMatch(/centspan-gateway\s+traces\s+\d+ \w+ ago/);
  for (const name of ["warehouse", "control", "web", "collector", "gateway", "engine", "rating"])
    expect(output).toMatch(new RegExp(`\\n  ${name}\\s+ok`));

  const page = await openPage(browser);
  await page.goto(`${inject("connection").webUrl}/sources`);
  const text = await readMain(page);
  expect(text).toMatch(/centspan-gateway spans \d+ \w+ ago/);
  expect(text).toMatch(/\d bad trace or span id/);
  expect(page.problems).toEqual([]);
  await keepScreenshot(page, "sources");
  await page.close();
});

it("says the same as JSON", async () => {
  const { output } = await runDoctor(inject("dataDir"), "--json");
  expect(JSON.parse(output)).toMatchObject({
    healthy: false,
    collector: { rejected: { traces: { invalid_id: expect.any(Number) } } },
    sources: expect.arrayContaining([expect.objectContaining({ service: "centspan-gateway", signal: "traces" })]),
    calls: { calls: expect.any(Number), unpricedModels: expect.any(Object) },
  });
});

it("of a folder where no stack ever ran, says so and how to start one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "centspan-doctor-"));
  const { code, output } = await runDoctor(folder);
  rmSync(folder, { recursive: true });
  expect(code).toBe(1);
  expect(output).toMatch(/no stack is running.*\n.*npm start/);
});
