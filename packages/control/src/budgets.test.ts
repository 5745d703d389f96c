import { formatDecimal, parseDecimal, ZERO } from "@centspan/base";
import { type Budget, type BudgetInput, type BudgetVisit, budgetInputSchema } from "@centspan/model";
import { waitUntil } from "@centspan/testing";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, openControl } from "./index.ts";
import { createDatabase } from "./testing/create-database.ts";

let database: Awaited<ReturnType<typeof createDatabase>>;
let control: Control;
let made = 0;

beforeAll(async () => {
  database = await createDatabase();
  control = openControl({ url: database.url });
  await control.migrate();
  for (const id of ["prod", "lab"]) await control.ensureWorkspace("acme", { id, name: id });
});

afterAll(async () => {
  await control.close();
  await database.drop();
});

const describeBudget = (change: Partial<BudgetInput> = {}): BudgetInput => ({
  ...budgetInputSchema.parse({ name: `b${++made}`, scope: "team", subject: "ci", period: "month", limitUsd: "10" }),
  ...change,
});
const FROM = new Date("2026-11-01T00:00:00Z");

type Said = Partial<Record<"spent" | "needed" | "next", string>> & { wanted?: readonly string[] } & Partial<
    Pick<BudgetVisit, "ttlMs" | "subject" | "visit">
  >;
let visits = 0;

async function visit({ budgetId }: Budget, holder: string, said: Said = {}) {
  const { spent = "0", needed = "0", next = "0", wanted = [], ttlMs = 60_000, subject = "ci" } = said;
  const { visit: number = ++visits } = said;
  const amounts = { spentUsd: parseDecimal(spent), asideUsd: parseDecimal(needed), nextUsd: parseDecimal(next) };
  const wantedUsd = wanted.map(parseDecimal);
  const state = await control.visitBudgetAccount({
    ...{ budgetId, subject, from: FROM, holder, ttlMs, visit: number },
    ...amounts,
    wantedUsd,
  });
  if (state === null) return null;
  const { limitUsd, spentUsd, reservedUsd, heldUsd } = state;
  return [limitUsd, spentUsd, reservedUsd, heldUsd].map(formatDecimal);
}

describe("budgets", () => {
  it("are made, listed, replaced and deleted within their workspace", async () => {
    const input = describeBudget({ name: "own", limitUsd: "12.5" });
    const budget = await control.createBudget("prod", input, "tests");
    expect({ ...budget, limitUsd: formatDecimal(budget.limitUsd) }).toMatchObject(input);
    expect(await control.listBudgets("prod")).toContainEqual(budget);
    expect(await control.listBudgets("lab")).toEqual([]);
    await expect(control.createBudget("prod", input, "tests")).rejects.toMatchObject({
      code: "conflict",
      field: "name",
    });
    await expect(control.createBudget("nowhere", input, "tests")).rejects.toMatchObject({ code: "not_found" });
    const changed = await control.replaceBudget("prod", budget.budgetId, { ...input, enforcement: "soft" }, "tests");
    expect(changed.enforcement).toBe("soft");
    await expect(control.replaceBudget("lab", budget.budgetId, input, "tests")).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(control.deleteBudget("lab", budget.budgetId, "tests")).rejects.toMatchObject({ code: "not_found" });
    await visit(budget, "a", { spent: "1", needed: "1" });
    await control.deleteBudget("prod", budget.budgetId, "tests");
    expect(await control.listBudgets("prod")).not.toContainEqual(changed);
    expect(await visit(budget, "a", { spent: "1" })).toBeNull();
  });

  it("leave in the audit log who made, changed and ended them, and nothing of what failed", async () => {
    await control.ensureWorkspace("acme", { id: "audited", name: "audited" });
    const input = describeBudget({ name: "ci" });
    const { budgetId } = await control.createBudget("audited", input, "ada (key_1)");
    await control.createBudget("audited", input, "eve (key_2)").catch(() => undefined);
    const changed = { ...input, limitUsd: "100.5", enforcement: "soft" as const };
    await control.replaceBudget("audited", budgetId, changed, "bob (key_3)");
    await control.replaceBudget("prod", budgetId, changed, "eve (key_2)").catch(() => undefined);
    await control.deleteBudget("audited", budgetId, "ada (key_1)");
    await control.deleteBudget("audited", budgetId, "eve (key_2)").catch(() => undefined);
    const log = await control.listAudit("audited", 10);
    expect(log.every(({ subject }) => subject === budgetId)).toBe(true);
    expect(log.map(({ actor, action, details }) => [actor, action, details])).toMatchObject([
      ["ada (key_1)", "budget.deleted", { name: "ci", limitUsd: "100.5" }],
      ["bob (key_3)", "budget.replaced", { name: "ci", limitUsd: "10 → 100.5", enforcement: "hard → soft" }],
      ["ada (key_1)", "budget.created", { name: "ci", scope: "team", subject: "ci", limitUsd: "10" }],
    ]);
    expect(Object.keys(log[1]?.details ?? {})).toHaveLength(3);
  });

  it("list what was spent and is held of them, most first", async () => {
    const budget = await control.createBudget("prod", describeBudget(), "tests");
    for (const [subject, spent] of [
      ["x", "1"],
      ["y", "3"],
      ["z", "0.000000000001"],
    ] as const)
      await visit(budget, "a", { spent, subject, needed: "2" });
    await visit(budget, "b", { subject: "y", needed: "0.5" });
    const accounts = await control.listBudgetAccounts([{ budgetId: budget.budgetId, from: FROM }], 2);
    expect(accounts.map(({ subject, spentUsd, reservedUsd }) => [subject, `${spentUsd}`, `${reservedUsd}`])).toEqual([
      ["y", "3", "2.5"],
      ["x", "1", "2"],
    ]);
    expect(await control.listBudgetAccounts([{ budgetId: budget.budgetId, from: new Date(0) }], 2)).toEqual([]);
  });
});

describe("an account", () => {
  it("is forgotten long after its period, with what is held and told of it, unless it is for life", async () => {
    const budget = await control.createBudget("prod", describeBudget(), "tests");
    const nothing = { spentUsd: ZERO, wantedUsd: [], nextUsd: ZERO };
    const days = ["1970-01-01", "2026-08-01", "2026-09-01"].map((day) => new Date(day));
    for (const from of days) {
      const id = { budgetId: budget.budgetId, subject: "old", from };
      await control.visitBudgetAccount({
        ...id,
        ...nothing,
        asideUsd: ZERO.plus(budget.limitUsd),
        holder: "h",
        visit: 1,
        ttlMs: 60_000,
      });
      const amounts = { limitUsd: budget.limitUsd, spentUsd: ZERO, forecastUsd: null };
      await control.raiseBudgetAlerts([{ ...id, ...amounts, reason: "80", channel: "webhook" }]);
    }
    expect(await control.forgetBudgetAccounts(new Date("2026-09-01"))).toBe(1);
    expect(await control.forgetBudgetAccounts(new Date("2026-09-01"))).toBe(0);
    const left = await control.listBudgetAccounts(
      days.map((from) => ({ budgetId: budget.budgetId, from })),
      10,
    );
    expect(left.map(({ from }) => from)).toEqual([days[0], days[2]]);
    const alerts = await control.claimBudgetAlerts(["webhook"], 60_000);
    expect(alerts.map(({ from }) => from.getTime()).sort()).toEqual([0, Date.parse("2026-09-01")]);
    await control.deleteBudget("prod", budget.budgetId, "tests");
  });

  it("gives what is needed, some calls more while much is left, and never more than is left", async () => {
    const budget = await control.createBudget("prod", describeBudget(), "tests");
    expect(await visit(budget, "a", { needed: "2", next: "0.01" })).toEqual(["10", "0", "2.5", "2.5"]);
    expect(await visit(budget, "b", { needed: "0.1", next: "0.001" })).toEqual(["10", "0", "2.7", "0.2"]);
    // Close to the limit a slice would be less than a call.
    expect(await visit(budget, "b", { needed: "7", next: "0.5" })).toEqual(["10", "0", "9.5", "7"]);
    expect(await visit(budget, "c", { needed: "1" })).toEqual(["10", "0", "10", "0.5"]);
    expect(await visit(budget, "d", { needed: "1" })).toEqual(["10", "0", "10", "0"]);
    // What was spent was held before; what is no longer needed is free again.
    expect(await visit(budget, "b", { spent: "6", needed: "0" })).toEqual(["10", "6", "3", "0"]);
    expect(await visit(budget, "d", { needed: "1" })).toEqual(["10", "6", "4", "1"]);
  });

  it("holds for calls that wait what fits of them whole, and nothing for the others", async () => {
    const budget = await control.createBudget("prod", describeBudget(), "tests");
    await visit(budget, "a", { needed: "8" });
    expect(await visit(budget, "b", { wanted: ["0.5", "1", "2"] })).toEqual(["10", "0", "9.5", "1.5"]);
    expect(await visit(budget, "c", { wanted: ["0.6"] })).toEqual(["10", "0", "9.5", "0"]);
    expect(await visit(budget, "c", { wanted: ["0.5"] })).toEqual(["10", "0", "10", "0.5"]);
  });

  it("takes back what was held by who does not come again", async () => {
    const budget = await control.createBudget("prod", describeBudget(), "tests");
    await visit(budget, "dead", { spent: "1", needed: "9", ttlMs: 50 });
    expect(await visit(budget, "b", { needed: "5" })).toEqual(["10", "1", "9", "0"]);
    const state = await waitUntil("the lease to end", async () => {
      const found = await visit(budget, "b", { needed: "5" });
      return found?.[3] === "5" && found;
    });
    expect(state).toEqual(["10", "1", "5", "5"]);
    // It lived after all: what it spent is counted, and it holds nothing.
    expect(await visit(budget, "dead", { spent: "6", needed: "1" })).toEqual(["10", "7", "5", "0"]);
  });

  it("counts a visit that is repeated once, and what came after it as well", async () => {
    const budget = await control.createBudget("prod", describeBudget(), "tests");
    for (let time = 0; time < 3; time++)
      expect(await visit(budget, "a", { visit: 1, spent: "2", needed: "1" })).toEqual(["10", "2", "1", "1"]);
    expect(await visit(budget, "a", { visit: 2, spent: "1" })).toEqual(["10", "3", "0", "0"]);
    expect(await visit(budget, "a", { visit: 2, spent: "1" })).toEqual(["10", "3", "0", "0"]);
    // Another's first is its own.
    expect(await visit(budget, "b", { visit: 1, spent: "1" })).toEqual(["10", "4", "0", "0"]);
  });

  it("holds nothing more where the limit was lowered", async () => {
    const input = describeBudget();
    const budget = await control.createBudget("prod", input, "tests");
    await visit(budget, "a", { spent: "4", needed: "2" });
    await control.replaceBudget("prod", budget.budgetId, { ...input, limitUsd: "3" }, "tests");
    expect(await visit(budget, "a", { needed: "2" })).toEqual(["3", "4", "0", "0"]);
  });

  it("never gives more than the limit, whoever comes when: against a slow model", { timeout: 60_000 }, async () => {
    const step = fc.record({
      holder: fc.constantFrom("a", "b", "c"),
      spentShare: fc.constantFrom(0, 1, 2, 4),
      needed: fc.integer({ min: 0, max: 4_000 }),
      next: fc.integer({ min: 0, max: 300 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const budget = await control.createBudget("prod", describeBudget(), "tests");
        const held = new Map<string, number>();
        let spent = 0;
        for (const { holder, spentShare, needed, next } of steps) {
          const own = held.get(holder) ?? 0;
          const spends = Math.floor((own * spentShare) / 4);
          held.delete(holder);
          spent += spends;
          const others = [...held.values()].reduce((sum, each) => sum + each, 0);
          const left = 10_000 - spent - others;
          const slice = Math.min((left - needed) / 16, next * 100);
          const expected = Math.max(0, Math.min(left, needed + (slice < next ? 0 : slice)));
          // Sixteenths of thousandths are exact in twelve decimals, and in doubles.
          const state = await visit(budget, holder, {
            spent: (spends / 1000).toFixed(3),
            needed: (needed / 1000).toFixed(3),
            next: (next / 1000).toFixed(3),
          });
          held.set(holder, Number(state?.[3]) * 1000);
          expect(held.get(holder)).toBeCloseTo(expected, 4);
          expect(spent + others + Number(state?.[3]) * 1000).toBeLessThanOrEqual(10_000 + 1e-6);
        }
      }),
      { numRuns: 15 },
    );
  });

  it("gives what is left once, to many at once", async () => {
    const budget = await control.createBudget("prod", describeBudget({ limitUsd: "1" }), "tests");
    const several = Array.from({ length: 3 }, () => openControl({ url: database.url }));
    const visits = Array.from({ length: 60 }, (_, at) =>
      several[at % 3]?.visitBudgetAccount({
        ...{ budgetId: budget.budgetId, subject: "ci", from: FROM, holder: `h${at}`, visit: 1, ttlMs: 60_000 },
        ...{ spentUsd: ZERO, asideUsd: ZERO, wantedUsd: [parseDecimal("0.03")], nextUsd: parseDecimal("0.001") },
      }),
    );
    const states = await Promise.all(visits);
    await Promise.all(several.map((one) => one.close()));
    const held = states.map((state) => Number(state && formatDecimal(state.heldUsd)));
    const total = held.reduce((sum, each) => sum + each, 0);
    expect(total).toBeLessThanOrEqual(1);
    expect(total).toBeGreaterThan(0.97);
    expect(held.filter((each) => each > 0 && each < 0.03)).toEqual([]);
  });
});

describe("alerts", () => {
  it("are raised once, and sent by one until they are closed", async () => {
    const budget = await control.createBudget(
      "prod",
      describeBudget({ alerts: { thresholds: [80], forecast: true, email: [] } }),
      "tests",
    );
    await visit(budget, "a", { spent: "9" });
    const alert = {
      ...{ budgetId: budget.budgetId, subject: "ci", from: FROM, limitUsd: budget.limitUsd },
      ...{ spentUsd: parseDecimal("9"), forecastUsd: null },
    };
    const both = ["80", "forecast"].map((reason) => ({ ...alert, reason, channel: "log" as const }));
    await control.raiseBudgetAlerts([]);
    await Promise.all([control.raiseBudgetAlerts(both), control.raiseBudgetAlerts(both)]);
    const claims = await Promise.all([
      control.claimBudgetAlerts(["log", "email"], 60_000),
      control.claimBudgetAlerts(["log", "email"], 60_000),
    ]);
    const due = claims.flat();
    expect(due.map(({ reason }) => reason).sort()).toEqual(["80", "forecast"]);
    expect(due[0]).toMatchObject({ ...alert, budget });
    expect(await control.claimBudgetAlerts(["log", "email"], 60_000)).toEqual([]);
    for (const { alertId } of due) await control.closeBudgetAlert(alertId);
    expect(await control.claimBudgetAlerts([], 60_000)).toEqual([]);
  });

  it("are raised again for another limit, however often, and once for each", async () => {
    const budget = await control.createBudget("prod", describeBudget(), "tests");
    await visit(budget, "a", { spent: "85" });
    const id = { budgetId: budget.budgetId, subject: "ci", from: FROM };
    const raise = async (limit: string, spent: string) => {
      const amounts = { limitUsd: parseDecimal(limit), spentUsd: parseDecimal(spent), forecastUsd: null };
      const alert = { ...id, ...amounts, reason: "80", channel: "email" as const };
      await Promise.all([control.raiseBudgetAlerts([alert]), control.raiseBudgetAlerts([alert])]);
      const due = await control.claimBudgetAlerts(["email"], 60_000);
      for (const { alertId } of due) await control.closeBudgetAlert(alertId);
      return due;
    };
    const told = [await raise("10", "8"), await raise("10", "9"), await raise("100", "85"), await raise("100.0", "90")];
    expect(told.map((due) => due.map(({ spentUsd }) => `${spentUsd}`))).toEqual([["8"], [], ["85"], []]);
    expect(new Set(told.flat().map(({ alertId }) => alertId)).size).toBe(2);
  });

  it("come again where who was to send them did not say that it did", async () => {
    const budget = await control.createBudget("prod", describeBudget(), "tests");
    await visit(budget, "a", { spent: "9" });
    await control.raiseBudgetAlerts([
      {
        ...{
          budgetId: budget.budgetId,
          subject: "ci",
          from: FROM,
          reason: "80",
          channel: "email",
          limitUsd: budget.limitUsd,
        },
        ...{ spentUsd: parseDecimal("9"), forecastUsd: parseDecimal("11.5") },
      },
    ]);
    expect(await control.claimBudgetAlerts(["log", "webhook"], 20)).toEqual([]);
    expect(await control.claimBudgetAlerts(["log", "email"], 20)).toHaveLength(1);
    const [again] = await waitUntil("the alert again", async () => {
      const due = await control.claimBudgetAlerts(["log", "email"], 60_000);
      return due.length > 0 && due;
    });
    expect(`${again?.forecastUsd}`).toBe("11.5");
    await control.closeBudgetAlert(again?.alertId ?? "");
  });
});
