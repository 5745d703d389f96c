/**
 * Prices and invoices in a real browser and in both languages: what a call costs and would cost, and what lies between a
 * provider's file and the ledger.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CostRow } from "@centspan/model";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getOk } from "../stack/api.ts";
import { keepScreenshot, readMain } from "../stack/browser.ts";
import { LANGUAGES, useFinanceWorkspace } from "../stack/finance-workspace.ts";

const WORKSPACE = "price-pages";
const { open, centspan } = useFinanceWorkspace(WORKSPACE);
/** The month before this one, the last weeks of which have spend at least. */
const LAST_MONTH = new Date(new Date().setUTCDate(0)).toISOString().slice(0, 7);

const folder = mkdtempSync(join(tmpdir(), "centspan-prices-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the price book", () => {
  beforeAll(async () => {
    const terms = join(folder, "terms.json");
    const contract = { id: "openai", scope: "org", scopeId: "", provider: "openai", model: "*", from: "2026-01-01" };
    const agreed = { terms: { kind: "percent_off", percent: "12.5" }, source: "form 4711" };
    writeFileSync(terms, JSON.stringify({ contracts: [{ ...contract, ...agreed }] }));
    await centspan("prices", "add", terms);
  });

  it.each(LANGUAGES)("says what a call costs, by which list, and what was agreed on (%s)", async (language) => {
    const page = await open("/prices?provider=openai", { language, dark: language === "ko" });
    const text = await readMain(page);
    expect(text).toContain("form 4711");
    expect(text).toContain(language === "en" ? "12.5% off the list" : "가격표에서 12.5% 할인");
    expect(text).toMatch(language === "en" ? /gpt-5\.5 standard 5\.00 0\.50/ : /gpt-5\.5 표준 5\.00 0\.50/);
    // Called, and on no list.
    expect(text).toMatch(language === "en" ? /sol-preview no price: \d+ calls/ : /sol-preview 가격 없음: /);
    await keepScreenshot(page, `24-prices-${language}`);
    expect(page.problems).toEqual([]);
  });

  it("previews a month by terms that are tried, and changes nothing", async () => {
    const before = await getOk<{ data: CostRow[] }>(`/cost?workspace=${WORKSPACE}&groupBy=model`);
    const page = await open("/prices?provider=openai");
    await page.getByLabel("% on the list").fill("-50");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.waitForURL(/preview=/);
    await page.getByRole("columnheader", { name: "Would cost" }).waitFor();
    const row = page.getByRole("row", { name: /^gpt-5\.5/ }).first();
    expect(await row.innerText()).toContain("−50.0%");
    expect(
      await page
        .getByRole("row", { name: /^claude-opus-5/ })
        .first()
        .innerText(),
    ).toContain("$0.00");
    await keepScreenshot(page, "25-preview");
    expect(await getOk(`/cost?workspace=${WORKSPACE}&groupBy=model`)).toEqual(before);
    await page.getByLabel("% on the list").fill("a lot");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText("Terms to try are a percentage").waitFor();
    expect(page.problems).toEqual([]);
  });
});

describe("the reconciliation page", () => {
  /** What a provider would have sent, with a key that nobody knows and a credit. */
  async function makeInvoice(unknownUsd: string): Promise<string> {
    const file = join(folder, "invoice.csv");
    await centspan("export", "focus", "--period", LAST_MONTH, "--out", file);
    const rows: Record<string, string>[] = parse(readFileSync(file), { columns: true });
    const [first] = rows;
    if (first === undefined) throw new Error("nothing was exported");
    rows.push({ ...first, x_KeyName: "ci-a91f", BilledCost: unknownUsd });
    rows.push({ ...first, ChargeCategory: "Credit", ChargeDescription: "Credit note CN-20417", BilledCost: "-5" });
    writeFileSync(file, stringify(rows, { header: true }));
    return file;
  }

  it.each(LANGUAGES)("names what lies between a provider's file and the ledger (%s)", async (language) => {
    const page = await open("/close", { language, dark: language === "ko" });
    await page.locator("main a[href^='/close/reconciliation']").click();
    await page.waitForURL(/reconciliation/);
    await page.waitForLoadState("networkidle");
    const file = await makeInvoice("4.12");
    await page.setInputFiles("input[type=file]", file);
    await page.locator("main button[type=submit]").click();
    await page.getByText("Credit note CN-20417").waitFor();
    const text = await readMain(page);
    for (const said of language === "en" ? ["Missing key", "Provider credit"] : ["모르는 키", "제공자 크레딧"]) {
      expect(text).toContain(said);
    }
    for (const figure of ["+$4.12", "−$5.00", "−$0.88", "ci-a91f", "invoice.csv"]) expect(text).toContain(figure);
    await keepScreenshot(page, `26-reconciliation-${language}`);
    expect(page.problems).toEqual([]);
  });

  it("refuses a file whole, and names file, row and field", async () => {
    const file = await makeInvoice("four");
    const page = await open("/close/reconciliation");
    await page.setInputFiles("input[type=file]", file);
    await page.getByRole("button", { name: "Compare a file" }).click();
    const alert = page.locator("main [role=alert]");
    await alert.waitFor();
    expect(await alert.innerText()).toMatch(/Nothing of it was taken\.\s+invoice\.csv: row \d+: BilledCost: /);
    await keepScreenshot(page, "27-reconciliation-refused");
    expect(page.problems).toEqual([]);
  });
});
