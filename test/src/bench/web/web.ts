/**
 * `bench web`: how long people wait for pages, in a real Chromium against the production build: the overview over many calls,
 * the waterfall of a large run and of a small one, how it moves, what it is sent and holds, and whether any page shuts
 * somebody out.
 */
import { createWallClock } from "@centspan/base";
import { openWarehouse } from "@centspan/warehouse";
import type { Browser } from "playwright-core";
import { openBrowser } from "../../stack/browser.ts";
import { startIngestStack } from "../../stack/ingest-stack.ts";
import { awaitMerges } from "../await-merges.ts";
import { defineBench, quantile, readNumber, round } from "../bench.ts";
import { fillCalls, RATED } from "../fill-calls.ts";
import { callsOfRuns, type FilledRun, fillRun } from "./fill-run.ts";
import { findViolations, type Violation } from "./find-violations.ts";
import { listPages } from "./list-pages.ts";
import {
  countFrames,
  INTERACTIVE,
  openContext,
  readRendererMb,
  rowsOf,
  type Sight,
  scroll,
  visit,
} from "./measure-page.ts";

const DAYS = 30;
const DAY_NS = 86_400_000_000_000n;
const ROWS_IN_SIGHT = 20;
const SMALL: FilledRun = { traceId: "5a".repeat(16), spans: 1001 };
const MEBIBYTE = 1024 ** 2;

export default defineBench({
  name: "web",
  describe: "milliseconds until pages are there, frames a second, and who is shut out",
  flags: {
    calls: "calls of the 30 days (10000000)",
    spans: "spans of the large run (100000)",
    rounds: "how often each page is opened (7)",
  },
  async run(flags, say) {
    const calls = readNumber("calls", flags.calls, 10_000_000);
    const spans = readNumber("spans", flags.spans, 100_000);
    const rounds = readNumber("rounds", flags.rounds, 7);
    const large: FilledRun = { traceId: "1a".repeat(16), spans };
    const stack = await startIngestStack();
    const warehouse = openWarehouse({ url: stack.clickhouseUrl });
    try {
      const nowNs = createWallClock().nowNs();
      const values = { ...RATED, ...callsOfRuns([large, SMALL]) };
      await fillCalls(stack, { calls, fromNs: nowNs - BigInt(DAYS) * DAY_NS, days: DAYS, values }, say);
      for (const run of [large, SMALL]) await fillRun(stack, run);
      await awaitMerges(stack);
      say("summing up");
      await warehouse.refreshDailyCosts(nowNs, async () => "UTC");
      await warehouse.refreshTraceSummaries(0n);
      await stack.web.start();
      const browser = await openBrowser();
      try {
        return { ...(await measure(browser, stack.webUrl, { large, rounds }, say)), calls, spans };
      } finally {
        await browser.close();
      }
    } finally {
      await warehouse.close();
      await stack.end();
    }
  },
});

type Wanted = { large: FilledRun; rounds: number };

async function measure(browser: Browser, webUrl: string, { large, rounds }: Wanted, say: (text: string) => void) {
  const overview = await timeWarm(browser, `${webUrl}/`, INTERACTIVE, rounds);
  say(`overview interactive: ${overview.join(", ")} ms`);
  const small = await timeWarm(browser, `${webUrl}/runs/${SMALL.traceId}`, rowsOf(ROWS_IN_SIGHT), rounds);
  say(`first rows of ${SMALL.spans} spans: ${small.join(", ")} ms`);
  const largeUrl = `${webUrl}/runs/${large.traceId}`;
  const times = await timeWarm(browser, largeUrl, rowsOf(ROWS_IN_SIGHT), rounds);
  say(`first rows of ${large.spans} spans: ${times.join(", ")} ms`);
  const moved = await move(browser, largeUrl);
  say(`scroll ${moved.scrollFps} and zoom ${moved.zoomFps} frames a second, ${moved.memoryMb} MB`);
  const violations = await findAll(browser, webUrl, large, say);
  return {
    overviewInteractiveMs: quantile(overview, 0.5),
    trace100kFirstRowsMs: quantile(times, 0.5),
    trace100kTransferredMb: moved.transferredMb,
    scrollFps: Math.min(moved.scrollFps, moved.zoomFps),
    memoryMb: moved.memoryMb,
    axeSerious: violations.length,
    trace1kFirstRowsMs: quantile(small, 0.5),
    coldTrace100kFirstRowsMs: moved.coldMs,
    scrollWorstFrameMs: moved.scrollWorstMs,
    zoomWorstFrameMs: moved.zoomWorstMs,
  };
}

/** In a browser that has been there before, and in a server that has too. */
async function timeWarm(browser: Browser, address: string, sight: Sight, rounds: number): Promise<number[]> {
  const context = await openContext(browser);
  const times: number[] = [];
  for (let turn = 0; turn <= rounds; turn += 1) {
    const { page, ms } = await visit(context, address, sight);
    await page.close();
    if (turn > 0) times.push(round(ms, 0));
  }
  await context.close();
  return times;
}

const ZOOMS = 120;

/** With nothing in the browser's cache; then all rows are opened, scrolled over and zoomed into. */
async function move(browser: Browser, address: string) {
  const context = await openContext(browser);
  const { page, ms, sentBytes } = await visit(context, address, rowsOf(ROWS_IN_SIGHT));
  await page.close();
  const opened = await visit(context, `${address}?fold=none`, rowsOf(ROWS_IN_SIGHT));
  const cdp = await context.newCDPSession(opened.page);
  const rows = await opened.page
    .locator("[data-row]")
    .nth(ROWS_IN_SIGHT / 2)
    .boundingBox();
  const middle = { x: (rows?.x ?? 0) + 500, y: Math.min(900, rows?.y ?? 500) };
  const scrolled = await countFrames(opened.page, () => scroll(cdp, middle, 40_000, 8_000));
  await opened.page.mouse.move(middle.x, middle.y);
  const zoomed = await countFrames(opened.page, async () => {
    await opened.page.keyboard.down("Control");
    for (let step = 0; step < ZOOMS; step += 1) await opened.page.mouse.wheel(0, step < ZOOMS / 2 ? -40 : 40);
    await opened.page.keyboard.up("Control");
  });
  const memoryMb = await readRendererMb(browser);
  await context.close();
  return {
    coldMs: round(ms, 0),
    transferredMb: round(sentBytes / MEBIBYTE),
    scrollFps: round(scrolled.fps, 1),
    scrollWorstMs: round(scrolled.worstMs, 0),
    zoomFps: round(zoomed.fps, 1),
    zoomWorstMs: round(zoomed.worstMs, 0),
    memoryMb: round(memoryMb, 0),
  };
}

async function findAll(
  browser: Browser,
  webUrl: string,
  { traceId }: FilledRun,
  say: (text: string) => void,
): Promise<Violation[]> {
  const { pages, left } = listPages({ traceId, keyId: "agent-1", cause: "prefix_changed" });
  say(`axe-core: ${pages.length} pages, left out for want of something to show: ${left.join(", ")}`);
  const found: Violation[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    const context = await browser.newContext({ colorScheme });
    const page = await context.newPage();
    for (const path of pages) {
      await page.goto(`${webUrl}${path}`, { waitUntil: "networkidle" });
      for (const violation of await findViolations(page)) {
        say(`${colorScheme} ${path}: ${violation.impact} ${violation.rule}, ${violation.targets.join("; ")}`);
        found.push(violation);
      }
    }
    await context.close();
  }
  return found;
}
