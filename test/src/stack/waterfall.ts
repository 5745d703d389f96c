/** The waterfall of a run's page in a browser. Rows are made as they come into sight, so it is scrolled over. */
import type { WatchedPage } from "./browser.ts";

export type WaterfallRow = { spanId: string; text: string };

const READ_ROWS = `(async () => {
  const grid = document.querySelector(".wf-grid");
  const rows = new Map();
  const look = () => {
    for (const row of grid.querySelectorAll("[data-row]"))
      rows.set(Number(row.dataset.row), { spanId: row.dataset.span ?? "", text: row.textContent });
  };
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  for (let top = 0; ; top += grid.clientHeight) {
    grid.scrollTop = top;
    await frame();
    look();
    if (top + grid.clientHeight >= grid.scrollHeight) break;
  }
  return [...rows].sort((a, b) => a[0] - b[0]).map(([, row]) => row);
})()`;

/** All rows in their order. */
export async function readRows(page: WatchedPage): Promise<WaterfallRow[]> {
  await page.locator("[data-row]").first().waitFor();
  return page.evaluate<WaterfallRow[]>(READ_ROWS);
}

/** Span ids of the rows that are of a span. */
export const readRowIds = async (page: WatchedPage): Promise<string[]> =>
  (await readRows(page)).map(({ spanId }) => spanId).filter((spanId) => spanId !== "");
