/** People who sign in: how they come in, what each role is shown, and that nobody changes what is not theirs to change. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openControl } from "@centspan/control";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { getOk } from "../stack/api.ts";
import { keepScreenshot, openBrowser, openPage, readMain } from "../stack/browser.ts";
import { PASSWORD, type PeopleServer, type Person, startPeopleServer } from "../stack/people-server.ts";
import { ROOT } from "../stack/processes.ts";

const ROLES = ["owner", "finance", "engineer", "viewer"] as const;

let browser: Browser;
let server: PeopleServer;
let people: Record<(typeof ROLES)[number], Person>;

beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), startPeopleServer()]);
  const [owner, finance, engineer, viewer] = await Promise.all(
    ROLES.map((role) => server.join(`${role}@acme.example`, role)),
  );
  if (!owner || !finance || !engineer || !viewer) throw new Error("somebody did not join");
  people = { owner, finance, engineer, viewer };
});
afterAll(async () => {
  await Promise.all([browser?.close(), server?.end()]);
});

describe("a person", () => {
  it("joins by a link, signs out, and signs in again, in two languages", async () => {
    const page = await openPage(browser);
    const link = `${server.url}${await server.invite("ada@acme.example", "owner")}`;
    await page.goto(link);
    await page.getByRole("heading", { level: 1, name: "Join Default" }).waitFor();
    await keepScreenshot(page, "people-1-join");
    await page.getByLabel("Your name").fill("Ada");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Join" }).click();
    await page.getByRole("heading", { level: 1, name: "Ledger" }).waitFor();
    await page.getByLabel("Account: ada@acme.example").click();
    await keepScreenshot(page, "people-2-signed-in");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are signed out.").waitFor();

    await page.goto(`${server.url}/budgets?period=7d`);
    await page.getByLabel("E-mail").fill("ada@acme.example");
    await page.getByLabel("Password").fill("not the password");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("E-mail or password is not right.").waitFor();
    await keepScreenshot(page, "people-3-sign-in");
    await page.goto(`${server.url}/sign-in?next=%2Fbudgets%3Fperiod%3D7d&lang=ko`);
    await page.getByLabel("이메일").fill("ada@acme.example");
    await page.getByLabel("비밀번호").fill(PASSWORD);
    await keepScreenshot(page, "people-4-sign-in-ko");
    await page.getByRole("button", { name: "로그인" }).click();
    await page.waitForURL(/\/budgets\?period=7d/);

    // The link was good once.
    const other = await openPage(browser);
    await other.goto(link);
    expect(await readMain(other)).toContain("This link is not good any more");
    expect([...page.problems, ...other.problems]).toEqual([]);
  });

  it("is invited from a page, changes roles there, and finds it in the audit log", async () => {
    const page = await openPage(browser);
    await page.goto(`${server.url}${await server.invite("boss@acme.example", "owner")}`);
    await page.getByLabel("Your name").fill("Boss");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Join" }).click();
    await page.getByRole("link", { name: "Settings" }).first().click();
    await page.getByRole("heading", { level: 1, name: "Members" }).waitFor();
    await page.getByLabel("E-mail").fill("new@acme.example");
    await page.locator("label select[name=role]").selectOption("finance");
    await page.getByRole("button", { name: "Invite" }).click();
    const link = (await page.locator("pre").textContent()) ?? "";
    expect(link).toMatch(new RegExp(`^${server.url}/join/[\\w-]{43}$`));
    await page.reload();
    await page.getByRole("button", { name: "Withdraw: new@acme.example" }).waitFor();
    await keepScreenshot(page, "people-5-members");
    await page.goto(`${server.url}/settings/members?lang=ko`);
    await keepScreenshot(page, "people-6-members-ko");
    await page.goto(`${server.url}/settings/audit?lang=en`);
    const log = await readMain(page);
    expect(log).toMatch(/boss@acme\.example\s+member\.invited/);
    await keepScreenshot(page, "people-7-audit");
    expect(page.problems).toEqual([]);
    const joined = await fetch(link);
    expect(await joined.text()).toContain("new@acme.example");
  });

  it("changes the password, which ends the other sessions", async () => {
    const before = await server.join("pat@acme.example", "viewer");
    const page = await openPage(browser);
    await page.goto(`${server.url}/sign-in?next=/settings/account`);
    await page.getByLabel("E-mail").fill("pat@acme.example");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByLabel("Password now").fill(PASSWORD);
    await page.getByLabel("New password").fill("another good password");
    await keepScreenshot(page, "people-8-account");
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByText("The password is changed").waitFor();
    expect((await before.get("/")).headers.get("location")).toContain("/sign-in");
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Account" }).waitFor();
    expect(page.problems).toEqual([]);
  });
});

/** Of each page: an address of it, and the roles that it is shown to. */
async function listPages(): Promise<Record<string, { path: string; roles: readonly string[] }>> {
  const { data: keys } = await getOk<{ data: { keyId: string }[] }>("/keys");
  const { data: traces } = await getOk<{ data: { traceId: string }[] }>("/traces?limit=1");
  const { data: calls } = await getOk<{ data: { traceId: string; spanId: string }[] }>("/calls?limit=1");
  const all = (path: string) => ({ path, roles: ROLES });
  const own = (path: string, ...roles: string[]) => ({ path, roles });
  return {
    "": all("/"),
    budgets: all("/budgets"),
    close: all("/close"),
    "close/reconciliation": own("/close/reconciliation", "owner", "finance"),
    "keys/[keyId]": all(`/keys/${keys[0]?.keyId}`),
    outcomes: all("/outcomes"),
    prices: all("/prices"),
    recommendations: all("/recommendations"),
    "recommendations/[id]": own("/recommendations/none"),
    report: all("/report"),
    runs: all("/runs"),
    "runs/[traceId]": all(`/runs/${traces[0]?.traceId}`),
    "runs/compare": all(`/runs/compare?run=${traces[0]?.traceId}`),
    "runs/[traceId]/prompt/[spanId]": all(`/runs/${calls[0]?.traceId}/prompt/${calls[0]?.spanId}`),
    search: all("/search"),
    "search/results": all("/search/results"),
    "runs/[traceId]/[part]": all(`/runs/${traces[0]?.traceId}/skeleton`),
    settings: own("/settings"),
    "settings/account": all("/settings/account"),
    "settings/content": own("/settings/content", "owner"),
    "settings/keys": own("/settings/keys", "owner", "engineer"),
    "settings/retention": own("/settings/retention", "owner"),
    "settings/teams": own("/settings/teams", "owner"),
    "settings/webhooks": own("/settings/webhooks", "owner", "engineer"),
    "settings/workspace": own("/settings/workspace", "owner"),
    "settings/workspace/export/[table]": own("/settings/workspace/export/outcomes", "owner"),
    "settings/audit": own("/settings/audit", "owner", "finance"),
    "settings/members": own("/settings/members", "owner"),
    sources: all("/sources"),
    spend: all("/spend"),
    "spend/csv": all("/spend/csv"),
    waste: all("/waste"),
    "waste/[cause]": all("/waste/retry"),
    "what-if": own("/what-if", "owner", "engineer"),
  };
}

/** They are for whoever comes. */
const OPEN = [
  "approve/[token]",
  "join/[token]",
  "sign-in",
  "session",
  "auth/callback/[provider]",
  "preferences",
  "api/v1/[...path]",
  "mcp",
];

describe("every page", () => {
  const folder = join(ROOT, "apps/web/src/app");
  const found = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /(^|\/)(page\.tsx|route\.ts)$/.test(file))
    .map((file) => file.replace(/\/?(page\.tsx|route\.ts)$/, ""))
    .filter((path) => !OPEN.includes(path));

  it("has a line in this test", async () => {
    expect(Object.keys(await listPages()).sort()).toEqual(found.sort());
  });

  it.each(ROLES)("is shown to the %s only where it is meant for that role", async (role) => {
    const due = (name: string, roles: readonly string[]): number =>
      name === "settings" ? 307 : name === "recommendations/[id]" ? 404 : roles.includes(role) ? 200 : 403;
    const pages = Object.entries(await listPages());
    const answers = pages.map(async ([, { path }]) => [path, (await people[role].get(path)).status]);
    expect(await Promise.all(answers)).toEqual(pages.map(([name, { path, roles }]) => [path, due(name, roles)]));
  });

  it("sends who is not signed in to the sign-in, and shows nothing of a workspace that one is no member of", async () => {
    const control = openControl({ url: inject("connection").databaseUrl });
    await control.ensureWorkspace("local", { id: "elsewhere", name: "Elsewhere" });
    await control.close();
    for (const { path } of Object.values(await listPages())) {
      const nobody = await fetch(`${server.url}${path}`, { redirect: "manual" });
      expect([path, nobody.status, nobody.headers.get("location")]).toEqual([
        path,
        307,
        expect.stringMatching(/^(http:\/\/localhost:\d+)?\/sign-in/),
      ]);
      const elsewhere = await people.owner.get(`${path}?workspace=elsewhere`);
      expect([path, elsewhere.status]).toEqual([path, 404]);
    }
  });

  it("and the Trace API is not reached with a session, but with a key", async () => {
    for (const path of ["/api/v1/keys", "/api/v1/cost?groupBy=team", "/mcp"])
      expect([path, (await people.owner.get(path)).status]).toEqual([path, 401]);
  });
});

describe("every form", () => {
  /** Pages with all of their forms open. */
  const OPENED = [
    ...["/budgets?edit=new", "/close/reconciliation", "/settings/members", "/settings/keys", "/settings/teams"],
    ...["/settings/content", "/settings/retention"],
  ];

  /** What a browser would send of each form of the page that asks for a change, filled in. */
  async function readForms(person: Person, path: string): Promise<FormData[]> {
    const html = await (await person.get(path)).text();
    const page = await openPage(browser);
    const found = await page.evaluate((text) => {
      const forms = [...new DOMParser().parseFromString(text, "text/html").forms];
      return forms.map((form) => [...new FormData(form)].map(([name, value]) => [name, String(value)]));
    }, html);
    await page.close();
    return found
      .filter((entries) => entries.some(([name]) => name?.startsWith("$ACTION")))
      .map((entries) => {
        const sent = new FormData();
        for (const [name = "", value = ""] of entries) sent.append(name, value === "" ? (FILLED[name] ?? "") : value);
        return sent;
      });
  }
  const FILLED: Record<string, string> = {
    ...{ email: "eve@acme.example", name: "eve", limitUsd: "1", subject: "payments" },
    ...{ before: PASSWORD, after: "another good password" },
  };
  const countChanges = async (): Promise<number> => (await getOk<{ data: unknown[] }>("/audit?limit=1000")).data.length;

  it("that an owner is shown changes nothing when a viewer sends it, and does when the owner does", async () => {
    const before = await countChanges();
    const forms: { path: string; form: FormData }[] = [];
    for (const path of OPENED) for (const form of await readForms(people.owner, path)) forms.push({ path, form });
    expect(forms.length).toBeGreaterThan(4);
    for (const { path, form } of forms) await people.viewer.post(path, form);
    for (const { path, form } of forms)
      await fetch(`${server.url}${path}`, { method: "POST", body: form, redirect: "manual" });
    expect(await countChanges()).toBe(before);
    const invite = forms.find(
      ({ path, form }) => path === "/settings/members" && form.get("email") === "eve@acme.example",
    );
    if (invite === undefined) throw new Error("the invitation's form was not found");
    // From another site, with the owner's cookies, it is refused before anything is read.
    const answer = await people.owner.post(invite.path, invite.form);
    expect(answer.status).toBe(200);
    expect(await countChanges()).toBe(before + 1);
  });
});
