import { formatDecimal, parseDecimal } from "@centspan/base";
import type { Outcome, PlacedSpend, WorkGroup, WorkMark } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { costByWork, listCutTraces } from "./work-cost.ts";

const DAY_NS = 86_400_000_000_000n;
const START_NS = 1_794_744_000_000_000_000n;
const NOW_NS = START_NS + DAY_NS;
const sha = (digit: string): string => digit.repeat(40);

const mark = (traceId: string, minute: number, place: Partial<WorkMark> = {}): WorkMark => ({
  traceId,
  sessionId: "s",
  repository: "acme/shop",
  branch: "fix",
  commit: "",
  pullRequest: "",
  patchId: "",
  atNs: START_NS + BigInt(minute) * 60_000_000_000n,
  ...place,
});
const spend = (
  traceId: string,
  minute: number,
  costUsd: string,
  sessionId = "s",
  untilMinute = minute,
): PlacedSpend => ({
  traceId,
  sessionId,
  atNs: START_NS + BigInt(minute) * 60_000_000_000n,
  lastNs: START_NS + BigInt(untilMinute) * 60_000_000_000n,
  costUsd: parseDecimal(costUsd),
  calls: 1,
  unpricedCalls: 0,
});
const outcome = (minute: number, facts: Partial<Outcome>): Outcome => ({
  outcomeId: `o${minute}${JSON.stringify(facts.subject)}`,
  subject: {},
  kind: "tests",
  status: "passed",
  weight: 1,
  source: "git",
  evidence: {},
  atNs: START_NS + BigInt(minute) * 60_000_000_000n,
  ...facts,
});
const cost = (by: WorkGroup, spent: PlacedSpend[], marks: WorkMark[], outcomes: Outcome[] = [], nowNs = NOW_NS) =>
  costByWork({ spend: spent, marks, outcomes }, by, nowNs).map((row) => ({
    group: row.group,
    state: row.state,
    usd: formatDecimal(row.costUsd),
    green: row.toGreenUsd && formatDecimal(row.toGreenUsd),
    after: row.afterGreenUsd && formatDecimal(row.afterGreenUsd),
  }));
const usd = (rows: ReturnType<typeof cost>) => rows.map(({ group, usd: amount }) => [group, amount]);

describe("what work cost", () => {
  it("is of the branch that its trace was at last, before all of them the first", () => {
    const spent = [spend("t", 0, "1"), spend("t", 5, "2"), spend("t", 9, "4"), spend("other", 9, "8")];
    const marks = [mark("t", 1, { branch: "a" }), mark("t", 6, { branch: "b" })];
    expect(usd(cost("branch", spent, marks))).toEqual([
      ["b", "4"],
      ["a", "3"],
    ]);
  });

  it("is of a request with all that its branch cost before it was opened, whoever worked there", () => {
    const spent = [spend("t", 0, "1"), spend("u", 3, "2", "s2"), spend("v", 8, "4", "s3")];
    const marks = [
      mark("t", 0),
      mark("u", 3, { sessionId: "s2" }),
      mark("v", 8, { sessionId: "s3" }),
      mark("u", 4, { sessionId: "s2", pullRequest: "acme/shop#1" }),
      mark("v", 9, { sessionId: "s3", pullRequest: "acme/shop#2" }),
    ];
    expect(usd(cost("pullRequest", spent, marks))).toEqual([
      ["acme/shop#2", "4"],
      ["acme/shop#1", "3"],
    ]);
  });

  it("is told up to the first passing test run, and after it", () => {
    const spent = [spend("t", 0, "1"), spend("t", 5, "2"), spend("t", 9, "4")];
    const tests = [
      outcome(1, { status: "failed", subject: { traceId: "t" } }),
      outcome(6, { subject: { traceId: "t" } }),
      outcome(8, { subject: { traceId: "t" } }),
    ];
    expect(cost("branch", spent, [mark("t", 0)], tests)).toMatchObject([{ green: "3", after: "4" }]);
    expect(cost("branch", spent, [mark("t", 0)], tests.slice(0, 1))).toMatchObject([{ green: null, after: null }]);
  });

  it.each([
    ["nothing was said of yet", [], NOW_NS, "open"],
    ["nothing happened on for two weeks", [], START_NS + 15n * DAY_NS, "abandoned"],
    [
      "a commit of is on the main branch",
      [outcome(20, { kind: "completed", subject: { commit: sha("a") } })],
      NOW_NS,
      "taken",
    ],
    [
      "was rebased: its change is on the main branch",
      [outcome(20, { kind: "completed", subject: { commit: sha("f"), patchId: sha("b") } })],
      NOW_NS,
      "taken",
    ],
    [
      "a request of was merged",
      [outcome(20, { kind: "approved", subject: { pullRequest: "acme/shop#1", commit: sha("a") } })],
      NOW_NS,
      "merged",
    ],
    [
      "was taken and reverted",
      [
        outcome(20, { kind: "completed", subject: { commit: sha("a") } }),
        outcome(30, { kind: "approved", status: "failed", subject: { commit: sha("a") } }),
      ],
      NOW_NS,
      "reverted",
    ],
    [
      "was taken, reverted, and taken again",
      [
        outcome(20, { kind: "completed", subject: { commit: sha("a") } }),
        outcome(30, { kind: "approved", status: "failed", subject: { commit: sha("a") } }),
        outcome(40, { kind: "approved", subject: { commit: sha("a") } }),
      ],
      NOW_NS,
      "merged",
    ],
    [
      "was refused",
      [outcome(30, { kind: "approved", status: "failed", subject: { pullRequest: "acme/shop#9", commit: sha("a") } })],
      NOW_NS,
      "refused",
    ],
  ] as const)("and what %s", (_what, said, nowNs, state) => {
    const marks = [mark("t", 0), mark("t", 9, { commit: sha("a"), patchId: sha("b") })];
    expect(cost("branch", [spend("t", 0, "1")], marks, [...said], nowNs)).toMatchObject([{ state }]);
  });

  it("on the main branch is never abandoned", () => {
    const [row] = cost("branch", [spend("t", 0, "1")], [mark("t", 0, { branch: "main" })], [], START_NS + 99n * DAY_NS);
    expect(row?.state).toBe("open");
  });

  it("of which one commit of two was reverted is told so", () => {
    const marks = [mark("t", 1, { commit: sha("a") }), mark("t", 2, { commit: sha("b") })];
    const said = [
      outcome(20, { kind: "completed", subject: { commit: sha("a") } }),
      outcome(20, { kind: "completed", subject: { commit: sha("b") } }),
      outcome(30, { kind: "approved", status: "failed", subject: { commit: sha("b") } }),
    ];
    expect(cost("branch", [spend("t", 0, "1")], marks, said)).toMatchObject([{ state: "partly_reverted" }]);
  });
});

const anyMark = fc
  .tuple(fc.constantFrom("t", "u"), fc.nat(9), fc.constantFrom("a", "b", ""), fc.constantFrom("", "r#1", "r#2"))
  .map(([traceId, minute, branch, pullRequest]) => mark(traceId, minute, { branch, pullRequest }));

it("no spend is in two rows, and none is more than there was", () => {
  fc.assert(
    fc.property(
      fc.array(anyMark, { maxLength: 8 }),
      fc.array(fc.tuple(fc.constantFrom("t", "u", "v"), fc.nat(9)), { maxLength: 8 }),
      (marks, spent) => {
        const rows = spent.map(([traceId, minute]) => spend(traceId, minute, "1"));
        for (const by of ["branch", "pullRequest"] as const) {
          const sum = costByWork({ spend: rows, marks, outcomes: [] }, by, NOW_NS).reduce(
            (all, { calls }) => all + calls,
            0,
          );
          expect(sum).toBeLessThanOrEqual(rows.length);
        }
        const placed = rows.filter(({ traceId }) => marks.some((one) => one.traceId === traceId && one.branch !== ""));
        const branches = costByWork({ spend: rows, marks, outcomes: [] }, "branch", NOW_NS);
        expect(branches.reduce((all, { calls }) => all + calls, 0)).toBe(placed.length);
      },
    ),
  );
});

it("spend of a whole trace comes to the same as minute by minute, but of traces that are said to be cut", () => {
  const anyTest = fc
    .tuple(fc.nat(9), fc.constantFrom("t", "u"), fc.constantFrom("passed" as const, "failed" as const))
    .map(([minute, traceId, status]) => outcome(minute, { status, subject: { traceId } }));
  fc.assert(
    fc.property(
      fc.array(anyMark, { maxLength: 6 }),
      fc.array(anyTest, { maxLength: 3 }),
      fc.array(fc.tuple(fc.constantFrom("t", "u", "v"), fc.nat(9)), { maxLength: 8 }),
      fc.constantFrom("branch" as const, "pullRequest" as const),
      (marks, outcomes, spent, by) => {
        const minutes = spent.map(([traceId, minute]) => spend(traceId, minute, "1"));
        const whole = ["t", "u", "v"].flatMap((traceId) => {
          const own = spent.filter(([trace]) => trace === traceId).map(([, minute]) => minute);
          if (own.length === 0) return [];
          const all = spend(traceId, Math.min(...own), `${own.length}`, "s", Math.max(...own));
          return [{ ...all, calls: own.length }];
        });
        const cut = listCutTraces({ spend: whole, marks, outcomes }, by);
        const some = [
          ...whole.filter(({ traceId }) => !cut.includes(traceId)),
          ...minutes.filter(({ traceId }) => cut.includes(traceId)),
        ];
        const ask = (rows: PlacedSpend[]) => cost(by, rows, marks, outcomes);
        expect(ask(some)).toEqual(ask(minutes));
      },
    ),
  );
});

it.each<[string, Partial<WorkMark>[], Outcome[], string[]]>([
  ["stays on one branch, through commits", [{ branch: "a" }, { branch: "a", commit: sha("a") }], [], []],
  ["goes to another branch", [{ branch: "a" }, { branch: "b" }], [], ["t"]],
  ["goes on after its tests pass", [{ branch: "a" }], [outcome(5, { subject: { traceId: "t" } })], ["t"]],
  ["ends when its tests pass", [{ branch: "a" }], [outcome(9, { subject: { traceId: "t" } })], []],
])("a trace that %s", (_what, places, outcomes, cut) => {
  const marks = places.map((place, index) => mark("t", index * 4, place));
  expect(listCutTraces({ spend: [spend("t", 0, "1", "s", 9)], marks, outcomes }, "branch")).toEqual(cut);
});
