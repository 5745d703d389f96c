import { formatDecimal, sumDecimals, ZERO } from "@centspan/base";
import {
  type CallFilter,
  EMPTY_TASK_SPEND,
  type Outcome,
  type OutcomeGroup,
  type RatedCall,
  type TaskSpend,
} from "@centspan/model";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { useWarehouse } from "./testing/create-warehouse.ts";
import { HOUR_NS, makeCall, makeOutcome, NOON_NS, traceId } from "./testing/records.ts";

const test = useWarehouse();
let workspaces = 0;
const freshWorkspace = (): string => `w${++workspaces}`;

const store = async (workspace: string, calls: RatedCall[], outcomes: Outcome[] = []) => {
  await test.warehouse.insertCalls(workspace, calls);
  await test.warehouse.insertOutcomes(workspace, outcomes);
};
const spendBy = (workspace: string, groupBy: OutcomeGroup, filter: CallFilter = {}, timeZone = "UTC") =>
  test.warehouse.listTaskSpend(workspace, { groupBy, filter, timeZone });
const brief = ({ task, group, costUsd, status }: TaskSpend) => [group, task, formatDecimal(costUsd), status];

describe("cohorts", () => {
  it("a task belongs to the group of its first call, with all it spent", async () => {
    const workspace = freshWorkspace();
    await store(workspace, [
      makeCall("c2", { task: "t", model: "strong", key: "b", atNs: NOON_NS + 2n, provenance: "simulated" }, "2"),
      makeCall("c1", { task: "t", model: "cheap", key: "a", atNs: NOON_NS + 1n }, "1"),
      makeCall("c3", { task: "u", model: "strong", key: "b", atNs: NOON_NS + 3n }, "4"),
      makeCall("c4", { task: "u", key: "b", atNs: NOON_NS + 4n, costUsd: null, costStatus: "unpriced", lines: [] }),
    ]);
    expect((await spendBy(workspace, "model")).map(brief)).toEqual([
      ["cheap", "t", "3", null],
      ["strong", "u", "4", null],
    ]);
    const [t, u] = await spendBy(workspace, "task");
    expect(t).toMatchObject({ task: "t", group: "t", calls: 2, unpricedCalls: 0, firstCallAtNs: NOON_NS + 1n });
    expect(formatDecimal(t?.simulatedUsd ?? ZERO)).toBe("2");
    expect(u).toMatchObject({ calls: 2, unpricedCalls: 1 });
  });

  it("a range chooses tasks by their first call, with all they spent, so that a pass is in one range alone", async () => {
    const workspace = freshWorkspace();
    await store(workspace, [
      makeCall("c1", { task: "t", key: "a", atNs: NOON_NS }, "1"),
      makeCall("c2", { task: "t", key: "b", atNs: NOON_NS + 2n * HOUR_NS }, "2"),
      makeCall("c3", { key: "b", atNs: NOON_NS + 2n * HOUR_NS }, "8"),
    ]);
    const later = { range: { fromNs: NOON_NS + HOUR_NS, toNs: NOON_NS + 3n * HOUR_NS } };
    const sooner = { range: { fromNs: NOON_NS, toNs: NOON_NS + HOUR_NS } };
    expect((await spendBy(workspace, "key", sooner)).map(brief)).toEqual([["a", "t", "3", null]]);
    expect((await spendBy(workspace, "key", later)).map(brief)).toEqual([["b", "", "8", null]]);
    expect((await spendBy(workspace, "hour", {}, "Asia/Tokyo")).map(brief)).toEqual([
      ["2026-11-15T21:00:00+09:00", "t", "3", null],
      ["2026-11-15T23:00:00+09:00", "", "8", null],
    ]);
    expect(await spendBy(workspace, "key", { range: { fromNs: 0n, toNs: NOON_NS } })).toEqual([]);
  });

  it("filters choose tasks by their first call, so that one group's rows are what the filter for it gives", async () => {
    const workspace = freshWorkspace();
    await store(workspace, [
      makeCall("c1", { task: "t", key: "a" }, "1"),
      makeCall("c2", { task: "t", key: "b", atNs: NOON_NS + 1n }, "2"),
      makeCall("c3", { task: "u", key: "b" }, "4"),
      makeCall("c4", { key: "a" }, "8"),
    ]);
    const all = await spendBy(workspace, "key");
    for (const key of ["a", "b"]) {
      expect(await spendBy(workspace, "key", { key })).toEqual(all.filter(({ group }) => group === key));
    }
    expect((await spendBy(workspace, "key", { key: "a" })).map(brief)).toEqual([
      ["a", "", "8", null],
      ["a", "t", "3", null],
    ]);
  });

  const anyCall = fc.record({
    task: fc.constantFrom("", "t", "u", "v"),
    key: fc.constantFrom("a", "b"),
    at: fc.integer({ min: 0, max: 59 }),
    cents: fc.option(fc.integer({ min: 0, max: 1000 })),
    simulated: fc.boolean(),
  });

  it("agree with a slow model", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyCall, { minLength: 1, maxLength: 60, size: "max" }),
        fc.tuple(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 1000, max: 6000 })),
        async (parts, [from, to]) => {
          const workspace = freshWorkspace();
          const calls = parts.map(({ task, key, at, cents, simulated }, i) =>
            makeCall(
              `call_${`${i}`.padStart(2, "0")}`,
              {
                task,
                key,
                // No two at one instant: which of those is the first is not said.
                atNs: NOON_NS + BigInt(at * 100 + i),
                provenance: simulated ? "simulated" : "measured",
                ...(cents === null ? { costUsd: null, costStatus: "unpriced" as const, lines: [] } : {}),
              },
              `0.0${cents ?? 0}`,
            ),
          );
          await store(workspace, calls);
          const filter = { range: { fromNs: NOON_NS + BigInt(from), toNs: NOON_NS + BigInt(to) } };
          const got = await spendBy(workspace, "key", filter);
          expect(got.map(flat)).toEqual(modelSpend(calls, from, to).map(flat));
        },
      ),
      { numRuns: 8 },
    );
  });
});

const flat = ({ costUsd, simulatedUsd, reviewMinutes, ...rest }: TaskSpend) => ({
  ...rest,
  reviewMinutes: formatDecimal(reviewMinutes),
  costUsd: formatDecimal(costUsd),
  simulatedUsd: formatDecimal(simulatedUsd),
});

function modelSpend(calls: RatedCall[], from: number, to: number): TaskSpend[] {
  const ordered = [...calls].sort((a, b) =>
    a.atNs !== b.atNs ? Number(a.atNs - b.atNs) : a.callId < b.callId ? -1 : 1,
  );
  const firstOf = (task: string) => ordered.find((call) => call.task === task);
  const rows: TaskSpend[] = [];
  for (const group of ["a", "b"]) {
    for (const task of ["", "t", "u", "v"]) {
      const members = ordered.filter((call) => call.task === task && (task === "" ? call.key === group : true));
      if (task !== "" && firstOf(task)?.key !== group) continue;
      const isInRange = ({ atNs }: RatedCall) => atNs >= NOON_NS + BigInt(from) && atNs < NOON_NS + BigInt(to);
      const spent = task === "" ? members.filter(isInRange) : members.slice(0, 1).some(isInRange) ? members : [];
      if (spent.length === 0) continue;
      const cost = (some: RatedCall[]) => sumDecimals(some.map(({ costUsd }) => costUsd ?? ZERO));
      rows.push({
        ...EMPTY_TASK_SPEND,
        task,
        group,
        costUsd: cost(spent),
        simulatedUsd: cost(spent.filter(({ provenance }) => provenance === "simulated")),
        calls: spent.length,
        unpricedCalls: spent.filter(({ costUsd }) => costUsd === null).length,
        firstCallAtNs: (task === "" ? spent : members)[0]?.atNs ?? 0n,
        status: null,
      });
    }
  }
  return rows;
}

/** One task of its own for each case, so that all are stored and asked at once. */
type Own = { task: string; runId: string; sessionId: string; traceId: string };
const early = { atNs: NOON_NS };
const late = { atNs: NOON_NS + 1n };

type Standing = [string, Outcome["status"] | null, (own: Own) => (Partial<Outcome> & { as?: string })[]];
const STANDINGS: Standing[] = [
  ["no outcome", null, () => []],
  ["the latest tests", "failed", () => [{ ...late, status: "failed" }, early]],
  ["the latest tests, the other way round", "passed", () => [late, { ...early, status: "failed" }]],
  ...(["failed", "partial", "unknown"] as const).map(
    (status): Standing => [
      `all tests, of which one is ${status} and another passed later`,
      status,
      () => [
        { ...early, status, evidence: { name: "unit" } },
        { ...late, evidence: { name: "lint" } },
      ],
    ],
  ),
  [
    "the same test in another repository",
    "failed",
    () => [
      { ...early, status: "failed", evidence: { repository: "a" } },
      { ...late, evidence: { repository: "b" } },
    ],
  ],
  [
    "tests of another source",
    "failed",
    () => [
      { ...early, status: "failed" },
      { ...late, source: "other" },
    ],
  ],
  [
    "all tests, each by the last time",
    "passed",
    () => [
      { ...early, status: "failed", evidence: { name: "unit" } },
      { ...early, evidence: { name: "lint" } },
      { ...late, evidence: { name: "unit" } },
    ],
  ],
  [
    "tests before a later approval",
    "failed",
    () => [
      { ...early, status: "failed" },
      { ...late, kind: "approved" },
    ],
  ],
  [
    "passing tests of work that was reverted later",
    "failed",
    () => [early, { ...late, kind: "approved", status: "failed" }],
  ],
  ["or that was refused before", "failed", () => [{ ...early, kind: "approved", status: "failed" }, late]],
  [
    "passing tests of work that was refused, and approved in the end",
    "passed",
    () => [{ ...early, kind: "approved", status: "failed" }, { ...late, kind: "approved" }, early],
  ],
  [
    "the latest of approved and completed without tests",
    "partial",
    () => [
      { ...early, kind: "completed" },
      { ...late, kind: "approved", status: "partial" },
    ],
  ],
  ["nothing custom", null, () => [{ kind: "custom" }]],
  ["by run", "passed", ({ runId }) => [{ subject: { runId } }]],
  ["by trace", "passed", ({ traceId: trace }) => [{ subject: { traceId: trace } }]],
  ["by session", "passed", ({ sessionId }) => [{ subject: { sessionId } }]],
  ["by task before the run it names too", null, ({ runId }) => [{ subject: { task: "elsewhere", runId } }]],
  ["not by a commit that nobody linked", null, () => [{ subject: { commit: "0123456" } }]],
  [
    "once, when posted twice",
    "unknown",
    () => [
      { as: "same", status: "unknown" },
      { as: "same", status: "unknown" },
    ],
  ],
];

describe("standing", () => {
  let rows: TaskSpend[];
  beforeAll(async () => {
    const workspace = freshWorkspace();
    const owns = STANDINGS.map((_, i): Own => {
      return { task: `task_${i}`, runId: `run_${i}`, sessionId: `session_${i}`, traceId: traceId(i + 100) };
    });
    const outcomes = STANDINGS.flatMap(([, , given], i) => {
      const own = owns[i] ?? { task: "", runId: "", sessionId: "", traceId: "" };
      return given(own).map(({ as, ...outcome }, n) =>
        makeOutcome(`outcome_${i}_${as ?? n}`, { subject: { task: own.task }, ...outcome }),
      );
    });
    await store(
      workspace,
      [...owns.map((own, i) => makeCall(`c${i}`, own)), makeCall("other", { task: "other", traceId: traceId(8) })],
      outcomes,
    );
    rows = await spendBy(workspace, "key");
  });

  it.each(STANDINGS.map(([why, expected], i) => [why, expected, i] as const))("%s", (_why, expected, i) => {
    expect(rows.find(({ task }) => task === `task_${i}`)).toMatchObject({ status: expected });
  });

  it("says nothing of a task that no outcome names", () => {
    expect(rows.find(({ task }) => task === "other")).toMatchObject({ status: null });
  });
});

it("an attempt buys the passes that came of it, and those after the fifth count with it", async () => {
  const workspace = freshWorkspace();
  const run = (task: string, runId: string, usd: string, ns: bigint) =>
    makeCall(`${task}${runId}`, { task, runId, atNs: NOON_NS + ns }, usd);
  const passed = (task: string, ns: bigint) => makeOutcome(`o${task}`, { subject: { task }, atNs: NOON_NS + ns });
  await store(
    workspace,
    [
      run("a", "1", "1", 1n),
      // After it had passed.
      run("a", "2", "5", 3n),
      run("b", "2", "2", 1n),
      run("b", "1", "4", 4n),
      run("c", "1", "8", 1n),
      ...Array.from({ length: 7 }, (_, n) => run("d", `${n}`, "0.5", BigInt(n))),
      makeCall("none", { runId: "9" }, "100"),
    ],
    [passed("a", 2n), passed("b", 9n), passed("d", 9n)],
  );
  const slices = await test.warehouse.sliceTasks(workspace, {
    ...{ groupBy: "team", filter: {}, timeZone: "UTC", mostSingle: 0 },
  });
  const attempts = [0, 1, 2, 3, 4].map((number) => {
    const own = slices.flatMap((slice) => slice.attempts[number] ?? []);
    const [tasks, passes] = [
      own.reduce((sum, { tasks }) => sum + tasks, 0),
      own.reduce((sum, one) => sum + one.passes, 0),
    ];
    return [tasks, passes, formatDecimal(sumDecimals(own.map(({ costUsd }) => costUsd)))];
  });
  expect(attempts).toEqual([
    [4, 1, "11.5"],
    [3, 1, "9.5"],
    [1, 0, "0.5"],
    [1, 0, "0.5"],
    [1, 1, "1.5"],
  ]);
  expect(Math.max(...slices.map((slice) => slice.attempts.length))).toBe(5);
});

it("lists outcomes newest first, as they were posted, by task or run", async () => {
  const workspace = freshWorkspace();
  const whole = makeOutcome("o1", {
    subject: {
      task: "t",
      runId: "r",
      sessionId: "s",
      traceId: traceId(1),
      commit: "0123456789abcdef",
      pullRequest: "acme/ledger#7",
    },
    status: "failed",
    weight: 0.25,
    evidence: { failed: 2, names: ["a › b", "ü"], exitCode: 1, flaky: false },
    atNs: NOON_NS + 1n,
  });
  const other = makeOutcome("o2", { subject: { runId: "q" } });
  await test.warehouse.insertOutcomes(workspace, [other, whole]);
  await test.warehouse.insertOutcomes(workspace, [whole]);
  expect(await test.warehouse.listOutcomes(workspace, {})).toEqual([whole, other]);
  expect(await test.warehouse.listOutcomes(workspace, { task: "t" })).toEqual([whole]);
  expect(await test.warehouse.listOutcomes(workspace, { runId: "q" })).toEqual([other]);
  expect(await test.warehouse.listOutcomes(workspace, { task: "t", runId: "q" })).toEqual([]);
});
