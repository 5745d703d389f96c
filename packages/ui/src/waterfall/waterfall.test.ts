import { decodeSkeleton, encodeSkeleton, spanFactsSchema, spanRowSchema, type TraceSkeleton } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildForest, childrenOf, type Forest } from "./build-forest.ts";
import { chooseOpen, type Folding } from "./choose-open.ts";
import { chooseTimeTicks, chooseValueTicks } from "./choose-ticks.ts";
import { AS_SENT, type SkewView } from "./correct-skew.ts";
import { findCriticalPath } from "./find-critical-path.ts";
import { countFlags } from "./flags.ts";
import { countSteps, findRow, listRows } from "./list-rows.ts";
import { indexSteps, prepareLane } from "./prepare-lane.ts";
import { prepareOverview } from "./prepare-overview.ts";
import {
  panWindow,
  prepareRow,
  type RowContext,
  type WaterfallRow,
  wholeWindow,
  windowOf,
  zoomWindow,
} from "./prepare-rows.ts";
import { prepareSteps } from "./prepare-steps.ts";
import { readRowId } from "./row-ids.ts";
import { findNext, searchSpans } from "./search-spans.ts";
import { makeSkeleton, makeSpan, type StoredSpan, toId, toWord } from "./testing-spans.ts";

/** What is made for the large ones takes longer than what is tested. */
const PATIENCE_MS = 60_000;
const FOLDING: Folding = { fold: "none", opened: new Set(), closed: new Set(), selected: -1 };
const CORRECTED: SkewView = { on: true, hosts: new Map() };

function prepare(skeleton: TraceSkeleton, folding: Partial<Folding> = {}, skew = AS_SENT): RowContext {
  const forest = buildForest(skeleton, skew);
  const steps = countSteps(forest);
  const open = chooseOpen(forest, { ...FOLDING, ...folding });
  return {
    forest,
    open,
    steps,
    rows: listRows(forest, open, steps),
    criticalUntilNs: findCriticalPath(forest),
    wasted: new Set(skeleton.wasted),
    window: wholeWindow(forest),
  };
}

const listAll = (context: RowContext): WaterfallRow[] =>
  Array.from({ length: context.rows.count }, (_, at) => prepareRow(context, at)).flatMap((row) => row ?? []);
const nameOf = ({ kind, spanId, label }: WaterfallRow): string =>
  kind !== "span" ? kind : spanId === null ? `missing ${toWord(label)}` : toWord(spanId);
const outline = (stored: readonly StoredSpan[], folding: Partial<Folding> = {}): string[] =>
  listAll(prepare(makeSkeleton(stored), folding)).map((row) => `${"-".repeat(row.depth)}${nameOf(row)}`);
const flagsOf = (stored: readonly StoredSpan[], conflicts: readonly string[] = []) =>
  Object.fromEntries(listAll(prepare(makeSkeleton(stored, conflicts))).map((row) => [nameOf(row), row.flags]));
const span = (word: string, parent: string, from: number, to: number, more: Partial<StoredSpan> = {}): StoredSpan => ({
  word,
  parent,
  fromNs: BigInt(from),
  toNs: BigInt(to),
  ...more,
});

it("builds test spans that are rows of the API", () => {
  expect(spanRowSchema.safeParse(makeSpan({ spanId: "a" })).success).toBe(true);
  const { costUsd: _cost, ...facts } = makeSpan({ spanId: "a" });
  expect(spanFactsSchema.safeParse(facts).success).toBe(true);
  expect(toWord(toId("root"))).toBe("root");
});

describe("traps of real traces", () => {
  it("orders by tree, then by start, then by end", () => {
    const spans = [
      span("late", "root", 5, 6),
      span("short", "root", 1, 2),
      span("long", "root", 1, 4),
      span("inner", "long", 1, 2),
      span("root", "", 0, 10),
    ];
    expect(outline(spans)).toEqual(["root", "-short", "-long", "--inner", "-late"]);
  });

  it("gives one placeholder to each missing parent, shared by its children, and doesn't stretch the trace", () => {
    const spans = [
      span("root", "", 0, 10),
      span("a", "gone", 2, 3, { costUsd: "0.1" }),
      span("b", "gone", 4, 5, { costUsd: "0.2" }),
    ];
    expect(outline(spans)).toEqual(["root", "missing gone", "-a", "-b"]);
    const context = prepare(makeSkeleton(spans));
    expect(prepareRow(context, 1)).toMatchObject({
      spanId: null,
      flags: ["missing_parent"],
      durationNs: 3n,
      costUsd: "0.3",
    });
    expect([context.forest.startNs, context.forest.endNs]).toEqual([0, 10]);
    expect(countFlags(context.forest.flags, context.forest.order)).toEqual([
      { kind: "missing_parent", count: 1, first: 3 },
    ]);
  });

  it("takes several roots as normal", () => {
    const spans = [span("b", "", 5, 9), span("a", "", 0, 3)];
    expect(outline(spans)).toEqual(["a", "b"]);
    expect(flagsOf(spans)).toEqual({ a: [], b: [] });
  });

  it("shows a span that is its own parent once, as a flagged root", () => {
    expect(flagsOf([span("a", "a", 0, 1), span("b", "a", 0, 1)])).toEqual({ a: ["self_parent"], b: [] });
  });

  it("breaks A→B→A at the earlier span, shows both once and flags the ring once", () => {
    const spans = [span("b", "a", 2, 3), span("a", "b", 1, 5), span("tail", "b", 2, 3)];
    expect(outline(spans)).toEqual(["a", "-b", "--tail"]);
    expect(flagsOf(spans)).toEqual({ a: ["cycle"], b: [], tail: [] });
  });

  it("draws an end before the start, and an end of zero, as zero length and flags it", () => {
    const spans = [span("root", "", 0, 10), span("back", "root", 5, 4), span("open", "root", 6, -1_795_000_000_000)];
    const context = prepare(makeSkeleton(spans));
    expect(
      listAll(context)
        .slice(1)
        .map((row) => [row.durationNs, row.flags]),
    ).toEqual([
      [0n, ["unfinished"]],
      [0n, ["unfinished"]],
    ]);
    expect(context.forest.endNs).toBe(10);
  });

  it("keeps a zero-width span placed and selectable, and draws what outlives its parent as it is", () => {
    const spans = [span("root", "", 0, 10), span("instant", "root", 20, 20), span("child", "root", 5, 20)];
    expect(listAll(prepare(makeSkeleton(spans))).map((row) => row.bar)).toMatchObject([
      { leftPct: 0, widthPct: 50 },
      { leftPct: 25, widthPct: 75 },
      { leftPct: 100, widthPct: 0 },
    ]);
  });

  it("flags what came twice, and keeps two contents under one id as two rows, children with the first", () => {
    expect(flagsOf([span("a", "", 0, 1)], ["a"])).toEqual({ a: ["duplicate_id"] });
    const context = prepare(makeSkeleton([span("a", "", 0, 1), span("a", "", 1, 2), span("child", "a", 1, 3)]));
    expect(listAll(context).map((row) => [nameOf(row), row.flags])).toEqual([
      ["a", []],
      ["child", []],
      ["a", ["duplicate_id"]],
    ]);
  });

  it("holds 150,000 children and a depth of 100,000 without recursion", { timeout: PATIENCE_MS }, () => {
    const wide = [span("root", "", 0, 9), ...Array.from({ length: 150_000 }, (_, i) => span(`s${i}`, "root", 1, 2))];
    expect(prepare(makeSkeleton(wide)).rows.count).toBe(150_001);
    const deep = Array.from({ length: 100_000 }, (_, i) => span(`s${i}`, i === 0 ? "" : `s${i - 1}`, i, i + 1));
    const context = prepare(makeSkeleton(deep));
    expect([context.rows.count, prepareRow(context, 99_999)?.depth]).toEqual([100_000, 99_999]);
  });
});

describe("clock skew", () => {
  const two = [
    span("client", "", 0, 100, { host: "h1" }),
    span("server", "client", -50, 1, { host: "h2" }),
    span("inner", "server", -40, -10, { host: "h2" }),
  ];
  const starts = (stored: readonly StoredSpan[], skew: SkewView) => {
    const { forest } = prepare(makeSkeleton(stored), {}, skew);
    const zero = Number(forest.skeleton.startNs - 1_795_000_000_000_000_000n);
    return Object.fromEntries(
      Array.from(forest.order, (node) => [
        nameOf(
          prepareRow(prepare(makeSkeleton(stored), {}, skew), findRow(prepare(makeSkeleton(stored)).rows, node)) ??
            expect.fail(),
        ),
        (forest.startsNs[node] ?? 0) + zero,
      ]),
    );
  };

  it("moves what starts before its caller elsewhere into the middle of it, with what is below", () => {
    expect(starts(two, CORRECTED)).toEqual({ client: 0, server: 24.5, inner: 34.5 });
    expect(starts(two, AS_SENT)).toEqual({ client: 0, server: -50, inner: -40 });
    const { forest } = prepare(makeSkeleton(two), {}, CORRECTED);
    expect(forest.moved).toEqual([{ host: "h2", spans: 2, leastNs: 74.5, mostNs: 74.5 }]);
  });

  it("moves one that is longer than its caller to its start", () => {
    const spans = [span("a", "", 0, 10, { host: "h1" }), span("b", "a", -5, 95, { host: "h2" })];
    expect(starts(spans, CORRECTED)).toEqual({ a: 0, b: 0 });
  });

  it("moves nothing on one host, between hosts that are not said, or that starts after its caller", () => {
    for (const hosts of [
      ["h1", "h1"],
      ["", "h2"],
      ["h1", ""],
    ]) {
      const spans = [span("a", "", 0, 10, { host: hosts[0] ?? "" }), span("b", "a", -5, 5, { host: hosts[1] ?? "" })];
      expect(starts(spans, CORRECTED)).toEqual({ a: 0, b: -5 });
    }
    const later = [span("a", "", 0, 10, { host: "h1" }), span("b", "a", 5, 25, { host: "h2" })];
    expect(starts(later, CORRECTED)).toEqual({ a: 0, b: 5 });
  });

  it("does as a person says for a host", () => {
    expect(starts(two, { on: true, hosts: new Map([["h2", 60]]) })).toEqual({ client: 0, server: 10, inner: 20 });
  });
});

describe("critical path", () => {
  const critical = (stored: readonly StoredSpan[]): string[] => {
    const context = prepare(makeSkeleton(stored));
    return listAll(context)
      .filter((row) => row.critical !== null)
      .map(nameOf)
      .sort();
  };

  it("walks back from the last to finish and counts back-to-back children", () => {
    const spans = [
      span("root", "", 0, 30),
      span("first", "root", 0, 10),
      span("second", "root", 10, 30),
      span("beside", "root", 2, 25),
    ];
    expect(critical(spans)).toEqual(["first", "root", "second"]);
  });

  it("cuts a child that outlives its parent at the parent's end", () => {
    const { forest, criticalUntilNs } = prepare(makeSkeleton([span("root", "", 0, 10), span("child", "root", 4, 12)]));
    expect(criticalUntilNs[readRowId(forest, toId("child")).node]).toBe(10);
  });

  it("never waits for two siblings at the same time", () => {
    const child = fc.tuple(fc.nat(40), fc.nat(20));
    fc.assert(
      fc.property(fc.array(child, { minLength: 1, maxLength: 8 }), (drawn) => {
        const children = drawn.map(([from, length], i) => span(`${i}`, "r", from, from + length));
        const { forest, criticalUntilNs } = prepare(makeSkeleton([span("r", "", 0, 60), ...children]));
        const [root = 0] = forest.roots;
        const parts = Array.from(childrenOf(forest, root))
          .filter((node) => !Number.isNaN(criticalUntilNs[node]))
          .map((node) => ({ from: forest.startsNs[node] ?? 0, to: criticalUntilNs[node] ?? 0 }))
          .sort((a, b) => a.to - b.to || a.from - b.from);
        for (const [i, part] of parts.entries())
          if (i > 0) expect(part.from).toBeGreaterThanOrEqual(parts[i - 1]?.to ?? 0);
        expect(parts.at(-1)?.to).toBe(Math.max(...drawn.map(([from, length]) => from + length)));
      }),
    );
  });
});

/** A run of `turns` turns, each with a call and a decode of so many engine steps of its own or elsewhere. */
function makeRun(turns: number, steps: number, linked = false): StoredSpan[] {
  const run: StoredSpan[] = [span("run", "", 0, turns * 1000, { name: "invoke_agent a" })];
  for (let turn = 1; turn <= turns; turn += 1) {
    const from = (turn - 1) * 1000;
    const costUsd = turn === 2 ? "0.5" : "0.01";
    run.push(
      span(`turn${turn}`, "run", from, from + 990, { name: "loop.turn", turn: `${turn}`, costUsd }),
      span(`chat${turn}`, `turn${turn}`, from, from + 900, { name: "chat m", layer: "api", costUsd }),
      span(`dec${turn}`, `chat${turn}`, from + 100, from + 900, {
        name: "inference.decode",
        layer: "inference",
        ...(linked ? { links: steps } : {}),
      }),
    );
    for (let step = 0; step < steps && !linked; step += 1) {
      const at = from + 100 + Math.floor((800 / steps) * step);
      run.push(
        span(`${turn}s${step}`, `dec${turn}`, at, at + (step === 3 ? 3 : 1), {
          name: "inference.decode.step",
          layer: "inference",
        }),
      );
    }
  }
  return run;
}

describe("rows that are open", () => {
  const auto = { fold: "auto" } as const;

  it("are an agent's run down to its turns, and the costliest turn down to the engine, by default", () => {
    expect(outline(makeRun(3, 4), auto)).toEqual([
      "run",
      "-turn1",
      "-turn2",
      "--chat2",
      "---dec2",
      "----steps",
      "-turn3",
    ]);
  });

  it("are as a person folds them, one by one or all at once", () => {
    const run = makeRun(3, 4);
    const own = { ...auto, opened: new Set([toId("turn1")]), closed: new Set([toId("turn2")]) };
    expect(outline(run, own)).toEqual(["run", "-turn1", "--chat1", "-turn2", "-turn3"]);
    expect(outline(run, { ...auto, closed: new Set([toId("run")]) })).toEqual(["run"]);
    expect(outline(run, { fold: "turns" })).toEqual(["run", "-turn1", "-turn2", "-turn3"]);
    expect(outline(run, { fold: "harness" })).toEqual(["run", "-turn1", "-turn2", "-turn3"]);
    expect(outline(run, { fold: "api" })).toEqual([
      "run",
      "-turn1",
      "--chat1",
      "-turn2",
      "--chat2",
      "-turn3",
      "--chat3",
    ]);
    expect(outline(makeRun(1, 2))).toEqual(["run", "-turn1", "--chat1", "---dec1", "----steps", "----1s0", "----1s1"]);
  });

  it("lead to the chosen span", () => {
    const skeleton = makeSkeleton(makeRun(3, 4));
    const { node } = readRowId(buildForest(skeleton, AS_SENT), toId("dec3"));
    const shown = listAll(prepare(skeleton, { ...auto, selected: node })).map(nameOf);
    expect(shown).toEqual(["run", "turn1", "turn2", "turn3", "chat3", "dec3", "steps"]);
  });

  it("stay few by default, and have a lane of steps in place of their rows until it is opened", () => {
    const run = makeRun(700, 2);
    expect(prepare(makeSkeleton(run), auto).rows.count).toBe(704);
    const shut = prepare(makeSkeleton(makeRun(2, 214)), auto);
    expect(shut.rows.count).toBe(6);
    const lane = listAll(shut).find(({ kind }) => kind === "steps");
    expect(lane).toMatchObject({ below: 214, expandable: true, expanded: false, costUsd: null });
    expect(outline(makeRun(2, 3), { ...auto, opened: new Set([`steps:${toId("dec2")}`]) })).toHaveLength(9);
  });

  it("have a lane for steps elsewhere too", () => {
    expect(outline(makeRun(1, 5, true), auto)).toEqual(["run", "-turn1", "--chat1", "---dec1", "----linkedSteps"]);
  });
});

describe("engine steps of the trace itself", () => {
  it("are bars where they were, as tall as they took long, merged where they are many", () => {
    const { forest } = prepare(makeSkeleton(makeRun(1, 8)));
    const { node } = readRowId(forest, toId("dec1"));
    const lane = prepareSteps(forest, node, wholeWindow(forest));
    expect(lane).toMatchObject({ count: 8, medianNs: 1n, longestNs: 3n });
    expect(lane.bars).toHaveLength(8);
    expect(lane.bars[3]).toMatchObject({ leftPct: 40, heightPct: 100 });
    const many = prepare(makeSkeleton(makeRun(1, 5_000)));
    const dense = prepareSteps(many.forest, readRowId(many.forest, toId("dec1")).node, wholeWindow(many.forest));
    expect(dense.bars.length).toBeLessThanOrEqual(300);
    expect(dense.bars.some(({ heightPct }) => heightPct === 100)).toBe(true);
  });
});

describe("engine steps elsewhere", () => {
  const steps = (count: number) =>
    Array.from({ length: count }, (_, i) =>
      makeSpan({
        traceId: "e".repeat(32),
        spanId: `s${i}`,
        name: "inference.decode.step",
        linked: true,
        fromMs: 10 + (80 / count) * i,
        toMs: 10 + (80 / count) * (i + 1),
        facts: {
          "centspan.step.batch_size": `${1 + (i % 4)}`,
          "centspan.step.time_ms": `${i === 3 ? 60 : 16}`,
          "centspan.step.prefill_tokens": i === 3 ? "512" : "0",
        },
      }),
    );
  const decodeOf = (count: number) =>
    makeSpan({
      spanId: "dec",
      name: "inference.decode",
      fromMs: 10,
      toMs: 90,
      links: steps(count).map(({ traceId, spanId }) => ({ traceId, spanId })),
    });
  const laneOf = (count: number, there = steps(count)) => prepareLane(decodeOf(count), indexSteps(there));

  it("are one lane with their batch, the slowest told apart", () => {
    expect(laneOf(214)).toMatchObject({
      steps: 214,
      missing: 0,
      medianNs: 16_000_000n,
      longestNs: 60_000_000n,
      mixedSteps: 1,
      batch: { min: 1, max: 4 },
    });
    expect(laneOf(214)?.slowest[0]).toEqual({ traceId: "e".repeat(32), spanId: "s3", timeNs: 60_000_000n });
  });

  it("do not blame others for the step that ended the request's own prefill", () => {
    const [own, shared] = steps(2);
    const first = {
      ...own,
      ...makeSpan({ spanId: "s0", fromMs: 0, toMs: 10 }),
      linked: true,
      traceId: "e".repeat(32),
      name: "inference.decode.step",
      facts: { "centspan.step.prefill_tokens": "512" },
    };
    const second = { ...(shared ?? expect.fail()), facts: { "centspan.step.prefill_tokens": "256" } };
    expect(laneOf(2, [first, second])).toMatchObject({
      steps: 2,
      mixedSteps: 1,
      bars: [{ mixed: false }, { mixed: true }],
    });
  });

  it("merge into columns when they are many, keeping the fullest and the mixed ones", () => {
    const lane = laneOf(5_000);
    expect(lane?.bars.length).toBeLessThanOrEqual(240);
    expect(lane?.bars.every((bar) => bar.heightPct === 100)).toBe(true);
    expect(lane?.bars.filter((bar) => bar.mixed)).toHaveLength(1);
  });

  it("count what a link names but is not there", () => {
    expect(laneOf(5, steps(5).slice(1))).toMatchObject({ steps: 4, missing: 1 });
    expect(laneOf(5, [])).toBeNull();
  });
});

describe("the axis", () => {
  const whole = { fromNs: 0, toNs: 1000 };

  it("zooms about a place that stays, and never beyond the whole", () => {
    expect(zoomWindow(whole, whole, 0.5, 0.5)).toEqual({ fromNs: 250, toNs: 750 });
    expect(zoomWindow({ fromNs: 250, toNs: 750 }, whole, 4, 0.9)).toEqual(whole);
    expect(zoomWindow({ fromNs: 0, toNs: 11 }, whole, 0.01, 0)).toEqual({ fromNs: 0, toNs: 10 });
    expect(panWindow({ fromNs: 0, toNs: 100 }, whole, 0.5)).toEqual({ fromNs: 50, toNs: 150 });
    expect(panWindow({ fromNs: 850, toNs: 950 }, whole, 9)).toEqual({ fromNs: 900, toNs: 1000 });
  });

  it("is filled by a span with some air, and by the whole run for one without time", () => {
    const { forest } = prepare(makeSkeleton([span("r", "", 0, 1000), span("a", "r", 500, 600), span("i", "r", 5, 5)]));
    expect(windowOf(forest, readRowId(forest, toId("a")).node)).toEqual({ fromNs: 498, toNs: 602 });
    expect(windowOf(forest, readRowId(forest, toId("i")).node)).toEqual({ fromNs: 0, toNs: 1000 });
  });

  it("says on which side a bar out of sight is", () => {
    const context = prepare(makeSkeleton([span("r", "", 0, 1000), span("a", "r", 1, 2), span("b", "r", 900, 950)]));
    const rows = listAll({ ...context, window: { fromNs: 100, toNs: 200 } });
    expect(rows.map(({ bar, outside }) => [bar?.clippedLeft, bar?.clippedRight, outside])).toEqual([
      [true, true, null],
      [undefined, undefined, "before"],
      [undefined, undefined, "after"],
    ]);
  });
});

it("overview: calls, turns and tools by column, those that failed or were paid twice told apart", () => {
  const run = [
    ...makeRun(2, 0),
    span("tool", "turn1", 950, 980, { name: "execute_tool bash", status: "error" }),
    span("again", "turn2", 1950, 1980, { name: "chat m", wasteUsd: "0.1" }),
  ];
  const { forest, wasted } = prepare(makeSkeleton(run));
  const marks = prepareOverview(forest, wasted);
  expect(marks.filter(({ kind }) => kind === "call").map(({ attention }) => attention)).toEqual([false, false, true]);
  expect(marks.filter(({ kind }) => kind === "tool")).toMatchObject([{ attention: true }]);
  expect(prepareOverview(prepare(makeSkeleton(makeRun(5_000, 0))).forest, wasted).length).toBeLessThanOrEqual(1_800);
});

it("search: by a part of the name, or an id from its beginning, round the end", () => {
  const { forest } = prepare(makeSkeleton(makeRun(2, 0)));
  const { matches, count } = searchSpans(forest, "CHAT");
  expect(count).toBe(2);
  const next = (from: number, step: 1 | -1) => findNext(forest, from, step, (node) => matches[node] === 1);
  const first = next(-1, 1);
  const second = next(first, 1);
  expect([next(second, 1), next(first, -1)]).toEqual([first, second]);
  expect(searchSpans(forest, toId("dec1").slice(0, 15)).count).toBe(2);
  expect(searchSpans(forest, " ").count).toBe(0);
  expect(next(-1, 1)).toBe(next(forest.size - 1, 1));
});

/** Spans of any shape: orphans, rings, own parents, several roots, clocks apart, ends before starts; some of them with a cost. */
const drawnSpan = fc.record({
  parent: fc.integer({ min: -6, max: 24 }),
  from: fc.integer({ min: -40, max: 60 }),
  length: fc.integer({ min: -5, max: 30 }),
  host: fc.constantFrom("", "h1", "h2"),
  name: fc.constantFrom("work", "loop.turn", "chat m", "inference.decode", "inference.decode.step"),
  layer: fc.constantFrom("", "harness", "api", "inference"),
  links: fc.constantFrom(undefined, 2),
});
const drawnTrace = fc.array(drawnSpan, { maxLength: 25 }).map((drawn) =>
  drawn.map(
    ({ parent, from, length, links, ...rest }, i): StoredSpan => ({
      ...span(`n${i}`, parent < -3 ? `gone${parent + 6}` : parent < 0 ? "" : `n${parent}`, from, from + length, rest),
      ...(links !== undefined && { links }),
    }),
  ),
);
const drawnSkew = fc.constantFrom<SkewView>(AS_SENT, CORRECTED, { on: true, hosts: new Map([["h2", 17]]) });

const sortedWords = (forest: Forest, nodes: Iterable<number>): string[] =>
  [...nodes].map((node) => `${node < forest.spans ? "span" : "gap"} ${node}`).sort();

describe("whatever arrives", () => {
  it("is shown exactly once, and comes over the wire as it was", () => {
    fc.assert(
      fc.property(drawnTrace, drawnSkew, (stored, skew) => {
        const skeleton = decodeSkeleton(encodeSkeleton(makeSkeleton(stored)));
        expect(skeleton).toEqual(makeSkeleton(stored));
        const context = prepare(skeleton, {}, skew);
        const { forest } = context;
        const shown = listAll(context).filter(({ kind }) => kind === "span");
        expect(
          sortedWords(
            forest,
            shown.map(({ node }) => node),
          ),
        ).toEqual(sortedWords(forest, Array(forest.size).keys()));
        expect(forest.spans).toBe(stored.length);
        for (const row of shown) {
          const { leftPct, widthPct } = row.bar ?? expect.fail();
          expect([leftPct >= 0, widthPct >= 0, leftPct + widthPct <= 100.001]).toEqual([true, true, true]);
        }
      }),
    );
  });

  it("stays in the tree however it is folded: a row's parent is the nearest open row above it", () => {
    const fold = fc.constantFrom("auto", "turns", "harness", "api", "none");
    fc.assert(
      fc.property(drawnTrace, fold, fc.nat(24), (stored, chosen, selected) => {
        const context = prepare(makeSkeleton(stored), {
          fold: chosen,
          selected: selected < stored.length ? selected : -1,
        });
        const { forest } = context;
        const shown = new Set<number>();
        for (const { node, kind } of listAll(context)) {
          const parent = kind === "span" ? (forest.parents[node] ?? -1) : node;
          if (parent >= 0) expect(shown.has(parent)).toBe(true);
          expect(kind === "span" && shown.has(node)).toBe(false);
          if (kind === "span") shown.add(node);
        }
        if (selected < stored.length && forest.size > 0) {
          const parent = forest.parents[selected] ?? -1;
          const isInLane = parent >= 0 && context.steps[parent] !== 0 && context.open.lanes[parent] === 0;
          if (!isInLane) expect(shown.has(selected)).toBe(true);
        }
      }),
    );
  });

  it("a corpus of 100,000 spans with gaps, rings, depth 2,000 and clocks apart", { timeout: PATIENCE_MS }, () => {
    const stored = Array.from({ length: 100_000 }, (_, i): StoredSpan => {
      const parent =
        i === 0
          ? ""
          : i < 2_000
            ? `n${i - 1}`
            : i % 1_009 === 0
              ? `n${i + 1}`
              : i % 1_009 === 1
                ? `n${i - 1}`
                : i % 97 === 0
                  ? `gone${i % 5}`
                  : `n${Math.floor(i / 3)}`;
      return span(`n${i}`, parent, (i * 31) % 50_000, ((i * 31) % 50_000) + ((i * 17) % 400) - 20, {
        host: `h${i % 3}`,
      });
    });
    const context = prepare(decodeSkeleton(encodeSkeleton(makeSkeleton(stored))), {}, CORRECTED);
    expect(context.rows.count).toBe(100_005);
    expect(new Set(context.rows.nodes).size).toBe(100_005);
    expect(context.forest.depths.reduce((most, depth) => Math.max(most, depth), 0)).toBeGreaterThanOrEqual(1_999);
  });
});

describe("ticks", () => {
  it("are round and few", () => {
    expect(chooseTimeTicks(0n, 21_000_000_000n, 6)).toEqual([0n, 5n, 10n, 15n, 20n].map((s) => s * 1_000_000_000n));
    expect(chooseTimeTicks(0n, 0n, 6)).toEqual([0n]);
    expect(chooseValueTicks(57, 4)).toEqual([0, 20, 40, 60]);
    expect(chooseValueTicks(0.31, 4)).toEqual([0, 0.1, 0.2, 0.3, 0.4]);
    expect(chooseValueTicks(0, 4)).toEqual([0]);
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1e9, noNaN: true }), (max) => {
        const ticks = chooseValueTicks(max, 4);
        expect(ticks.at(-1) ?? 0).toBeGreaterThanOrEqual(max * (1 - 1e-9));
        expect(ticks.length).toBeLessThanOrEqual(6);
      }),
    );
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 15n), fc.bigInt(1n, 10n ** 15n), (from, length) => {
        const ticks = chooseTimeTicks(from, from + length, 6);
        expect(ticks.length).toBeLessThanOrEqual(6);
        expect(ticks.every((tick) => tick >= from && tick <= from + length)).toBe(true);
      }),
    );
  });
});
