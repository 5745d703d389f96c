/** What a page takes in a browser, as the page itself sees it: until something is there, what was sent, how it moves. */
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
import { readRssMb } from "../process-cost.ts";

const VIEWPORT = { width: 1440, height: 1000 };
const DEADLINE_MS = 120_000;

/** A condition on the page as a JavaScript expression, looked at with every frame. */
export type Sight = { name: string; expression: string };

/** Drawn, and answering: React has taken the navigation over. */
export const INTERACTIVE: Sight = {
  name: "interactive",
  expression: `document.querySelector("main h1") !== null && document.querySelector("main table") !== null
    && Object.keys(document.querySelector("nav a") ?? {}).some((key) => key.startsWith("__reactProps"))`,
};

/** So many rows of a waterfall. */
export const rowsOf = (rows: number): Sight => ({
  name: `${rows} rows`,
  expression: `document.querySelectorAll("[data-row]").length >= ${rows}`,
});

export type Visit = { page: Page; ms: number; sentBytes: number };

export const openContext = (browser: Browser): Promise<BrowserContext> => browser.newContext({ viewport: VIEWPORT });

/** Opens an address; milliseconds are the page's own, from the start of its navigation. */
export async function visit(context: BrowserContext, address: string, sight: Sight): Promise<Visit> {
  const page = await context.newPage();
  const network = await context.newCDPSession(page);
  await network.send("Network.enable");
  let sentBytes = 0;
  network.on("Network.loadingFinished", ({ encodedDataLength }) => {
    sentBytes += encodedDataLength;
  });
  await page.goto(address, { waitUntil: "commit" });
  const handle = await page.waitForFunction(`${sight.expression} ? performance.now() : false`, null, {
    polling: "raf",
    timeout: DEADLINE_MS,
  });
  const ms = Number(await handle.jsonValue());
  await page.waitForLoadState("networkidle");
  return { page, ms, sentBytes };
}

/** Frames a second while something goes on, and the longest that one took. */
export async function countFrames(page: Page, work: () => Promise<void>): Promise<{ fps: number; worstMs: number }> {
  await page.evaluate(`window.frameTimes = []; window.frameRun = true;
    (function look(at) { frameTimes.push(at); if (window.frameRun) requestAnimationFrame(look); })(performance.now())`);
  await work();
  const times = await page.evaluate<number[]>("window.frameRun = false, window.frameTimes");
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at));
  const lasted = (times.at(-1) ?? 0) - (times[0] ?? 0);
  return { fps: (gaps.length / lasted) * 1000, worstMs: Math.max(...gaps) };
}

/** A hand on the wheel: the browser's own gesture, at so many pixels a second. */
export async function scroll(cdp: CDPSession, at: { x: number; y: number }, pixels: number, speed: number) {
  await cdp.send("Input.synthesizeScrollGesture", { ...at, yDistance: -pixels, speed, gestureSourceType: "mouse" });
}

/** The largest of the browser's processes for pages: whole, with what all of them share. */
export async function readRendererMb(browser: Browser): Promise<number> {
  const cdp = await browser.newBrowserCDPSession();
  const { processInfo } = await cdp.send("SystemInfo.getProcessInfo");
  await cdp.detach();
  const sizes = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => readRssMb(id));
  return Math.max(0, ...sizes);
}
