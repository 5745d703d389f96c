/**
 * The page of a run in a real browser, over traces that are broken in every way: each span that the Trace API has is in a row
 * once, what is odd is said, and the amounts are the API's. Rows are made as they come into sight, so a test scrolls over all.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDecimal } from "@centspan/base";
import { openControl } from "@centspan/control";
import type { SpanRecord, TraceDetail } from "@centspan/model";
import { openWarehouse, type Warehouse } from "@centspan/warehouse";
import fc from "fast-check";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { getOk } from "../stack/api.ts";
import { keepScreenshot, openBrowser, openPage, type WatchedPage } from "../stack/browser.ts";
import { runProcess } from "../stack/processes.ts";
import { readRowIds } from "../stack/waterfall.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const WORKSPACE = "broken-traces";
const START_NS = BigInt(Date.parse("2026-11-20T10:00:00Z")) * 1_000_000n;
const LANGUAGES = ["en", "ko"] as const;

let browser: Browser;
let warehouse: Warehouse;
let ingestKey = "";
beforeAll(async () => {
  browser = await openBrowser();
  const { clickhouseUrl, databaseUrl } = inject("connection");
  warehouse = openWarehouse({ url: clickhouseUrl });
  const control = openControl({ url: databaseUrl });
  await control.ensureWorkspace("local", { id: WORKSPACE, name: "Broken traces" });
  await control.close();
  const options = ["--kind", "ingest", "--workspace", WORKSPACE, "--data", inject("dataDir")];
  const made = await runProcess(["apps/cli/dist/main.js", "keys", "create", "broken", ...options]);
  ingestKey = /cs_ingest_\S+/.exec(made.output)?.[0] ?? expect.fail(made.output);
});
afterAll(() => Promise.all([browser?.close(), warehouse?.close()]));

const readTrace = (traceId: string): Promise<TraceDetail> => getOk(`/traces/${traceId}?workspace=${WORKSPACE}`);

/** The worker sums traces up; the page of a run is there then. */
const awaitTrace = (traceId: string, spans: number) =>
  vi.waitFor(
    async () => {
      const { data } = await getOk<{ data: { spans: number }[] }>(`/traces?workspace=${WORKSPACE}&traceId=${traceId}`);
      expect(data[0]?.spans).toBe(spans);
    },
    { timeout: 60_000, interval: 250 },
  );

async function openRun(traceId: string, view = "", language: (typeof LANGUAGES)[number] = "en"): Promise<WatchedPage> {
  const page = await openPage(browser);
  const search = `workspace=${WORKSPACE}&lang=${language}${view}`;
  await page.goto(new URL(`/runs/${traceId}?${search}`, inject("connection").webUrl).href);
  await page.locator("[data-row]").first().waitFor();
  return page;
}

describe.skipIf(process.env.CENTSPAN_SHARED === undefined)("edge cases of OTLP (needs CENTSPAN_SHARED)", () => {
  const folder = join(process.env.CENTSPAN_SHARED ?? "", "otlp/edge-cases");
  const files =
    process.env.CENTSPAN_SHARED === undefined ? [] : readdirSync(folder).filter((file) => file.endsWith(".json"));

  it("are all shown: each span once, in both languages", async () => {
    const url = new URL("/v1/traces", inject("connection").otlpUrl);
    const headers = { "content-type": "application/json", authorization: `Bearer ${ingestKey}` };
    let shown = 0;
    for (const [at, file] of files.entries()) {
      // Most of them say one trace; here each is one of its own.
      const traceId = (at + 1).toString(16).padStart(32, "ed");
      const body = readFileSync(join(folder, file), "utf8").replaceAll("0123456789abcdef0123456789abcdef", traceId);
      const answer = await fetch(url, { method: "POST", headers, body });
      if (!answer.ok || !body.includes(traceId)) continue;
      // Of a file that conforms to nothing all spans are refused.
      const stored = await vi.waitFor(() => readStored(traceId), { timeout: 15_000, interval: 200 }).catch(() => []);
      if (stored.length === 0) continue;
      await awaitTrace(traceId, stored.length);
      for (const language of LANGUAGES) {
        const page = await openRun(traceId, "&fold=none", language);
        expect([file, (await readRowIds(page)).sort()]).toEqual([file, stored]);
        await keepScreenshot(page, `40-edge-${file.slice(0, 2)}-${language}`);
        expect(page.problems).toEqual([]);
        await page.close();
      }
      shown += 1;
    }
    expect(shown).toBeGreaterThanOrEqual(8);
  });

  async function readStored(traceId: string): Promise<string[]> {
    const { columns } = await warehouse.readSkeleton(WORKSPACE, traceId);
    if (columns.spanIds.length === 0) throw new Error(`${traceId} has not arrived`);
    return [...columns.spanIds].sort();
  }
});

const TRACE = "b0".repeat(16);
const SPANS = 4_000;
const idOf = (n: number): string => (n + 1).toString(16).padStart(16, "0");

/** Rings, orphans, own parents, several roots, clocks apart, ends before starts, depth 300; a call at every twentieth. */
function drawSpans(): SpanRecord[] {
  const shape = fc.record({
    kind: fc.constantFrom("child", "child", "child", "child", "orphan", "root", "own", "ahead"),
    from: fc.nat(60_000_000),
    length: fc.integer({ min: -1_000_000, max: 9_000_000 }),
    host: fc.constantFrom("node-1", "node-2"),
    error: fc.boolean(),
  });
  const [drawn = []] = fc.sample(fc.array(shape, { minLength: SPANS, maxLength: SPANS, size: "max" }), {
    numRuns: 1,
    seed: 11,
  });
  return drawn.map(({ kind, from, length, host, error }, n): SpanRecord => {
    const above = n < 300 ? n - 1 : Math.floor(n / 4);
    const parents = { child: above, ahead: Math.min(n * 4, SPANS - 1), own: n, orphan: SPANS + (n % 7), root: -1 };
    const parent = n < 300 ? above : parents[kind];
    const startedAtNs = START_NS + BigInt(from);
    return {
      traceId: TRACE,
      spanId: idOf(n),
      parentSpanId: parent < 0 ? "" : idOf(parent),
      name: n % 20 === 0 ? "chat m" : `step ${n % 9}`,
      kind: "internal",
      service: "agent",
      startedAtNs,
      endedAtNs: startedAtNs + BigInt(length),
      status: error ? "error" : "ok",
      statusMessage: "",
      attributes: { "centspan.layer": n % 20 === 0 ? "api" : "harness" },
      resourceAttributes: { "host.name": host },
      scopeName: "",
      trusted: true,
      events: [],
      links: [],
    };
  });
}

describe("a run that is broken in every way", () => {
  beforeAll(async () => {
    await warehouse.insertSpans(WORKSPACE, drawSpans());
    await awaitTrace(TRACE, SPANS);
  });

  it("has every span in a row once, as the API has them, and says what is odd", async () => {
    const { spans, anomalies } = await readTrace(TRACE);
    const page = await openRun(TRACE, "&fold=none");
    const rows = await readRowIds(page);
    expect(rows.length).toBe(SPANS);
    expect(rows.toSorted()).toEqual(spans.map(({ spanId }) => spanId).sort());
    const odd = page.getByText("Odd in this run").locator("..");
    const missing = new Set(
      spans
        .filter((span) => anomalies.some(({ kind, spanId }) => kind === "missing_parent" && spanId === span.spanId))
        .map(({ parentSpanId }) => parentSpanId),
    );
    expect(await odd.innerText()).toContain(`parent missing × ${missing.size}`);
    for (const text of ["own parent", "cycle", "unfinished", "error", "moved"])
      expect(await odd.innerText()).toContain(text);
    await page.evaluate("document.querySelector('.wf-grid').scrollTop = 0");
    await keepScreenshot(page, "41-broken-run");
    expect(page.problems).toEqual([]);
  });

  it("is walked by keys alone: move, fold, find, zoom, open a span and close it", async () => {
    const page = await openRun(TRACE);
    await page.getByRole("treegrid").focus();
    const activeRow = () => page.getByRole("treegrid").getAttribute("aria-activedescendant");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("End");
    await page.keyboard.press("Home");
    expect(await activeRow()).toBe("row-0");
    const rowsOf = async () => Number(await page.getByRole("treegrid").getAttribute("aria-rowcount"));
    const before = await rowsOf();
    const isShut = async () => (await page.locator(`#${await activeRow()}`).getAttribute("aria-expanded")) === "false";
    for (let moves = 0; moves < 100 && !(await isShut()); moves += 1) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await vi.waitFor(async () => expect(await rowsOf()).toBeGreaterThan(before));
    await page.keyboard.press("/");
    await page.keyboard.type("step 7");
    await page.getByText(/\d+ found/).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("treegrid").focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/[?&]span=[0-9a-f]{16}/);
    const panel = page.getByRole("complementary", { name: "Selected span" });
    await panel.getByText("step 7").first().waitFor();
    await page.keyboard.press("z");
    await page.waitForURL(/[?&]zoom=/);
    await page.keyboard.press("0");
    await page.keyboard.press("Escape");
    await page.waitForURL((url) => !url.searchParams.has("span") && !url.searchParams.has("zoom"));
    expect(page.problems).toEqual([]);
  });

  it("is shown as it was sent where clocks are not to be corrected, and comes back from its address", async () => {
    const page = await openRun(TRACE, "&skew=off&fold=none");
    await page.getByText("Clock skew: as sent").waitFor();
    expect(await page.getByText(/^moved/).count()).toBe(0);
    await page.getByText("Clock skew: as sent").click();
    await page.getByLabel("Show as if all hosts had one clock").check();
    await page.getByText(/moved ×/).waitFor();
    await page.waitForURL((url) => !url.searchParams.has("skew") && url.searchParams.get("fold") === "none");
    expect(page.problems).toEqual([]);
  });
});

it("gives the roots of the demo's runs the cost that the API gives them, and its spans the same", async () => {
  const { data } = await getOk<{ data: { traceId: string }[] }>("/traces?onlyRuns=true&limit=3");
  for (const { traceId } of data) {
    const { spans, trace } = await getOk<TraceDetail>(`/traces/${traceId}`);
    const page = await openPage(browser);
    await page.goto(new URL(`/runs/${traceId}?fold=none`, inject("connection").webUrl).href);
    await page.locator("[data-row]").first().waitFor();
    const own = spans.filter((span) => !span.linked);
    expect((await readRowIds(page)).sort()).toEqual(own.map(({ spanId }) => spanId).sort());
    const roots = own.filter(({ parentSpanId }) => parentSpanId === "");
    const sum = roots.reduce((all, { costUsd }) => all.plus(parseDecimal(costUsd ?? "0")), parseDecimal("0"));
    expect(sum.eq(parseDecimal(trace.costUsd ?? "0"))).toBe(true);
    await page.close();
  }
});
