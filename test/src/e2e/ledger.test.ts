import type { CallRow, OutcomeCostRow, OutcomeRow } from "@centspan/model";
import { expect, it } from "vitest";
import { getOk, listAll } from "../stack/api.ts";

type OutcomeCosts = { data: OutcomeCostRow[]; total: OutcomeCostRow };

/** Adds plain decimals with integers only: an arithmetic of its own, so that it can't share a mistake with the product. */
function sumByHand(amounts: readonly string[]): string {
  const DIGITS = 12;
  let total = 0n;
  for (const amount of amounts) {
    const [whole = "0", fraction = ""] = amount.split(".");
    total += BigInt(whole + fraction.padEnd(DIGITS, "0"));
  }
  const text = total.toString().padStart(DIGITS + 1, "0");
  return `${text.slice(0, -DIGITS)}.${text.slice(-DIGITS)}`.replace(/\.?0+$/, "");
}

/** Runs of the stack's own optimizer, which other cases start: no tests tell what they came to. */
const OF_NO_TEAM = "";

it("shows three teams with spend, passes and cost per passing test", async () => {
  const { data, total } = await getOk<OutcomeCosts>("/outcomes/cost?groupBy=team");
  const teams = data.filter(({ group }) => group !== OF_NO_TEAM);
  expect(teams.map((row) => row.group).sort()).toEqual(["payments", "platform", "search"]);
  for (const row of teams) {
    expect(Number(row.spendUsd)).toBeGreaterThan(0);
    expect(row.passed).toBeGreaterThan(0);
    expect(row.costPerPassUsd).not.toBeNull();
    expect(row.tasks).toBe(row.passed + row.failed + row.unknown + row.pending);
    expect(row.coverage).toBe("1");
    expect(row.simulatedShare).toBe("1");
  }
  expect(total.failed).toBeGreaterThan(0);
});

it("agrees to the last digit, by key, with a sum done by hand from the calls", async () => {
  const { data, total } = await getOk<OutcomeCosts>("/outcomes/cost?groupBy=key");
  const all = await listAll<CallRow>("/calls", 37);
  const calls = all.filter(({ team }) => team !== OF_NO_TEAM);
  const own = data.filter(({ group }) => calls.some(({ key }) => key === group));
  expect(new Set(calls.map((call) => call.callId)).size).toBe(calls.length);
  // A task belongs to the key of its first call.
  const first = new Map<string, CallRow>();
  for (const call of calls) {
    const known = first.get(call.task);
    if (known === undefined || call.at < known.at) first.set(call.task, call);
  }
  for (const row of own) {
    const mine = calls.filter((call) => first.get(call.task)?.key === row.group);
    expect({ key: row.group, spendUsd: sumByHand(mine.map((call) => call.costUsd ?? "missing")) }).toEqual({
      key: row.group,
      spendUsd: row.spendUsd,
    });
    expect(row.tasks).toBe(new Set(mine.map((call) => call.task)).size);
  }
  expect(own.length).toBe(3);
  expect(sumByHand(all.map((call) => call.costUsd ?? "missing"))).toBe(total.spendUsd);
});

it("makes every call's cost the sum of its charge lines, each quantity × unit price", async () => {
  for (const call of await listAll<CallRow>("/calls", 1000)) {
    expect(call.costStatus).toBe("rated");
    expect(sumByHand(call.lines.map((line) => line.costUsd))).toBe(call.costUsd);
    for (const line of call.lines) {
      const scaled = BigInt(line.unitPriceUsd.replace(".", "").replace(/^0+(?=\d)/, "")) * BigInt(line.quantity);
      const decimals = line.unitPriceUsd.split(".")[1]?.length ?? 0;
      const digits = scaled.toString().padStart(decimals + 1, "0");
      expect(
        sumByHand([`${digits.slice(0, digits.length - decimals)}.${digits.slice(digits.length - decimals) || "0"}`]),
      ).toBe(line.costUsd);
    }
  }
});

it("took every outcome from a real test run: counts, exit code, and no claim of the model", async () => {
  const tasks = new Map((await listAll<CallRow>("/calls", 1000)).map(({ task, team }) => [task, team]));
  const rows = await getOk<OutcomeCosts>("/outcomes/cost?groupBy=task");
  const ofTeams = rows.data.filter(({ group }) => tasks.has(group) && tasks.get(group) !== OF_NO_TEAM);
  expect(ofTeams.length).toBeGreaterThan(3);
  for (const { group, passed } of ofTeams) {
    const { data } = await getOk<{ data: OutcomeRow[] }>(`/outcomes?task=${encodeURIComponent(group)}`);
    const latest = data[0];
    expect(latest?.source).toBe("junit");
    expect(Number(latest?.evidence.passed) + Number(latest?.evidence.failed)).toBeGreaterThan(0);
    expect(latest?.status === "passed").toBe(passed === 1);
    expect(latest?.evidence.exitCode === 0).toBe(passed === 1);
  }
});
