import { spanRowSchema } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildTree } from "./build-tree.ts";
import { chooseTimeTicks, chooseValueTicks } from "./choose-ticks.ts";
import { findCriticalPath } from "./find-critical-path.ts";
import { prepareWaterfall, type WaterfallView } from "./prepare-waterfall.ts";
import { makeSpan, type SpanInput } from "./testing-spans.ts";

const VIEW: WaterfallView = {
  opened: new Set(),
  closed: new Set(),
  selected: null,
  zoom: null,
  firstRow: 0,
  maxRows: 400,
};
const waterfall = (inputs: SpanInput[], view: Partial<WaterfallView> = {}) =>
  prepareWaterfall(inputs.map(makeSpan), { ...VIEW, ...view });
const outline = (inputs: SpanInput[], view: Partial<WaterfallView> = {}) =>
  waterfall(inputs, view).rows.map((row) => `${"-".repeat(row.depth)}${row.key}`);
const flagsOf = (inputs: SpanInput[]) =>
  Object.fromEntries(waterfall(inputs).rows.map((row) => [row.key, row.flags.map((flag) => flag.kind)]));

it("builds test spans that are rows of the API", () => {
  expect(spanRowSchema.safeParse(makeSpan({ spanId: "a" })).success).toBe(true);
});

describe("traps of real traces", () => {
  it("orders by tree, then by start, then by end", () => {
    const spans = [
      { spanId: "late", parent: "root", fromMs: 5, toMs: 6 },
      { spanId: "short", parent: "root", fromMs: 1, toMs: 2 },
      { spanId: "long", parent: "root", fromMs: 1, toMs: 4 },
      { spanId: "inner", parent: "long", fromMs: 1, toMs: 2 },
      { spanId: "root", fromMs: 0, toMs: 10 },
    ];
    expect(outline(spans)).toEqual(["root", "-short", "-long", "--inner", "-late"]);
  });

  it("gives one placeholder to each missing parent, shared by its children, and doesn't stretch the trace", () => {
    const spans = [
      { spanId: "root", fromMs: 0, toMs: 10 },
      { spanId: "a", parent: "gone", fromMs: 2, toMs: 3 },
      { spanId: "b", parent: "gone", fromMs: 4, toMs: 5 },
    ];
    const { rows, startNs, endNs, flags } = waterfall(spans);
    expect(rows.map((row) => row.key)).toEqual(["root", "missing:gone", "a", "b"]);
    expect(rows[1]).toMatchObject({ spanId: null, flags: [{ kind: "missing_parent", count: 2 }] });
    expect(endNs - startNs).toBe(10_000_000n);
    expect(flags).toHaveLength(1);
  });

  it("takes several roots as normal", () => {
    const spans = [
      { spanId: "b", fromMs: 5, toMs: 9 },
      { spanId: "a", fromMs: 0, toMs: 3 },
    ];
    expect(outline(spans)).toEqual(["a", "b"]);
    expect(flagsOf(spans)).toEqual({ a: [], b: [] });
  });

  it("shows a span that is its own parent once, as a flagged root", () => {
    expect(
      flagsOf([
        { spanId: "a", parent: "a" },
        { spanId: "b", parent: "a" },
      ]),
    ).toEqual({ a: ["self_parent"], b: [] });
  });

  it("breaks A→B→A at the earlier span, shows both once and flags the ring once", () => {
    const spans = [
      { spanId: "b", parent: "a", fromMs: 2, toMs: 3 },
      { spanId: "a", parent: "b", fromMs: 1, toMs: 5 },
      { spanId: "tail", parent: "b", fromMs: 2, toMs: 3 },
    ];
    expect(outline(spans)).toEqual(["a", "-b", "--tail"]);
    expect(waterfall(spans).flags).toEqual([{ kind: "cycle", count: 2 }]);
  });

  it("draws an end before the start, and an end of zero, as zero length and flags it", () => {
    const spans = [
      { spanId: "root", fromMs: 0, toMs: 10 },
      { spanId: "back", parent: "root", fromMs: 5, toMs: 4 },
      { spanId: "open", parent: "root", fromMs: 6, durationNs: "-1795000000006000000" },
    ];
    const { rows, endNs, startNs } = waterfall(spans);
    expect(rows.slice(1).map((row) => [row.durationNs, row.flags])).toEqual([
      [0n, [{ kind: "unfinished" }]],
      [0n, [{ kind: "unfinished" }]],
    ]);
    expect(endNs - startNs).toBe(10_000_000n);
  });

  it("keeps a zero-width span placed and selectable", () => {
    const { rows } = waterfall([
      { spanId: "root", fromMs: 0, toMs: 10 },
      { spanId: "instant", parent: "root", fromMs: 10, toMs: 10 },
    ]);
    expect(rows[1]).toMatchObject({ spanId: "instant", bar: { leftPct: 100, widthPct: 0 }, flags: [] });
  });

  it("draws a child that outlives its parent as it is: the axis is the whole tree's", () => {
    const { rows, endNs, startNs } = waterfall([
      { spanId: "root", fromMs: 0, toMs: 10 },
      { spanId: "child", parent: "root", fromMs: 5, toMs: 20 },
    ]);
    expect(endNs - startNs).toBe(20_000_000n);
    expect(rows.map((row) => row.bar?.widthPct)).toEqual([50, 75]);
  });

  it("keeps two contents under one id as two rows, the second flagged", () => {
    const { rows, spans } = waterfall([
      { spanId: "a", name: "first" },
      { spanId: "a", name: "second" },
      { spanId: "child", parent: "a" },
    ]);
    expect(rows.map((row) => [row.key, row.label, row.flags])).toEqual([
      ["a", "first", []],
      ["child", "work", []],
      ["a#2", "second", [{ kind: "duplicate_id" }]],
    ]);
    expect(spans).toBe(3);
  });

  it("holds breadth: as many children as an argument list could not take, as many spans under one id", () => {
    const second = "2026-11-29T18:00:00.000000000Z";
    const children = Array.from({ length: 150_000 }, (_, i) => ({
      spanId: `s${i}`,
      parent: "root",
      startedAt: second,
    }));
    expect(waterfall([{ spanId: "root" }, ...children]).spans).toBe(150_001);
    expect(waterfall(Array.from({ length: 50_000 }, () => ({ spanId: "same" }))).spans).toBe(50_000);
  });

  it("holds depth 20,000 without recursion", () => {
    const spans = Array.from({ length: 20_000 }, (_, i) => ({ spanId: `s${i}`, parent: i === 0 ? "" : `s${i - 1}` }));
    const all = waterfall(spans, { opened: new Set(spans.map((span) => span.spanId)) });
    expect(all.totalRows).toBe(20_000);
    expect(all.rows).toHaveLength(400);
    expect(waterfall(spans, { selected: "s19999" }).totalRows).toBe(20_000);
  });

  it("shows every span exactly once, whatever the parents say", () => {
    const links = fc.array(
      fc.tuple(fc.nat(14), fc.integer({ min: -3, max: 14 }), fc.nat(50), fc.integer({ min: -5, max: 30 })),
      {
        maxLength: 15,
      },
    );
    fc.assert(
      fc.property(links, (drawn) => {
        const spans = drawn.map(([, parent, from, length], i) => ({
          spanId: `${i}`,
          parent: parent < 0 ? "" : `${parent}`,
          fromMs: from,
          toMs: from + length,
        }));
        const keys = spans.map((span) => span.spanId);
        const { rows } = waterfall(spans, { opened: new Set([...keys, ...drawn.map(([, p]) => `missing:${p}`)]) });
        expect(rows.flatMap((row) => row.spanId ?? []).sort()).toEqual(keys.sort());
      }),
    );
  });
});

describe("critical path", () => {
  const critical = (inputs: SpanInput[]) => [...findCriticalPath(buildTree(inputs.map(makeSpan))).keys()].sort();

  it("walks back from the last to finish and counts back-to-back children", () => {
    const spans = [
      { spanId: "root", fromMs: 0, toMs: 30 },
      { spanId: "first", parent: "root", fromMs: 0, toMs: 10 },
      { spanId: "second", parent: "root", fromMs: 10, toMs: 30 },
      { spanId: "beside", parent: "root", fromMs: 2, toMs: 25 },
    ];
    expect(critical(spans)).toEqual(["first", "root", "second"]);
  });

  it("cuts a child that outlives its parent at the parent's end", () => {
    const spans = [
      { spanId: "root", fromMs: 0, toMs: 10 },
      { spanId: "child", parent: "root", fromMs: 4, toMs: 9_000 },
    ];
    const tree = buildTree(
      spans
        .map(makeSpan)
        .slice(0, 1)
        .concat(makeSpan({ spanId: "child", parent: "root", fromMs: 4, toMs: 12 })),
    );
    const path = findCriticalPath(tree);
    const end = path.get("child")?.toNs ?? 0n;
    expect(end - tree.startNs).toBe(10_000_000n);
  });

  it("never waits for two siblings at the same time", () => {
    const child = fc.tuple(fc.nat(40), fc.nat(20));
    fc.assert(
      fc.property(fc.array(child, { minLength: 1, maxLength: 8 }), (drawn) => {
        const children = drawn.map(([from, length], i) =>
          makeSpan({ spanId: `${i}`, parent: "r", fromMs: from, toMs: from + length }),
        );
        const path = findCriticalPath(buildTree([makeSpan({ spanId: "r", fromMs: 0, toMs: 60 }), ...children]));
        const parts = [...path].filter(([key]) => key !== "r").map(([, part]) => part);
        parts.sort((a, b) => (a.toNs < b.toNs ? -1 : a.toNs > b.toNs ? 1 : Number(a.fromNs - b.fromNs)));
        for (let i = 1; i < parts.length; i += 1) {
          expect((parts[i]?.fromNs ?? 0n) >= (parts[i - 1]?.toNs ?? 0n)).toBe(true);
        }
        const lastEnd = Math.max(...drawn.map(([from, length]) => from + length));
        expect(drawn.some(([from, length], i) => from + length === lastEnd && path.has(`${i}`))).toBe(true);
      }),
    );
  });
});

/** A run of `turns` turns, each with a call and a decode linked to `steps` engine steps. */
function makeRun(turns: number, steps: number): SpanInput[] {
  const run: SpanInput[] = [{ spanId: "run", name: "invoke_agent a", fromMs: 0, toMs: turns * 100 }];
  for (let turn = 1; turn <= turns; turn += 1) {
    const from = (turn - 1) * 100;
    const costUsd = turn === 2 ? "0.5" : "0.01";
    const facts = { "centspan.turn.number": `${turn}` };
    const links = Array.from({ length: steps }, (_, i) => ({ traceId: "e".repeat(32), spanId: `t${turn}s${i}` }));
    run.push(
      { spanId: `turn${turn}`, parent: "run", name: "loop.turn", fromMs: from, toMs: from + 99, costUsd, facts },
      { spanId: `chat${turn}`, parent: `turn${turn}`, name: "chat m", layer: "api", fromMs: from, toMs: from + 90 },
      {
        spanId: `dec${turn}`,
        parent: `chat${turn}`,
        name: "inference.decode",
        fromMs: from + 10,
        toMs: from + 90,
        links,
      },
      ...links.map((link, i) => ({
        ...link,
        name: "inference.decode.step",
        linked: true,
        fromMs: from + 10 + (80 / steps) * i,
        toMs: from + 10 + (80 / steps) * (i + 1),
        facts: {
          "centspan.step.batch_size": `${1 + (i % 4)}`,
          "centspan.step.time_ms": `${i === 3 ? 60 : 16}`,
          "centspan.step.prefill_tokens": i === 3 ? "512" : "0",
        },
      })),
    );
  }
  return run;
}

describe("view state", () => {
  it("opens an agent's run down to its turns, and the costliest turn down to the engine", () => {
    expect(outline(makeRun(3, 4))).toEqual(["run", "-turn1", "-turn2", "--chat2", "---dec2", "-turn3"]);
  });

  it("lets a person's folding win over the default, and a closed row hide what is below", () => {
    const view = { opened: new Set(["turn1"]), closed: new Set(["turn2"]) };
    expect(outline(makeRun(3, 4), view)).toEqual(["run", "-turn1", "--chat1", "-turn2", "-turn3"]);
    expect(outline(makeRun(3, 4), { closed: new Set(["run"]) })).toEqual(["run"]);
  });

  it("opens the way to the selected span and fills the axis with its turn", () => {
    const shown = waterfall(makeRun(3, 4), { selected: "dec3" });
    expect(shown.rows.filter((row) => row.selected).map((row) => row.key)).toEqual(["dec3"]);
    expect(shown.window.key).toBe("turn3");
    expect(shown.rows.find((row) => row.key === "turn1")).toMatchObject({ bar: null, outside: "before" });
    expect(shown.rows[0]?.bar).toMatchObject({ leftPct: 0, clippedLeft: true });
    expect(waterfall(makeRun(3, 4), { selected: "dec3", zoom: "all" }).window.key).toBeNull();
  });

  it("stays small by default and pages when all is open", () => {
    const run = makeRun(700, 2);
    const shut = waterfall(run);
    expect(shut.spans).toBe(2_101);
    expect(shut.totalRows).toBe(703);
    const open = waterfall(run, { opened: new Set(run.map((span) => span.spanId)), firstRow: 2_000 });
    expect([open.totalRows, open.rows.length, open.rows[0]?.key]).toEqual([2_101, 101, "chat667"]);
    expect(waterfall(run, { firstRow: 10_000 }).rows).toHaveLength(1);
  });
});

describe("engine steps", () => {
  const laneOf = (steps: number) => waterfall(makeRun(2, steps)).rows.find((row) => row.key === "dec2")?.lane ?? null;

  it("do not blame others for the step that ended the request's own prefill", () => {
    const own = { batch: "0", prefill: "512", fromMs: 0, toMs: 10 };
    const shared = { batch: "2", prefill: "256", fromMs: 10, toMs: 20 };
    const links = [own, shared].map((_, i) => ({ traceId: "e".repeat(32), spanId: `s${i}` }));
    const shown = waterfall(
      [
        { spanId: "dec", name: "inference.decode", fromMs: 10, toMs: 20, links },
        ...[own, shared].map(({ batch, prefill, fromMs, toMs }, i) => ({
          traceId: "e".repeat(32),
          spanId: `s${i}`,
          name: "inference.decode.step",
          linked: true,
          fromMs,
          toMs,
          facts: { "centspan.step.batch_size": batch, "centspan.step.prefill_tokens": prefill },
        })),
      ],
      { opened: new Set(["dec"]) },
    );
    expect(shown.rows[0]?.lane).toMatchObject({ steps: 2, mixedSteps: 1, bars: [{ mixed: false }, { mixed: true }] });
  });

  it("are one lane under their decode span, never rows", () => {
    const shown = waterfall(makeRun(2, 214));
    expect([shown.spans, shown.linkedSpans, shown.rows.length]).toEqual([7, 428, 5]);
    expect(laneOf(214)).toMatchObject({
      steps: 214,
      missing: 0,
      medianNs: 16_000_000n,
      longestNs: 60_000_000n,
      mixedSteps: 1,
    });
    expect(laneOf(214)?.batch).toEqual({ min: 1, max: 4 });
    expect(laneOf(214)?.slowest[0]).toEqual({ traceId: "e".repeat(32), spanId: "t2s3", timeNs: 60_000_000n });
  });

  it("merge into columns when they are many, keeping the fullest and the mixed ones", () => {
    const lane = laneOf(5_000);
    expect(lane?.bars.length).toBeLessThanOrEqual(240);
    expect(lane?.bars.every((bar) => bar.heightPct === 100)).toBe(true);
    expect(lane?.bars.filter((bar) => bar.mixed)).toHaveLength(1);
  });

  it("count what a link names but the trace doesn't hold", () => {
    const run = makeRun(2, 5).filter((span) => span.spanId !== "t2s0");
    expect(waterfall(run).rows.find((row) => row.key === "dec2")?.lane).toMatchObject({ steps: 4, missing: 1 });
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
