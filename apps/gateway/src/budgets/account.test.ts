import { randomBytes } from "node:crypto";
import {
  CentspanError,
  countToDecimal,
  createRandom,
  formatDecimal,
  parseDecimal,
  sumDecimals,
  ZERO,
} from "@centspan/base";
import { type Control, openControl } from "@centspan/control";
import { type BudgetState, budgetInputSchema } from "@centspan/model";
import { waitUntil } from "@centspan/testing";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { type Account, createAccount, LEASE_MS } from "./account.ts";

let control: Control;
const workspace = `w-${randomBytes(6).toString("hex")}`;
const FROM = new Date("2026-11-01T00:00:00Z");
let made = 0;

beforeAll(async () => {
  control = openControl({ url: inject("databaseUrl") });
  await control.migrate();
  await control.ensureWorkspace("local", { id: workspace, name: workspace });
});
afterAll(() => control.close());
afterEach(() => void vi.useRealTimers());

const usd = parseDecimal;

async function openAccounts(limitUsd: string, count: number, store: Pick<Control, "visitBudgetAccount"> = control) {
  const input = { name: `b${++made}`, scope: "team", subject: "ci", period: "month", limitUsd };
  const { budgetId } = await control.createBudget(workspace, budgetInputSchema.parse(input), "tests");
  const clock = { aheadMs: 0 };
  const idle = new Set<number>();
  const reported: string[] = [];
  const accounts = Array.from({ length: count }, (_, at) =>
    createAccount({
      id: { budgetId, subject: "ci", from: FROM },
      isHard: true,
      store,
      nowMs: () => performance.now() + clock.aheadMs,
      onState: () => undefined,
      report: (thrown) => void reported.push(String(thrown)),
      onIdle: () => idle.add(at),
    }),
  );
  const [first] = accounts;
  if (first === undefined) throw new Error("no account");
  const read = async () => {
    const [found] = await control.listBudgetAccounts([{ budgetId, from: FROM }], 1);
    return [formatDecimal(found?.spentUsd ?? ZERO), formatDecimal(found?.reservedUsd ?? ZERO)];
  };
  return { budgetId, accounts, first, clock, idle, reported, read };
}

/** Sets aside, waiting for what others hold as a client would; null where what was spent leaves too little. */
async function setAside(account: Account, amountUsd: BudgetState["limitUsd"]): Promise<true | null> {
  return waitUntil(
    "what is held to be free",
    async () => {
      const refused = await account.setAside(amountUsd);
      if (refused === null) return [true as const];
      return refused.spentUsd.plus(amountUsd).gt(refused.limitUsd) && [null];
    },
    30_000,
  ).then(([taken]) => taken ?? null);
}

describe("accounts of several processes", () => {
  it("use all of a budget that a call fits in, and not a cent more", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.integer({ min: 1, max: 4 }),
        async (seed, processes) => {
          const { accounts, read } = await openAccounts("1", processes);
          const random = createRandom(seed);
          const most = 40_000;
          const call = async (account: Account): Promise<boolean> => {
            const amount = countToDecimal(1 + Math.floor(random.next() * most)).times(usd("0.000001"));
            if ((await setAside(account, amount)) === null) return false;
            await new Promise((resolve) => setTimeout(resolve, random.next() * 3));
            account.settle(amount, amount.times(countToDecimal(Math.floor(random.next() * 11))).times(usd("0.1")));
            return true;
          };
          const work = async (account: Account): Promise<void> => {
            while (await call(account));
          };
          await Promise.all(accounts.flatMap((account) => [work(account), work(account), work(account)]));
          await Promise.all(accounts.map((account) => account.close()));
          const [spent = "0", held] = await read();
          expect(usd(spent).lte(usd("1"))).toBe(true);
          expect(usd(spent).gte(usd("0.95"))).toBe(true);
          expect(held).toBe("0");
        },
      ),
      { numRuns: 3 },
    );
  });

  it("ask nobody while a slice suffices", async () => {
    let visits = 0;
    const { first } = await openAccounts("100", 1, {
      visitBudgetAccount(visit) {
        visits += 1;
        return control.visitBudgetAccount(visit);
      },
    });
    for (let call = 0; call < 50; call++) {
      expect(await first.setAside(usd("0.01"))).toBeNull();
      first.settle(usd("0.01"), usd("0.005"));
    }
    expect(visits).toBe(1);
    await first.close();
  });

  it("don't use what they held once its time is over", async () => {
    const { first, clock } = await openAccounts("10", 1);
    await first.setAside(usd("0.1"));
    await first.close();
    clock.aheadMs = LEASE_MS;
    expect(first.headroomUsd()?.lte(usd("9.9"))).toBe(true);
    expect(await first.setAside(usd("9.9"))).toBeNull();
    expect(formatDecimal((await first.setAside(usd("0.1")))?.reservedUsd ?? ZERO)).toBe("10");
  });

  it("count what was spent once where the answer to a visit is lost after it was written", async () => {
    let loses = false;
    const { first, read } = await openAccounts("1", 1, {
      async visitBudgetAccount(visit) {
        const state = await control.visitBudgetAccount(visit);
        if (!loses) return state;
        loses = false;
        throw new CentspanError("store_unavailable", "the connection broke");
      },
    });
    await first.setAside(usd("0.2"));
    first.settle(usd("0.2"), usd("0.1"));
    loses = true;
    await waitUntil("the visit to be lost", () => !loses);
    await first.setAside(usd("0.01"));
    first.settle(usd("0.01"), usd("0.005"));
    await waitUntil("the rest to be told", async () => (await read())[0] === "0.105");
    await first.close();
    expect(await read()).toEqual(["0.105", "0"]);
  });

  it("ask more and more rarely while the store is away, and count all of it when it is back", async () => {
    let visits = 0;
    let isAway = false;
    const { first, reported, read } = await openAccounts("1", 1, {
      async visitBudgetAccount(visit) {
        visits += 1;
        if (isAway) throw new CentspanError("store_unavailable", "away");
        return control.visitBudgetAccount(visit);
      },
    });
    await first.setAside(usd("0.2"));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    isAway = true;
    first.settle(usd("0.2"), usd("0.1"));
    await vi.advanceTimersByTimeAsync(600_000);
    expect(visits).toBeLessThan(75);
    isAway = false;
    await vi.advanceTimersByTimeAsync(LEASE_MS / 6);
    vi.useRealTimers();
    await first.close();
    expect([await read(), reported]).toEqual([["0.1", "0"], []]);
  });

  it("report what the store refuses though it is there, and drop it after some repetitions", async () => {
    let visits = 0;
    let refuses = true;
    const { first, reported, idle, read } = await openAccounts("1", 1, {
      async visitBudgetAccount(visit) {
        visits += 1;
        if (refuses) throw new Error("index row size 6056 exceeds btree version 4 maximum 2704");
        return control.visitBudgetAccount(visit);
      },
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    first.settle(ZERO, usd("0.1"));
    await vi.advanceTimersByTimeAsync(600_000);
    expect([visits, idle.size]).toEqual([5, 1]);
    expect(reported.at(-1)).toContain("0.1 USD of budget");
    expect(reported.map((line) => line.endsWith("are not counted"))).toEqual([false, false, false, false, true]);
    refuses = false;
    first.settle(ZERO, usd("0.02"));
    await vi.advanceTimersByTimeAsync(LEASE_MS / 6);
    vi.useRealTimers();
    await first.close();
    expect(await read()).toEqual(["0.02", "0"]);
  });

  it("are forgotten when there is nothing more to tell or hold", async () => {
    const { first, idle, read } = await openAccounts("0.15", 1);
    await first.setAside(usd("0.1"));
    first.settle(usd("0.1"), usd("0.1"));
    await waitUntil("it to be idle", () => idle.size === 1);
    expect(await read()).toEqual(["0.1", "0"]);
  });

  it("keep amounts apart to the twelfth decimal", async () => {
    const { first, read } = await openAccounts("1", 1);
    const amounts = ["0.000000000001", "0.1", "0.333333333333"].map(usd);
    for (const amount of amounts) {
      await first.setAside(amount);
      first.settle(amount, amount);
    }
    await first.close();
    expect((await read())[0]).toBe(formatDecimal(sumDecimals(amounts)));
  });
});
