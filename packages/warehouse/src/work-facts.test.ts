import { formatDecimal, parseDecimal } from "@centspan/base";
import type { PlacedSpend, RatedCall } from "@centspan/model";
import { expect, it } from "vitest";
import { useWarehouse } from "./testing/create-warehouse.ts";
import { HOUR_NS, makeCall, makeOutcome, makeSpan, NOON_NS, traceId } from "./testing/records.ts";

const test = useWarehouse();

it("spend of traces, or second by second, with what has no price, places of traces as they were seen first, and what was said", async () => {
  const { warehouse } = test;
  const workspace = "work";
  const second = 1_000_000_000n;
  const unpriced: Partial<RatedCall> = { costUsd: null, costStatus: "unpriced", lines: [] };
  await warehouse.insertCalls(workspace, [
    makeCall("a", { sessionId: "s" }, "0.25"),
    makeCall("b", { sessionId: "s", atNs: NOON_NS + 1n }, "0.5"),
    makeCall("c", { sessionId: "s", atNs: NOON_NS + second }, "1"),
    makeCall("d", { sessionId: "s", atNs: NOON_NS + second, ...unpriced }),
    makeCall("e", { sessionId: "t", traceId: traceId(2), atNs: NOON_NS + HOUR_NS }, "2"),
    makeCall("of no known place", { sessionId: "u", traceId: traceId(3) }, "4"),
  ]);
  await warehouse.insertCalls("other", [makeCall("f", {}, "9")]);
  const mark = {
    traceId: traceId(1),
    sessionId: "s",
    repository: "acme/shop",
    branch: "fix",
    commit: "",
    pullRequest: "",
    patchId: "",
  };
  await warehouse.insertWorkMarks(workspace, [
    { ...mark, atNs: NOON_NS + second },
    { ...mark, atNs: NOON_NS },
    { ...mark, pullRequest: "acme/shop#1", atNs: NOON_NS + second },
    { ...mark, traceId: "", sessionId: "t", branch: "", pullRequest: "acme/shop#2", atNs: NOON_NS + HOUR_NS },
  ]);
  await warehouse.insertOutcomes(workspace, [
    makeOutcome("o", { subject: { sessionId: "s" }, kind: "tests" }),
    makeOutcome("p", { subject: { task: "x" }, kind: "tests", evidence: { traceId: traceId(1) } }),
    makeOutcome("q", { subject: { commit: "c0ffee", repository: "acme/shop" }, kind: "completed" }),
    makeOutcome("of no known place", { subject: { sessionId: "u" }, kind: "tests" }),
    makeOutcome("of a task", { subject: { task: "x" }, kind: "approved" }),
  ]);

  const { spend, marks, outcomes } = await warehouse.readWorkFacts(workspace, undefined);
  const rowsOf = (spent: PlacedSpend[]) =>
    spent
      .map(({ costUsd, ...row }) => ({ ...row, costUsd: formatDecimal(costUsd) }))
      .sort((a, b) => (a.atNs < b.atNs ? -1 : 1));
  const first = { traceId: traceId(1), sessionId: "s", atNs: NOON_NS };
  const other = { traceId: traceId(2), sessionId: "t", atNs: NOON_NS + HOUR_NS, lastNs: NOON_NS + HOUR_NS };
  expect(rowsOf(spend)).toEqual([
    { ...first, lastNs: NOON_NS + second, costUsd: "1.75", calls: 4, unpricedCalls: 1 },
    { ...other, costUsd: "2", calls: 1, unpricedCalls: 0 },
  ]);
  expect(rowsOf(await warehouse.listWorkSeconds(workspace, undefined, [traceId(1)]))).toEqual([
    { ...first, lastNs: NOON_NS + 1n, costUsd: "0.75", calls: 2, unpricedCalls: 0 },
    { ...first, atNs: NOON_NS + second, lastNs: NOON_NS + second, costUsd: "1", calls: 2, unpricedCalls: 1 },
  ]);
  expect(marks.map(({ atNs, pullRequest }) => [atNs, pullRequest])).toEqual([
    [NOON_NS, ""],
    [NOON_NS + second, "acme/shop#1"],
    [NOON_NS + HOUR_NS, "acme/shop#2"],
  ]);
  expect(outcomes.map(({ outcomeId }) => outcomeId).sort()).toEqual(["o", "p", "q"]);

  const range = { fromNs: NOON_NS + HOUR_NS, toNs: NOON_NS + 2n * HOUR_NS };
  const later = await warehouse.readWorkFacts(workspace, range);
  expect(later.spend.map(({ costUsd }) => costUsd.eq(parseDecimal("2")))).toEqual([true]);
});

it("a run is called by the branch that it was on, and the request that was opened for it next", async () => {
  const { warehouse } = test;
  const workspace = "named";
  const ids = [1, 2, 3, 4].map(traceId);
  await warehouse.insertSpans(
    workspace,
    ids.map((id, n) => makeSpan({ traceId: id, startedAtNs: NOON_NS + BigInt(n) * HOUR_NS })),
  );
  await warehouse.refreshTraceSummaries(0n);
  const mark = { sessionId: "", repository: "acme/shop", commit: "", pullRequest: "", patchId: "" };
  await warehouse.insertWorkMarks(workspace, [
    ...ids.slice(0, 3).map((id, n) => ({ ...mark, traceId: id, branch: "fix", atNs: NOON_NS + BigInt(n) * HOUR_NS })),
    // Where it went on, after it had begun.
    { ...mark, traceId: traceId(1), branch: "other", atNs: NOON_NS + 1n },
    { ...mark, traceId: traceId(2), branch: "fix", pullRequest: "acme/shop#1", atNs: NOON_NS + HOUR_NS + 1n },
    { ...mark, traceId: traceId(3), branch: "fix", pullRequest: "acme/shop#2", atNs: NOON_NS + 3n * HOUR_NS },
  ]);
  const works = await warehouse.readWorkOfTraces(workspace, [...ids, traceId(9)]);
  expect(ids.map((id) => works.get(id)).map((work) => work && `${work.pullRequest} ${work.branch}`)).toEqual([
    "acme/shop#1 fix",
    "acme/shop#1 fix",
    "acme/shop#2 fix",
    undefined,
  ]);
  expect(works.size).toBe(3);
});
