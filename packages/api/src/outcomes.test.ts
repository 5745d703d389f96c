import { type Clock, createWallClock, parseDecimal } from "@centspan/base";
import type { Outcome, RatedCall } from "@centspan/model";
import { beforeAll, describe, expect, it } from "vitest";
import { createTraceApi } from "./index.ts";
import { makeCall, useApi } from "./testing/use-api.ts";

const NOW_NS = 1_796_000_000_000_000_000n;
const DAY_NS = 86_400_000_000_000n;
const clock: Clock = { ...createWallClock(), nowNs: () => NOW_NS };

const bought = useApi("bought", clock);
const large = useApi("large", clock);

type Piece = { model: string; status?: Outcome["status"]; daysAgo?: number; team?: string; costUsd?: string };

const store = async (workspace: string, pieces: Record<string, Piece>, { warehouse } = bought): Promise<void> => {
  const calls = Object.entries(pieces).map(
    ([task, { model, daysAgo = 30, team = "core", costUsd = "1" }]): RatedCall => {
      const own = {
        task,
        model,
        team,
        key: `key-${team}`,
        runId: `run-${task}`,
        atNs: NOW_NS - BigInt(daysAgo) * DAY_NS,
      };
      return makeCall({ callId: `call-${task}`, ...own, costUsd: parseDecimal(costUsd), costStatus: "rated" });
    },
  );
  await warehouse.insertCalls(workspace, calls);
  await warehouse.insertOutcomes(
    workspace,
    calls.flatMap(({ task, atNs }): Outcome[] => {
      const status = pieces[task]?.status;
      const same = { kind: "tests", weight: 1, source: "junit", evidence: {} } as const;
      return status === undefined
        ? []
        : [{ ...same, status, outcomeId: `o-${task}`, subject: { task }, atNs: atNs + DAY_NS }];
    }),
  );
};

const manyOf = (model: string, size: number, passed: number, costUsd: (n: number) => string): Record<string, Piece> =>
  Object.fromEntries(
    Array.from({ length: size }, (_, n) => [
      `${model}-${n}`,
      { model, status: n < passed ? ("passed" as const) : ("failed" as const), costUsd: costUsd(n) },
    ]),
  );

beforeAll(async () => {
  await bought.control.ensureWorkspace("o", { id: "bought", name: "bought" });
  await store("bought", {
    ...manyOf("strong", 60, 50, (n) => (2 + (n % 7) / 10).toFixed(2)),
    ...manyOf("cheap", 60, 48, (n) => (0.5 + (n % 5) / 10).toFixed(2)),
    ...manyOf("near", 20, 16, (n) => (0.52 + (n % 9) / 10).toFixed(2)),
    young: { model: "young", status: "passed", daysAgo: 2, team: "new" },
    open: { model: "open", daysAgo: 40, team: "new", costUsd: "40" },
  });
});

describe("comparing cohorts", () => {
  it("says which is cheaper where that is shown", async () => {
    const found = await bought.client.compareOutcomes({ groupBy: "model", a: "strong", b: "cheap" });
    expect(found).toMatchObject({
      verdict: "b_lower",
      passRateVerdict: "not_shown",
      a: { passed: 50 },
      b: { passed: 48 },
    });
    expect(found.summary).toMatch(/^cheap costs 1\.87 USD less for each pass than strong \(-.* USD to -.* USD\)\.$/);
  });

  it("says how many more tasks are needed where it is not", async () => {
    const found = await bought.client.compareOutcomes({ groupBy: "model", a: "cheap", b: "near" });
    expect(found.verdict).toBe("not_shown");
    expect(found.summary).toContain(`No difference can be shown yet: about ${found.moreTasks} more tasks needed.`);
  });

  it("says of too few tasks only how many are missing", async () => {
    const found = await bought.client.compareOutcomes({ groupBy: "model", a: "cheap", b: "young" });
    expect(found).toMatchObject({ verdict: "no_data", costPerPass: null, moreTasks: 9 });
    expect(found.summary).toBe(
      "Nothing can be said yet: 60 tasks of cheap, 1 of young, at least 9 more with an outcome needed.",
    );
  });

  it("before and since an instant", async () => {
    const split = new Date(Number((NOW_NS - 10n * DAY_NS) / 1_000_000n)).toISOString();
    const found = await bought.client.compareOutcomes({ split });
    expect([found.a.tasks, found.b.tasks]).toEqual([141, 1]);
  });

  it("of all tasks on one side of an instant, nothing is on the other", async () => {
    const at = (days: bigint): string => new Date(Number((NOW_NS - days * DAY_NS) / 1_000_000n)).toISOString();
    const range = { from: at(50n), to: at(20n) };
    const whole = await bought.client.outcomesCost({ ...range, groupBy: "team" });
    for (const [split, side] of [
      [at(60n), "b"],
      [at(50n), "b"],
      [at(20n), "a"],
    ] as const) {
      const found = await bought.client.compareOutcomes({ ...range, split });
      const { tasks, spendUsd } = found[side];
      expect([tasks, spendUsd]).toEqual([whole.total.tasks, whole.total.spendUsd]);
      expect(found[side === "a" ? "b" : "a"].tasks).toBe(0);
    }
  });

  it("a few tasks among thousands are resampled, and thousands are not", async () => {
    await large.control.ensureWorkspace("o", { id: "large", name: "large" });
    const pieces = {
      ...manyOf("much", 2100, 1500, (n) => (1 + (n % 7) / 10).toFixed(2)),
      ...manyOf("cheap", 60, 48, (n) => (0.5 + (n % 5) / 10).toFixed(2)),
    };
    await store("large", pieces, large);
    const found = await large.client.compareOutcomes({ groupBy: "model", a: "much", b: "cheap" });
    expect([found.a.interval?.method, found.b.interval?.method]).toEqual(["linearised", "bootstrap"]);
    const alone = await bought.client.compareOutcomes({ groupBy: "model", a: "strong", b: "cheap" });
    expect(found.b).toEqual(alone.b);
    const { total, data } = await large.client.outcomesCost({ groupBy: "model" });
    expect([total.interval?.method, total.tasks]).toEqual(["linearised", 2160]);
    expect(data.map(({ group, tasks, passed }) => [group, tasks, passed])).toEqual([
      ["much", 2100, 1500],
      ["cheap", 60, 48],
    ]);
  });

  it("asks for what is missing", async () => {
    await expect(bought.client.compareOutcomes({ groupBy: "model", a: "cheap" })).rejects.toMatchObject({
      code: "invalid_request",
      field: "b",
    });
  });
});

it("tasks younger than the maturity are pending, and outcomes after it don't count", async () => {
  const of = async (query: Record<string, string>) => {
    const { data } = await bought.client.outcomesCost({ groupBy: "model", ...query });
    return data.find(({ group }) => group === "young");
  };
  expect(await of({})).toMatchObject({ passed: 1, pending: 0 });
  expect(await of({ maturityDays: "7" })).toMatchObject({ passed: 0, pending: 1, pendingBounds: { allPassUsd: "1" } });
  await store("bought", { late: { model: "late", daysAgo: 90 } });
  const late = {
    kind: "tests",
    status: "passed",
    weight: 1,
    source: "junit",
    evidence: {},
    subject: { task: "late" },
  } as const;
  await bought.warehouse.insertOutcomes("bought", [{ ...late, outcomeId: "late", atNs: NOW_NS - 60n * DAY_NS }]);
  const lateOf = async (query: Record<string, string>) =>
    (await bought.client.outcomesCost({ groupBy: "model", model: "late", ...query })).total;
  expect(await lateOf({ maturityDays: "30" })).toMatchObject({ passed: 1 });
  expect(await lateOf({ maturityDays: "14" })).toMatchObject({ passed: 0, pending: 1 });
});

it("review costs what the team's hour costs, and its minutes are not lost where nobody said that", async () => {
  await store("bought", { reviewed: { model: "reviewed", team: "payments", costUsd: "0.4" } });
  await bought.client.postOutcome({
    subject: { task: "reviewed" },
    kind: "approved",
    status: "passed",
    source: "review",
    evidence: { reviewMinutes: 6, by: "Ada" },
  });
  const read = async () => (await bought.client.outcomesCost({ groupBy: "model", model: "reviewed" })).total;
  expect(await read()).toMatchObject({ spendUsd: "0.4", reviewUsd: "0", unpricedReviewMinutes: "6" });
  await bought.client.setReviewRate({ team: "payments", usdPerHour: "90" });
  expect(await read()).toMatchObject({
    spendUsd: "9.4",
    reviewUsd: "9",
    unpricedReviewMinutes: "0",
    costPerPassUsd: "9.4",
  });
  const [task] = (await bought.client.outcomeTasks({ model: "reviewed" })).data;
  expect(task).toMatchObject({ reviewUsd: "9", accountable: "Ada", linkedBy: "task", confidence: "exact" });
  await expect(
    bought.client.postOutcome({
      subject: { task: "x" },
      kind: "approved",
      status: "passed",
      source: "s",
      evidence: { reviewMinutes: -5 },
    }),
  ).rejects.toMatchObject({ code: "invalid_request" });
});

it("lists tasks page by page, each once", async () => {
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await bought.client.outcomeTasks({ model: "strong", limit: "25", cursor });
    expect(page.total).toBe(60);
    seen.push(...page.data.map(({ task }) => task));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  expect([...new Set(seen)]).toHaveLength(60);
  const failed = await bought.client.outcomeTasks({ groupBy: "model", group: "strong", status: "failed" });
  expect(failed.total).toBe(10);
});

it("shows what more spend for a task buys", async () => {
  const { byGroup, byAttempt } = await bought.client.outcomeReturns({ groupBy: "model" });
  const strong = byGroup.find(({ group }) => group === "strong");
  expect(Number(strong?.spendTimes)).toBeGreaterThan(3);
  expect(byAttempt[0]).toMatchObject({ attempt: 1 });
});

it("reports of one task that have names, as shards do, count each by its last word", async () => {
  await store("bought", { sharded: { model: "sharded", costUsd: "1" } });
  const post = (shard: string, inside: string) =>
    bought.send(`/api/v1/outcomes/junit?task=sharded&name=${shard}`, {
      method: "POST",
      body: `<testsuites><testsuite><testcase name="t">${inside}</testcase></testsuite></testsuites>`,
    });
  const standing = async () => (await bought.client.outcomeTasks({ model: "sharded" })).data[0]?.status;
  await post("1-of-2", "<failure/>");
  await post("2-of-2", "");
  expect(await standing()).toBe("failed");
  await post("1-of-2", "");
  expect(await standing()).toBe("passed");
});

describe("what is not linked", () => {
  it("is listed with suggestions, and a person can link it", async () => {
    const lost = await bought.client.postOutcome({
      subject: { task: "opne" },
      kind: "tests",
      status: "passed",
      source: "ci",
      at: new Date(Number((NOW_NS - DAY_NS) / 1_000_000n)).toISOString(),
    });
    const before = await bought.client.unlinkedOutcomes();
    expect(before.spend[0]).toMatchObject({ task: "open", costUsd: "40" });
    expect(before.outcomes.map(({ outcome }) => outcome.outcomeId)).toContain(lost.outcomeId);
    expect(before.outcomes[0]?.suggestions[0]).toMatch(/nothing was spent on what it names/);
    expect((await bought.client.outcomesCost({ groupBy: "task", task: "open" })).total).toMatchObject({ pending: 1 });

    await bought.client.linkOutcome(lost.outcomeId, ["open"]);
    const after = await bought.client.unlinkedOutcomes();
    expect(after.outcomes.map(({ outcome }) => outcome.outcomeId)).not.toContain(lost.outcomeId);
    expect(after.spend.map(({ task }) => task)).not.toContain("open");
    const [task] = (await bought.client.outcomeTasks({ task: "open" })).data;
    expect(task).toMatchObject({ status: "passed", linkedBy: "person" });
    await bought.client.linkOutcome(lost.outcomeId, []);
    expect((await bought.client.outcomesCost({ groupBy: "task", task: "open" })).total).toMatchObject({ pending: 1 });
  });

  it("reports that were refused are told by source and reason, with how often", async () => {
    const report = (body: string) => bought.send("/api/v1/outcomes/junit?task=t", { method: "POST", body });
    for (const _ of [1, 2]) expect((await report('<!DOCTYPE x [<!ENTITY a "b">]><testsuite/>')).status).toBe(400);
    const { refused } = await bought.client.unlinkedOutcomes();
    expect(refused).toMatchObject([{ source: "junit", reason: expect.stringContaining("document type"), count: 2 }]);
    expect((await bought.client.outcomes({ task: "t" })).data).toEqual([]);
  });
});

describe("approval by link", () => {
  const anonymous = createTraceApi({ warehouse: bought.warehouse, control: bought.control, clock });
  const open = (token: string, init?: RequestInit) =>
    anonymous.handle(new Request(`http://api.test/api/v1/approvals/${token}`, init));
  const decide = (token: string, body: object) => open(token, { method: "POST", body: JSON.stringify(body) });
  const ask = (rest: object = {}) =>
    bought.client.askApproval({ subject: { task: "open" }, question: "Is the report right?", ...rest });

  it("decides once, in a person's name, without a key", async () => {
    const { token, path } = await ask({ maxReviewMinutes: 30 });
    expect(path).toBe(`/approve/${token}`);
    expect(await (await open(token)).json()).toMatchObject({ question: "Is the report right?", decidedAt: null });
    expect((await decide(token, { isApproved: true, by: " " })).status).toBe(400);
    expect((await decide(token, { isApproved: true, by: "Ada", reviewMinutes: 31 })).status).toBe(400);
    const said = { isApproved: true, by: "Ada", reviewMinutes: 12 };
    expect((await decide(token, said)).status).toBe(201);
    // The answer may have been lost.
    expect((await decide(token, said)).status).toBe(201);
    expect((await decide(token, { ...said, isApproved: false })).status).toBe(409);
    const [task] = (await bought.client.outcomeTasks({ task: "open" })).data;
    expect(task).toMatchObject({ status: "passed", accountable: "Ada", reviewMinutes: "12", source: "approval" });
  });

  it("is refused with a token that was made up or changed in any part", async () => {
    const { token } = await ask();
    const [id = "", end = "", signature = ""] = token.split(".");
    const later = (Number.parseInt(end, 36) + 3600).toString(36);
    for (const forged of [
      "x",
      id,
      `${id}.${later}.${signature}`,
      `${id}.${end}.${signature.slice(0, -2)}AA`,
      `${id}.${end}.`,
    ]) {
      expect((await open(forged)).status).toBe(404);
      expect((await decide(forged, { isApproved: true, by: "Eve" })).status).toBe(404);
    }
  });

  it("is for its own workspace alone", async () => {
    const { token } = await ask();
    expect((await open(`${token}?workspace=other`)).status).toBe(404);
  });
});

describe("evaluation sets", () => {
  it("name the cheapest way that is shown to meet a bar that was stated before", async () => {
    await bought.client.createEvaluation({ name: "nightly", tasks: ["t1"], minPassRate: 0.8 });
    await expect(
      bought.client.createEvaluation({ name: "nightly", tasks: ["t1"], minPassRate: 0.1 }),
    ).rejects.toMatchObject({ code: "conflict" });
    expect((await bought.client.evaluation("nightly")).summary).toBe("Nothing was run of nightly yet.");
    const runs = (way: string, passed: number, costUsd: string) =>
      Object.fromEntries(
        Array.from({ length: 60 }, (_, n) => [
          `eval/nightly/${encodeURIComponent(way)}/t1/${n + 1}`,
          { model: way, costUsd, status: n < passed ? ("passed" as const) : ("failed" as const) },
        ]),
      );
    await store("bought", { ...runs("a/strong", 58, "3"), ...runs("small", 57, "1"), ...runs("tiny", 20, "0.1") });
    const found = await bought.client.evaluation("nightly");
    expect(found.ways.map(({ way, verdict }) => [way, verdict])).toEqual([
      ["tiny", "misses"],
      ["small", "meets"],
      ["a/strong", "meets"],
    ]);
    expect(found).toMatchObject({
      cheapest: "small",
      summary: "small is the cheapest that is shown to pass 80.0% of nightly.",
    });
    await store("bought", runs("equal", 57, "1"));
    expect(await bought.client.evaluation("nightly")).toMatchObject({
      cheapest: null,
      summary:
        "equal, small, a/strong are shown to pass 80.0% of nightly; which of them costs least can't be told yet.",
    });
  });
});
