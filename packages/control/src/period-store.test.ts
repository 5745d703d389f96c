import { parseDecimal } from "@centspan/base";
import { findBillingPeriod, type Statement } from "@centspan/model";
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
  unpricedCalls: 2,
  quarantinedCalls: 0,
};
const month = (period: string, zone = "UTC") => findBillingPeriod(zone, period);
const close = (workspace: string, period: string, zone?: string) =>
  control.closePeriod(workspace, month(period, zone), "ada", async () => statement);

describe("closing", () => {
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

  it("is once for each month, one after the other", async () => {
    const workspace = await freshWorkspace();
    await close(workspace, "2026-10");
    await expect(close(workspace, "2026-10")).rejects.toMatchObject({ code: "conflict", field: "period" });
    await expect(close(workspace, "2026-09")).rejects.toMatchObject({ code: "conflict" });
    await expect(close(workspace, "2026-12")).rejects.toThrow("the last closed one is 2026-10");
    await close(workspace, "2026-11");
    expect((await control.listClosedPeriods(workspace)).map(({ period }) => period)).toEqual(["2026-11", "2026-10"]);
  });

  it("waits for who writes, and makes who comes later wait and see it", async () => {
    const workspace = await freshWorkspace();
    const events: string[] = [];
    let finish = () => {};
    let writing: Promise<unknown> = Promise.resolve();
    await new Promise<void>((start) => {
      writing = control.whileOpen(workspace, async (closedToNs) => {
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
    await control.whileOpen(await freshWorkspace(), async () => events.push("elsewhere"));
    finish();
    await Promise.all([writing, closing]);
    await control.whileOpen(workspace, async (closedToNs) => events.push(`then ${closedToNs}`));
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
  await control.setTimeZone(workspace, "Asia/Seoul");
  expect(await control.readTimeZone(workspace)).toBe("Asia/Seoul");
  await close(workspace, "2026-10", "Asia/Seoul");
  await expect(control.setTimeZone(workspace, "UTC")).rejects.toMatchObject({ code: "conflict", field: "timeZone" });
  await expect(control.readTimeZone("nowhere")).rejects.toMatchObject({ code: "not_found" });
});
