/** What an owner sets in the browser, and that it counts where it should. */
import { openControl } from "@centspan/control";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { createApiReader } from "../stack/api-reader.ts";
import { keepScreenshot, openBrowser, openPage, readMain, type WatchedPage } from "../stack/browser.ts";
import { PASSWORD, type PeopleServer, startPeopleServer } from "../stack/people-server.ts";

const WORKSPACE = "to-be-set";
const control = openControl({ url: inject("connection").databaseUrl });
let browser: Browser;
let server: PeopleServer;
let page: WatchedPage;

beforeAll(async () => {
  await control.ensureWorkspace("local", { id: WORKSPACE, name: "To be set" });
  [browser, server] = await Promise.all([openBrowser(), startPeopleServer()]);
  page = await openPage(browser);
  await page.goto(`${server.url}${await server.invite("setter@acme.example", "owner", WORKSPACE)}`);
  await page.getByLabel("Your name").fill("Setter");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Join" }).click();
  await page.getByRole("heading", { level: 1 }).waitFor();
});
afterAll(async () => {
  await Promise.all([browser?.close(), server?.end(), control.close()]);
});

const open = async (id: string, title: string): Promise<void> => {
  await page.goto(`${server.url}/settings/${id}`);
  await page.getByRole("heading", { level: 1, name: title }).waitFor();
};
const keepBoth = async (name: string, id: string): Promise<void> => {
  await keepScreenshot(page, `settings-${name}`);
  await page.goto(`${server.url}/settings/${id}?lang=ko`);
  await keepScreenshot(page, `settings-${name}-ko`);
  await page.goto(`${server.url}/settings/${id}?lang=en`);
};
const keyNamed = async (name: string) => (await control.listKeys(WORKSPACE)).find((key) => key.name === name);

it("makes a key that may do what was ticked, and ends it", async () => {
  await open("keys", "Keys");
  await page.getByLabel("Name").fill("dashboard");
  await page.getByLabel("Kind").selectOption("api");
  await page.getByRole("button", { name: "Make key" }).click();
  const secret = (await page.locator("pre").textContent()) ?? "";
  expect(secret).toMatch(/^cs_api_/);
  const reader = createApiReader(server.url, secret);
  expect(await reader.get("/self")).toMatchObject({
    status: 200,
    body: { permissions: ["figures.read"], workspace: WORKSPACE },
  });
  expect((await reader.get("/audit")).status).toBe(403);
  await page.reload();
  await page.getByRole("button", { name: "Revoke dashboard" }).click();
  await page.getByText(/revoked \d{4}/).waitFor();
  expect((await reader.get("/self")).status).toBe(401);
});

it("makes a gateway key with limits, changes them, and records its content, rule by rule", async () => {
  await open("keys", "Keys");
  await page.getByLabel("Name").fill("bot");
  await page.getByText("Limits of a gateway key").click();
  await page.getByLabel("Requests a minute").first().fill("60");
  await page.locator("input[name=models]").first().fill("gpt-*, claude-*");
  await page.getByRole("button", { name: "Make key" }).click();
  await page.locator("pre").waitFor();
  expect(await keyNamed("bot")).toMatchObject({ rules: { requestsPerMinute: 60, models: ["gpt-*", "claude-*"] } });
  await page.reload();
  await keepBoth("1-keys", "keys");

  await open("content", "Content");
  await page.getByRole("button", { name: "Record content of bot" }).click();
  await page.getByRole("button", { name: "Stop recording content of bot" }).waitFor();
  await keepBoth("2-content", "content");
  await open("keys", "Keys");
  await page.getByText("Limits of bot").click();
  await page.getByLabel("Requests a minute").last().fill("30");
  await page.getByRole("button", { name: "Save limits: bot" }).click();
  await page.waitForLoadState("networkidle");
  await expect
    .poll(async () => (await keyNamed("bot"))?.rules)
    .toEqual({
      ...{ content: true, requestsPerMinute: 30, models: ["gpt-*", "claude-*"] },
    });
});

it("names teams, says how long what is received is kept, and shows what code hosts need", async () => {
  await open("teams", "Teams");
  await page.getByLabel("Id", { exact: true }).fill("ml");
  await page.getByLabel("Name", { exact: true }).fill("Machine learning");
  await page.getByLabel("Department", { exact: true }).fill("R&D");
  await page.getByRole("button", { name: "New team" }).click();
  await page.getByRole("button", { name: "Save ml" }).waitFor();
  expect(await control.listTeams(WORKSPACE)).toEqual([{ id: "ml", name: "Machine learning", department: "R&D" }]);
  await keepBoth("3-teams", "teams");

  await open("retention", "Retention");
  await page.getByLabel("Days to keep: log records").fill("30");
  await page.getByRole("button", { name: "Keep: log records" }).click();
  await expect
    .poll(async () => (await control.listRetention()).filter(({ workspace }) => workspace === WORKSPACE))
    .toEqual([{ workspace: WORKSPACE, signal: "logs", days: 30 }]);
  await keepBoth("4-retention", "retention");

  await control.createKey({ workspace: WORKSPACE, name: "ci", kind: "ingest", team: null }, "tests");
  await open("webhooks", "Webhooks");
  await page.getByRole("link", { name: "Show secret of ci" }).click();
  const key = await keyNamed("ci");
  const secret = (await control.findSigner(key?.keyId ?? ""))?.webhookSecret ?? "";
  await page.getByText(secret).waitFor();
  expect(await readMain(page)).toContain(`${server.url}/api/v1/outcomes/github?key=${key?.keyId}`);
  await keepBoth("5-webhooks", "webhooks");
});

it("takes all data away, and ends the workspace", async () => {
  await open("workspace", "Workspace");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download outcomes" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`${WORKSPACE}-outcomes.ndjson`);
  await keepBoth("6-workspace", "workspace");
  await page.getByLabel(`Type ${WORKSPACE} to delete it`).fill("something else");
  await page.getByRole("button", { name: "Delete for good" }).click();
  await page.getByText(`confirm: is not ${WORKSPACE}`).waitFor();
  await page.getByLabel(`Type ${WORKSPACE} to delete it`).fill(WORKSPACE);
  await page.getByRole("button", { name: "Delete for good" }).click();
  await page.getByRole("heading", { level: 1, name: "Not for your role" }).waitFor();
  expect((await control.listWorkspaces("local")).map(({ id }) => id)).not.toContain(WORKSPACE);
  // The browser's own word for an answer of 403 or 401 is the only thing that it logged.
  expect(page.problems.filter((problem) => !/status of 403/.test(problem))).toEqual([]);
});
