/** Budgets over the API, on a real control plane, at an hour that the test sets. */
import { randomBytes } from "node:crypto";
import { parseDecimal, ZERO } from "@centspan/base";
import { type Control, openControl } from "@centspan/control";
import type { AuditEntry, Principal } from "@centspan/model";
import { openWarehouse, type Warehouse } from "@centspan/warehouse";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createTraceApi } from "./index.ts";

const workspace = `w-${randomBytes(6).toString("hex")}`;
/** The half of November 2026 in Berlin, on the hour. */
const NOW_NS = BigInt(Date.parse("2026-11-15T23:00:00Z")) * 1_000_000n;
let control: Control;
let warehouse: Warehouse;

beforeAll(async () => {
  control = openControl({ url: inject("databaseUrl") });
  warehouse = openWarehouse({ url: inject("clickhouseUrl"), books: control });
  await control.migrate();
  await control.ensureWorkspace("budget-tests", { id: workspace, name: workspace });
});
afterAll(() => Promise.all([control.close(), warehouse.close()]));

const owner: Principal = {
  ...{
    keyId: "key_k",
    keyName: "k",
    kind: "api",
    scopes: null,
    workspace,
    org: "budget-tests",
    orgWide: false,
    team: null,
    rules: {},
  },
};

async function ask(method: string, path: string, body?: object) {
  const api = createTraceApi({ warehouse, control, clock: { nowNs: () => NOW_NS } });
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  const answer = await api.handle(new Request(new URL(`/api/v1${path}`, "http://api.test"), init), owner);
  return { status: answer.status, body: JSON.parse(await answer.text()) };
}

const BUDGET = { name: "ci", scope: "team", subject: "*", period: "month", timeZone: "Europe/Berlin", limitUsd: "100" };

describe("/budgets", () => {
  it("makes, lists with what is spent, held, left and foretold, replaces and deletes", async () => {
    const made = await ask("POST", "/budgets", BUDGET);
    expect(made).toMatchObject({ status: 201, body: { ...BUDGET, enforcement: "hard", subjects: [] } });
    expect(made.body).toMatchObject({ from: "2026-10-31T23:00:00.000Z", resetsAt: "2026-11-30T23:00:00.000Z" });
    const { budgetId } = made.body;
    for (const [subject, spent] of [
      ["red", "20.5"],
      ["blue", "101"],
    ] as const) {
      await control.visitBudgetAccount({
        ...{ budgetId, subject, from: new Date(made.body.from), holder: "g", visit: 1, ttlMs: 60_000 },
        ...{ spentUsd: parseDecimal(spent), asideUsd: parseDecimal("2"), wantedUsd: [], nextUsd: ZERO },
      });
    }
    const { body } = await ask("GET", "/budgets");
    expect(body.nextCursor).toBeNull();
    expect(body.data).toMatchObject([
      {
        budgetId,
        subjects: [
          { subject: "blue", spentUsd: "101", reservedUsd: "0", remainingUsd: "-1", forecastUsd: "202" },
          { subject: "red", spentUsd: "20.5", reservedUsd: "2", remainingUsd: "79.5", forecastUsd: "41" },
        ],
      },
    ]);
    const raised = await ask("PUT", `/budgets/${budgetId}`, { ...BUDGET, limitUsd: "150.000000000001" });
    expect(raised.body).toMatchObject({
      limitUsd: "150.000000000001",
      subjects: [{ remainingUsd: "49.000000000001" }, {}],
    });
    expect(await ask("DELETE", `/budgets/${budgetId}`)).toEqual({ status: 200, body: { budgetId, deleted: true } });
    expect((await ask("GET", "/budgets")).body.data).toEqual([]);
    expect((await ask("DELETE", `/budgets/${budgetId}`)).status).toBe(404);
    const { data: log } = (await ask("GET", "/audit")).body;
    expect(log.map(({ actor, action, subject }: AuditEntry) => [actor, action, subject])).toEqual(
      ["budget.deleted", "budget.replaced", "budget.created"].map((action) => ["k (key_k)", action, budgetId]),
    );
  });

  it.each([
    ["an amount that is a number", { limitUsd: 100 }, "body.limitUsd"],
    ["a zone that there is not", { timeZone: "Mars/Base" }, "body.timeZone"],
    ["an address that is none", { alerts: { email: ["nobody"] } }, "body.alerts.email.0"],
    ["a subject with a NUL", { subject: "a\0b" }, "body.subject"],
    ["a subject that is no text", { subject: "a\ud800" }, "body.subject"],
    ["an address with a NUL", { alerts: { webhook: "https://a.example/x\0y" } }, "body.alerts.webhook"],
    ["a member that nobody knows", { limit: "1" }, "body.limit"],
  ])("refuses %s, and says where", async (_why, change, field) => {
    expect(await ask("POST", "/budgets", { ...BUDGET, ...change })).toMatchObject({ status: 400, body: { field } });
  });

  it("refuses a name that is taken", async () => {
    await ask("POST", "/budgets", { ...BUDGET, name: "twice" });
    expect(await ask("POST", "/budgets", { ...BUDGET, name: "twice" })).toMatchObject({
      status: 409,
      body: { code: "conflict", field: "name" },
    });
  });
});
