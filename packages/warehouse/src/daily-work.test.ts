/** What tasks spent is the same whichever days are summed up: held against a workspace of which none ever is. */
import { type Decimal, formatDecimal, sumDecimals } from "@centspan/base";
import type { Outcome, OutcomeGroup, TaskQuestion, TaskSlice, TaskSpend } from "@centspan/model";
import fc from "fast-check";
import { expect, it } from "vitest";
import { useWarehouse } from "./testing/create-warehouse.ts";
import { HOUR_NS, makeCall, makeOutcome, NOON_NS, traceId } from "./testing/records.ts";

const test = useWarehouse();
const zones = new Map<string, string>();
let workspaces = 0;

/** Workspaces that have no zone are left alone. */
const refresh = () => test.warehouse.refreshDailyCosts(2n ** 63n - 1n, async (name) => zones.get(name) ?? null);
const loseCalls = (workspace: string) =>
  test.connection.command("DELETE FROM calls WHERE workspace = {workspace:String}", { workspace });

const ask = async (workspace: string, question: TaskQuestion) =>
  (await test.warehouse.listTaskSpend(workspace, question)).map(
    ({ costUsd, simulatedUsd, reviewMinutes, ...rest }) => ({
      ...rest,
      costUsd: formatDecimal(costUsd),
      simulatedUsd: formatDecimal(simulatedUsd),
      reviewMinutes: formatDecimal(reviewMinutes),
    }),
  );
const slice = (workspace: string, question: TaskQuestion, mostSingle: number) =>
  test.warehouse.sliceTasks(workspace, { ...question, mostSingle });
const askOpen = async (workspace: string, question: TaskQuestion) =>
  JSON.stringify(await test.warehouse.listOpenSpend(workspace, { ...question, limit: 3 }));
/** The same of tasks one by one, as they stand however young they are. */
function listOpen(tasks: readonly TaskSpend[]): string {
  const open = tasks.filter(({ decision }) => decision === null);
  const dearest = open.toSorted((a, b) => b.costUsd.cmp(a.costUsd)).slice(0, 3);
  return JSON.stringify({
    dearest: dearest.map(({ task, costUsd, calls }) => ({ task, costUsd, calls })),
    openTasks: open.filter(({ task }) => task !== "").length,
    openUsd: sumDecimals(open.map(({ costUsd }) => costUsd)),
    allUsd: sumDecimals(tasks.map(({ costUsd }) => costUsd)),
  });
}

it("answers without the calls of days that are over, once they are summed up, and with them again when more come", async () => {
  const workspace = `plain${++workspaces}`;
  zones.set(workspace, "UTC");
  const [first, second] = ["r1", "r2"].map((runId, n) =>
    makeCall(runId, { task: "t", runId, key: `key ${n}`, atNs: NOON_NS + BigInt(n) * 24n * HOUR_NS }, `${n + 1}`),
  );
  if (first === undefined || second === undefined) throw new Error("there are two");
  const question = { groupBy: "key", filter: {}, timeZone: "UTC" } as const;
  await test.warehouse.insertCalls(workspace, [first, second, makeCall("none", { key: "key 9" }, "8")]);
  const before = [await ask(workspace, question), await slice(workspace, question, 9)];
  expect(before[0]).toMatchObject([
    { task: "t", group: "key 0", costUsd: "3", attempts: 2 },
    { task: "", group: "key 9", costUsd: "8" },
  ]);
  await refresh();
  await loseCalls(workspace);
  expect([await ask(workspace, question), await slice(workspace, question, 9)]).toEqual(before);
  await test.warehouse.insertCalls(workspace, [
    makeCall("late", { task: "t", runId: "r2", key: "key 1", atNs: second.atNs }, "4"),
  ]);
  expect(await ask(workspace, question)).toMatchObject([{ task: "t", costUsd: "5" }, { task: "" }]);
});

/** What attempts come to; which runs there were is not told of tasks one by one. */
const sumAttempts = ({ attempts }: TaskSlice) => ({
  tasks: attempts[0]?.tasks ?? 0,
  passes: attempts.reduce((sum, { passes }) => sum + passes, 0),
  usd: formatDecimal(sumDecimals(attempts.map(({ costUsd }) => costUsd))),
});

/** Slices as they have to be of tasks that are told one by one, in an order of their own. */
function addUp(tasks: readonly TaskSpend[], mostSingle: number): string[] {
  const groups = new Map<string, TaskSpend[]>();
  for (const one of tasks) {
    const { group, team, status, isReverted, reviewMinutes } = one;
    const isNone = one.task === "";
    const single = tasks.length <= mostSingle ? one.task : "";
    const key = JSON.stringify([single, group, team, isNone, status, isReverted, formatDecimal(reviewMinutes)]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const sum = (some: Decimal[]) => formatDecimal(sumDecimals(some));
  return [...groups]
    .map(([key, members]) => {
      const usd = sum(members.map(({ costUsd }) => costUsd));
      const tasks = members.filter(({ task }) => task !== "").length;
      const passes = members.filter(({ status }) => status === "passed").length;
      return JSON.stringify({
        key,
        usd,
        squaredUsd: sum(members.map(({ costUsd }) => costUsd.times(costUsd))),
        simulatedUsd: sum(members.map(({ simulatedUsd }) => simulatedUsd)),
        calls: members.reduce((all, { calls }) => all + calls, 0),
        unpricedCalls: members.reduce((all, { unpricedCalls }) => all + unpricedCalls, 0),
        tasks,
        attempts: { tasks, passes, usd: tasks === 0 ? "0" : usd },
      });
    })
    .sort();
}

const describeSlice = (one: TaskSlice): string => {
  const { task, group, team, status, isReverted, reviewMinutes, calls, unpricedCalls, tasks } = one;
  return JSON.stringify({
    key: JSON.stringify([task, group, team, tasks === 0, status, isReverted, formatDecimal(reviewMinutes)]),
    usd: formatDecimal(one.costUsd),
    squaredUsd: formatDecimal(one.squaredUsd),
    simulatedUsd: formatDecimal(one.simulatedUsd),
    calls,
    unpricedCalls,
    tasks,
    attempts: sumAttempts(one),
  });
};

const TASKS = ["", "t", "u", "s1", "s2"];
const RUNS = ["", "r1", "r2"];
const call = fc.record({
  id: fc.integer({ min: 0, max: 9 }),
  hours: fc.constantFrom(-49, -30, -13, -1, 0, 1, 11, 13, 30),
  task: fc.constantFrom(...TASKS),
  runId: fc.constantFrom(...RUNS),
  trace: fc.integer({ min: 1, max: 3 }),
  key: fc.constantFrom("a", "b"),
  cents: fc.option(fc.integer({ min: 0, max: 1000 })),
  simulated: fc.boolean(),
});
const outcome = fc.record({
  id: fc.integer({ min: 0, max: 5 }),
  subject: fc.constantFrom<Outcome["subject"]>(
    { task: "t" },
    { task: "s1" },
    { task: "piece" },
    { runId: "r1" },
    { sessionId: "s2" },
    { traceId: traceId(2) },
    { commit: "0123456" },
  ),
  kind: fc.constantFrom("tests", "completed", "approved" as const),
  status: fc.constantFrom("passed", "failed", "unknown" as const),
  hours: fc.integer({ min: -40, max: 60 }),
  evidence: fc.constantFrom<Outcome["evidence"]>({}, { name: "lint" }, { by: "ada", reviewMinutes: 7.5 }),
});
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ insert: fc.array(call, { minLength: 1, maxLength: 5 }) }) },
  { weight: 3, arbitrary: fc.record({ refreshIn: fc.constantFrom("UTC", "Asia/Kolkata", "America/New_York") }) },
  { weight: 2, arbitrary: fc.record({ say: fc.array(outcome, { minLength: 1, maxLength: 3 }) }) },
  fc.record({ withdraw: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 3 }) }),
  fc.record({ link: fc.integer({ min: 0, max: 5 }), tasks: fc.subarray(["t", "u", "piece"]) }),
  fc.record({ stretch: fc.subarray(["s1", "s2"], { minLength: 1 }), fromHours: fc.integer({ min: -30, max: 12 }) }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const at = (hours: number): bigint => NOON_NS + BigInt(hours) * HOUR_NS;

async function take(workspace: string, change: Step): Promise<void> {
  const { warehouse } = test;
  if ("insert" in change) {
    const calls = change.insert.map(({ id, hours, task, runId, trace, key, cents, simulated }) =>
      makeCall(
        `call_${id}`,
        {
          ...{ task, runId, key, traceId: traceId(trace), sessionId: task.startsWith("s") ? task : "" },
          // No two at one instant: which of those is the first is not said.
          atNs: at(hours) + BigInt(id),
          provenance: simulated ? "simulated" : "measured",
          ...(cents === null ? { costUsd: null, costStatus: "unpriced" as const, lines: [] } : {}),
        },
        `0.0${cents ?? 0}`,
      ),
    );
    await warehouse.insertCalls(workspace, calls);
  } else if ("withdraw" in change)
    await warehouse.withdrawCalls(
      workspace,
      change.withdraw.map((id) => `call_${id}`),
    );
  else if ("say" in change)
    await warehouse.insertOutcomes(
      workspace,
      change.say.map(({ id, hours, ...said }) =>
        makeOutcome(`outcome_${id}`, { ...said, atNs: at(hours) + BigInt(id) }),
      ),
    );
  else if ("link" in change) {
    const link = { outcomeId: `outcome_${change.link}`, linkedBy: "person", reason: "", decidedBy: "ada" } as const;
    await warehouse.insertOutcomeLinks(workspace, [{ ...link, tasks: change.tasks }]);
  } else if ("stretch" in change) {
    const stretches = change.stretch.map((task) => ({ task, fromNs: at(change.fromHours), work: "piece" }));
    await warehouse.replaceWorkStretches(workspace, stretches, new Set(["s1", "s2"]));
  } else if (workspace.startsWith("fast")) {
    zones.set(workspace, change.refreshIn);
    await refresh();
  }
}

it("is that of the calls, after any changes of calls, outcomes, links and stretches", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 9 }), async (steps) => {
      const [fast, slow] = [`fast${++workspaces}`, `slow${workspaces}`];
      for (const change of steps) for (const workspace of [fast, slow]) await take(workspace, change);
      const range = { fromNs: at(-24), toNs: at(12) };
      const questions: TaskQuestion[] = (["key", "day", "hour", "task"] satisfies OutcomeGroup[]).map((groupBy) => ({
        ...{ groupBy, filter: { range }, timeZone: "Asia/Kolkata" },
      }));
      const plain = { groupBy: "key", filter: {}, timeZone: "UTC" } as const;
      questions.push(plain, { ...plain, filter: { key: "a", runId: "r1" } }, { ...plain, groups: ["b"] });
      questions.push(
        { ...plain, maturityNs: 20n * HOUR_NS, matureFromNs: at(-12) },
        { ...plain, filter: { traceId: traceId(2) } },
      );
      for (const question of questions) {
        expect(await ask(fast, question)).toEqual(await ask(slow, question));
        const whole = await test.warehouse.listTaskSpend(slow, question);
        for (const mostSingle of [99, 0]) {
          const slices = await slice(fast, question, mostSingle);
          expect(JSON.stringify(slices)).toBe(JSON.stringify(await slice(slow, question, mostSingle)));
          expect(slices.map(describeSlice).sort()).toEqual(addUp(whole, mostSingle));
        }
        expect(await askOpen(fast, question)).toBe(listOpen(whole));
      }
    }),
    { numRuns: 6 },
  );
}, 240_000);
