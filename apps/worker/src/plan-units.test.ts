import type { UsageChange, UsageUnit } from "@centspan/model";
import { expect, it } from "vitest";
import { planUnits } from "./plan-units.ts";

const SECOND_NS = 1_000_000_000n;
const change = (unit: UsageUnit, receivedAtNs: bigint, workspace = "w"): UsageChange => ({
  workspace,
  unit,
  appearance: `${receivedAtNs}`,
  receivedAtNs,
  records: 1,
});
const trace = (traceId: string): UsageUnit => ({ kind: "trace", traceId });
const session = (sessionId: string, fromS: number, toS = fromS): UsageUnit => ({
  kind: "session",
  sessionId,
  fromNs: BigInt(fromS) * SECOND_NS,
  toNs: BigInt(toS) * SECOND_NS,
});
const show = (changes: UsageChange[]) =>
  planUnits(changes).map(({ workspace, unit, receivedAtNs }) => [workspace, unit, receivedAtNs]);

it("rates a trace once, whatever of it is news, and not before what came first", () => {
  expect(
    show([change(trace("b"), 5n), change(trace("a"), 9n), change(trace("a"), 3n), change(trace("a"), 4n, "v")]),
  ).toEqual([
    ["w", trace("a"), 3n],
    ["v", trace("a"), 4n],
    ["w", trace("b"), 5n],
  ]);
});

it("reads records of a session together while they are close in time, in whatever order they came", () => {
  const changes = [
    change(session("s", 100), 1n),
    change(session("s", 20), 2n),
    change(session("s", 50), 3n),
    change(session("s", 200), 4n),
    change(session("t", 20), 5n),
  ];
  expect(show(changes)).toEqual([
    ["w", session("s", 100), 1n],
    ["w", session("s", 20, 50), 2n],
    ["w", session("s", 200), 4n],
    ["w", session("t", 20), 5n],
  ]);
  expect(planUnits(changes)[1]?.changes).toHaveLength(2);
});

it("reads a session that never pauses in parts, so that none of them is long", () => {
  const changes = Array.from({ length: 50 }, (_, n) => change(session("s", n * 10), BigInt(n)));
  const lengths = planUnits(changes).map(({ unit }) => unit.kind === "session" && unit.toNs - unit.fromNs);
  expect(lengths).toEqual([120n, 120n, 120n, 100n].map((seconds) => seconds * SECOND_NS));
  expect(planUnits(changes).flatMap((planned) => planned.changes)).toHaveLength(50);
});
