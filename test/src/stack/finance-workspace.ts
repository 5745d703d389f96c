/** A workspace of its own with ten weeks of spend, and pages of it in a real browser: while the tests of a file run. */
import { type Control, openControl } from "@centspan/control";
import { openWarehouse, type Warehouse } from "@centspan/warehouse";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, onTestFailed } from "vitest";
import { openBrowser, openPage, readMain, type WatchedPage } from "./browser.ts";
import { runProcess } from "./processes.ts";
import { fillSpendHistory } from "./spend-history.ts";

export const LANGUAGES = ["en", "ko"] as const;
type View = { language?: (typeof LANGUAGES)[number]; phone?: boolean; dark?: boolean };

export function useFinanceWorkspace(workspace: string) {
  let browser: Browser;
  let warehouse: Warehouse;
  let control: Control;
  beforeAll(async () => {
    browser = await openBrowser();
    const { clickhouseUrl, databaseUrl } = inject("connection");
    control = openControl({ url: databaseUrl });
    warehouse = openWarehouse({ url: clickhouseUrl, books: control });
    await fillSpendHistory({ warehouse, control }, workspace, "Ten weeks", BigInt(Date.now()) * 1_000_000n);
  });
  afterAll(() => Promise.all([browser?.close(), warehouse?.close(), control?.close()]));
  return {
    control: (): Control => control,
    async open(path: string, { language = "en", phone = false, dark = false }: View = {}): Promise<WatchedPage> {
      const page = await openPage(browser, {
        ...(phone ? { viewport: { width: 390, height: 844 } } : {}),
        colorScheme: dark ? "dark" : "light",
      });
      onTestFailed(async () => console.error(page.url(), page.problems, await readMain(page)));
      const url = new URL(path, inject("connection").webUrl);
      url.searchParams.set("workspace", workspace);
      url.searchParams.set("lang", language);
      await page.goto(url.href);
      await page.waitForLoadState("networkidle");
      return page;
    },
    async centspan(...args: string[]): Promise<void> {
      const options = ["--workspace", workspace, "--data", inject("dataDir")];
      const { code, output } = await runProcess(["apps/cli/dist/main.js", ...args, ...options]);
      expect([code, output]).toEqual([0, output]);
    },
  };
}
