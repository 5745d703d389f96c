import { parseDecimal } from "@centspan/base";
import { findBillingPeriod, type Statement, type UsageUnit } from "@centspan/model";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, openControl } from "./index.ts";
import { createDatabase } from "./testing/create-database.ts";

let database: Awaited<ReturnType<typeof createDatabase>>;
let control: Control;
let workspaces = 0;

beforeAll(async () => {
  database = await createDatabase();
  control = openControl({ url: database.url });
  await control.migrate();
});
afterAll(async () => {
  await control.close();
  await database.drop();
});

async function freshWorkspace(): Promise<string> {
  const id = `w${++workspaces}`;
  await control.ensureWorkspace("acme", { id, name: id });
  return id;
}

const statement: Statement = {
  lines: [
    { team: "", lines: 1, exactUsd: parseDecimal("0.1"), amountUsd: parseDecimal("0.1"), owner: null },
    { team: "data", lines: 3, exactUsd: parseDecimal("1.000000000001"), amountUsd: parseDecimal("1"), owner: null },
  ],
  commitments: [
    {
      commitment: "plan",
      team: "data",
      status: "used",
      payPerTokenUsd: parseDecimal("2.000000000001"),
      costUsd: parseDecimal("0.999999999999"),
      provenance: "allocated",
    },
  ],
  unpricedCalls: 2,
  quarantinedCalls: 0,
  unratedUnits: 1,
};
const month = (period: string, zone = "UTC") => findBillingPeriod(zone, period);
const close = (workspace: string, period: string, zone?: string) =>
  control.closePeriod(workspace, month(period, zone), "ada", async () => statement);

describe("closing", () => {
  it("waits for writers, not for ever, and leaves nothing behind when it gives up", async () => {
    const workspace = await freshWorkspace();
    const impatient = openControl({ url: database.url, patienceMs: 100, maxConnections: 1 });
    await control.whileAlone(workspace, async () => {
      await expect(
        impatient.closePeriod(workspace, month("2026-10"), "ada", async () => statement),
      ).rejects.toMatchObject({ code: "store_unavailable", message: expect.stringContaining("books are in use") });
      // On the only connection that it has: what it acknowledges is there for others.
      await impatient.writeAudit(workspace, { actor: "ada", action: "test", subject: "s", details: {} });
      expect(await control.listAudit(workspace, 10)).toMatchObject([{ action: "test" }]);
    });
    await close(workspace, "2026-10");
    await impatient.close();
  });

  it("refuses a month of another zone than the workspace has by then", async () => {
    const workspace = await freshWorkspace();
    await control.setTimeZone(workspace, "Europe/Berlin", "tests");
    await expect(close(workspace, "2026-10")).rejects.toMatchObject({ code: "conflict", field: "period" });
    await close(workspace, "2026-10", "Europe/Berlin");
  });

  it("keeps the statement to the last digit, and who closed", async () => {
    const workspace = await freshWorkspace();
    const closed = await close(workspace, "2026-10");
    expect(await control.listClosedPeriods(workspace)).toEqual([closed]);
    expect(closed).toMatchObject({ ...month("2026-10"), ...statement, closedBy: "ada" });
    const details = { timeZone: "UTC", teams: 2, unpricedCalls: 2, quarantinedCalls: 0 };
    expect(await control.listAudit(workspace, 10)).toMatchObject([
      { actor: "ada", action: "period.close", subject: "2026-10", details },
    ]);
  });

  it("is once for each month, with all before it", async () => {
    const workspace = await freshWorkspace();
    await close(workspace, "2026-10");
    await expect(close(workspace, "2026-10")).rejects.toMatchObject({ code: "conflict", field: "period" });
    await expect(close(workspace, "2026-09")).rejects.toMatchObject({ code: "conflict" });
    await close(workspace, "2026-12");
    await expect(close(workspace, "2026-11")).rejects.toThrow("2026-11 is closed");
    expect((await control.listClosedPeriods(workspace)).map(({ period }) => period)).toEqual(["2026-12", "2026-10"]);
  });

  it("waits for who writes, and makes who comes later wait and see it", async () => {
    const workspace = await freshWorkspace();
    const events: string[] = [];
    let finish = () => {};
    let writing: Promise<unknown> = Promise.resolve();
    await new Promise<void>((start) => {
      writing = control.whileAlone(workspace, async (closedToNs) => {
        start();
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        events.push(`wrote while closed to ${closedToNs}`);
      });
    });
    const closing = control.closePeriod(workspace, month("2026-10"), "ada", async () => {
      events.push("summed");
      return statement;
    });
    // Others of the same workspace are behind whoever closes, those of another one are not.
    await control.whileAlone(await freshWorkspace(), async () => events.push("elsewhere"));
    finish();
    await Promise.all([writing, closing]);
    await control.whileAlone(workspace, async (closedToNs) => events.push(`then ${closedToNs}`));
    expect(events).toEqual(["elsewhere", "wrote while closed to 0", "summed", `then ${month("2026-10").toNs}`]);
  });

  it("leaves nothing behind when the statement can't be made", async () => {
    const workspace = await freshWorkspace();
    const failing = control.closePeriod(workspace, month("2026-10"), "ada", () => Promise.reject(new Error("away")));
    await expect(failing).rejects.toThrow("away");
    expect(await control.listClosedPeriods(workspace)).toEqual([]);
    expect(await control.listAudit(workspace, 10)).toEqual([]);
    await close(workspace, "2026-10");
  });
});

it("names who answers for what no team owns, on a closed month alone", async () => {
  const workspace = await freshWorkspace();
  await expect(control.assignUnallocated(workspace, "2026-10", "grace", "ada")).rejects.toMatchObject({
    code: "not_found",
  });
  await close(workspace, "2026-10");
  await control.assignUnallocated(workspace, "2026-10", "grace", "ada");
  const [closed] = await control.listClosedPeriods(workspace);
  expect(closed?.lines.map(({ team, owner }) => [team, owner])).toEqual([
    ["", "grace"],
    ["data", null],
  ]);
  expect((await control.listAudit(workspace, 1))[0]).toMatchObject({
    action: "period.assign",
    details: { owner: "grace" },
  });
});

it("has a time zone for each workspace, until a month of it is closed", async () => {
  const workspace = await freshWorkspace();
  expect(await control.readTimeZone(workspace)).toBe("UTC");
  await control.setTimeZone(workspace, "Asia/Seoul", "tests");
  expect(await control.readTimeZone(workspace)).toBe("Asia/Seoul");
  await close(workspace, "2026-10", "Asia/Seoul");
  await expect(control.setTimeZone(workspace, "UTC", "tests")).rejects.toMatchObject({
    code: "conflict",
    field: "timeZone",
  });
  await expect(control.readTimeZone("nowhere")).rejects.toMatchObject({ code: "not_found" });
});

it("keeps what could not be rated until it is, and counts what came since the last month was closed", async () => {
  const workspace = await freshWorkspace();
  const trace = { kind: "trace", traceId: "t" } as const;
  const session = { kind: "session", sessionId: "s", fromNs: 1n, toNs: 5n } as const;
  const keep = (unit: UsageUnit, receivedAtNs: bigint, message = "why") =>
    control.keepUnratedUnit({ workspace, unit, message, receivedAtNs });
  const october = month("2026-10");
  await keep(trace, october.fromNs);
  await keep(trace, october.toNs - 1n, `told with \0 ${"at length ".repeat(100)}`);
  await keep(session, october.fromNs);
  expect(await control.listUnratedUnits(workspace)).toMatchObject([
    { unit: session, attempts: 1, receivedAtNs: october.fromNs },
    { unit: trace, attempts: 2, receivedAtNs: october.toNs - 1n, message: expect.stringMatching(/^told with {2}at/) },
  ]);
  expect(await control.listUnratedUnits()).toEqual(expect.arrayContaining(await control.listUnratedUnits(workspace)));
  const count = async () => (await control.readPeriodBooks(workspace)).unratedUnits;
  expect(await count()).toBe(2);
  await close(workspace, "2026-10");
  expect(await count()).toBe(0);
  await keep(trace, october.toNs);
  expect(await count()).toBe(1);
  await control.forgetUnratedUnit(workspace, trace);
  expect([await count(), (await control.listUnratedUnits(workspace)).length]).toEqual([0, 1]);
});
