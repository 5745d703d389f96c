import { formatDecimal, sumDecimals } from "@centspan/base";
import type { SpanRecord } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planRun } from "../testing/plan-run.ts";
import { START_NS, span } from "../testing/records.ts";
import { compareRuns } from "./compare-runs.ts";
import type { TraceFacts } from "./list-turns.ts";
import { sumWorkTime } from "./sum-work-time.ts";

type Plan = Parameters<typeof planRun>[0][number];

const seen = (fingerprint: string) => ({ "centspan.prefix.fingerprint": fingerprint });
const reads = (path: string): Plan["tools"] => [
  { name: "read_file", readOnly: true, ms: 100, said: { "centspan.tool.input_hash": path } },
];
const turn = (fingerprint: string, tools: Plan["tools"] = [], more: Partial<Plan> = {}): Plan => ({
  buckets: { input: 1_000, outputText: 100 },
  attributes: seen(fingerprint),
  tools: tools ?? [],
  ...more,
});
/** A call of 1,000 new and 100 written tokens at 3 and 15 USD a million. */
const TURN_USD = 0.0045;
const usd = (turns: number): string => String(Number((turns * TURN_USD).toFixed(4)));

/** What the harness says of the turn's context, section by section. */
const withSections = (facts: TraceFacts, system: string, tools: string): TraceFacts => ({
  ...facts,
  spans: facts.spans.map((one) =>
    one.name === "loop.turn"
      ? {
          ...one,
          attributes: { "centspan.prefix.system_fingerprint": system, "centspan.prefix.tools_fingerprint": tools },
        }
      : one,
  ),
});

const CASES: [what: string, first: TraceFacts, second: TraceFacts, parting: object | null][] = [
  ["not at all", planRun([turn("a", reads("x")), turn("b")]), planRun([turn("a", reads("x")), turn("b")]), null],
  [
    "by the tool that was called",
    planRun([turn("a", reads("x")), turn("b", reads("y"))]),
    planRun([turn("a", reads("x")), turn("b", [{ name: "run_tests", readOnly: true, ms: 9 }]), turn("c")]),
    { at: 1, by: ["called"], beforeUsd: [usd(1), usd(1)], fromUsd: [usd(1), usd(2)] },
  ],
  [
    "by what the same tool was asked for",
    planRun([turn("a", reads("x"))]),
    planRun([turn("a", reads("y"))]),
    { at: 0, by: ["arguments"], beforeUsd: ["0", "0"], fromUsd: [usd(1), usd(1)] },
  ],
  [
    "not by the order in which parallel calls came",
    planRun([turn("a", [...(reads("x") ?? []), ...(reads("y") ?? [])])]),
    planRun([turn("a", [...(reads("y") ?? []), ...(reads("x") ?? [])])]),
    null,
  ],
  [
    "by the model, and by the context of which no part is known",
    planRun([turn("a")]),
    planRun([turn("b", [], { call: { model: "scripted-cheap" } })]),
    { at: 0, by: ["model", "context"] },
  ],
  [
    "by the system text",
    withSections(planRun([turn("a")]), "s1", "t"),
    withSections(planRun([turn("b")]), "s2", "t"),
    { at: 0, by: ["system"] },
  ],
  [
    "by what was said, where system text and tools are the same",
    withSections(planRun([turn("a"), turn("b")]), "s", "t"),
    withSections(planRun([turn("a"), turn("c")]), "s", "t"),
    { at: 1, by: ["conversation"] },
  ],
  ["by nothing where no fingerprint is known", planRun([{ buckets: {} }]), planRun([{ buckets: {} }]), null],
  [
    "by an end",
    planRun([turn("a")]),
    planRun([turn("a"), turn("b")]),
    { at: 1, by: ["ended_first"], beforeUsd: [usd(1), usd(1)], fromUsd: ["0", usd(1)] },
  ],
  ["from a run that did nothing", planRun([]), planRun([turn("a")]), { at: 0, by: ["ended_first"] }],
];

describe("two runs", () => {
  it.each(CASES)("part %s", (_what, first, second, parting) => {
    const there = compareRuns([first, second]);
    if (parting === null) expect(there.parting).toBeNull();
    else expect(there.parting).toMatchObject(parting);
    expect(compareRuns([second, first]).parting?.at).toBe(there.parting?.at);
  });

  it("are told turn by turn, with the tools of each and what they took", () => {
    const first = planRun([turn("a", reads("x")), turn("b")]);
    const failed = { ...planRun([turn("a", [...(reads("x") ?? []), { name: "run_tests", readOnly: true, ms: 50 }])]) };
    const spans = failed.spans.map(
      (one): SpanRecord => (one.name.endsWith("run_tests") ? { ...one, status: "error" } : one),
    );
    const { turns, turnCount, tools, time } = compareRuns([first, { ...failed, spans }]);
    expect(turnCount).toEqual([2, 1]);
    expect(turns).toMatchObject([
      [
        { number: "1", costUsd: usd(1), promptTokens: 1_000, outputTokens: 100, calls: 1, tools: ["read_file"] },
        { number: "1", tools: ["read_file", "run_tests"] },
      ],
      [{ number: "2", tools: [] }, null],
    ]);
    expect(tools).toMatchObject([
      {
        tool: "run_tests",
        calls: [0, 1],
        failed: [0, 1],
        seconds: [0, 0.05],
        first: [null, { spanId: expect.any(String) }],
      },
      { tool: "read_file", calls: [1, 1], failed: [0, 0], seconds: [0.1, 0.1] },
    ]);
    expect(time.map(({ kind }) => kind)).toEqual(["api", "tools"]);
  });

  it("have turns by their calls where no span says what a turn is, with the tools that came after each", () => {
    const bare = (facts: TraceFacts): TraceFacts => ({
      ...facts,
      spans: facts.spans.filter(({ name }) => name !== "loop.turn"),
    });
    const { turns, turnCount } = compareRuns([bare(planRun([turn("a", reads("x")), turn("b")])), bare(planRun([]))]);
    expect(turnCount).toEqual([2, 0]);
    expect(turns.map(([first]) => [first?.number, first?.tools])).toEqual([
      ["1", ["read_file"]],
      ["2", []],
    ]);
  });
});

it("list those turns of very many that are around the parting", () => {
  const long = (differsAt: number) =>
    planRun(Array.from({ length: 620 }, (_, at) => turn(at === differsAt ? "other" : "a")));
  const list = (differsAt: number) => {
    const { turns, listedFrom, parting, turnCount } = compareRuns([long(-1), long(differsAt)]);
    expect([turnCount, parting?.at]).toEqual([[620, 620], differsAt]);
    return [listedFrom, turns.length, turns[differsAt - listedFrom]?.map((side) => side?.calls)];
  };
  expect(list(3)).toEqual([0, 500, [1, 1]]);
  expect(list(560)).toEqual([120, 500, [1, 1]]);
  expect(list(619)).toEqual([120, 500, [1, 1]]);
});

const drawnRun = fc
  .array(
    fc.record({
      fingerprint: fc.constantFrom("a", "b"),
      tool: fc.constantFrom("x", "y", null),
      input: fc.integer({ min: 0, max: 5_000 }),
    }),
    { maxLength: 6 },
  )
  .map((turns) => ({
    turns,
    facts: planRun(
      turns.map(({ fingerprint, tool, input }) =>
        turn(fingerprint, tool === null ? [] : reads(tool), { buckets: { input } }),
      ),
    ),
  }));

it("part at the first turn that a naive look finds, and cost before and from there what they cost in all", () => {
  fc.assert(
    fc.property(drawnRun, drawnRun, (first, second) => {
      const { parting } = compareRuns([first.facts, second.facts]);
      const said = [first, second].map(({ turns }) => turns.map(({ fingerprint, tool }) => `${fingerprint} ${tool}`));
      const longest = Math.max(first.turns.length, second.turns.length);
      const naive = Array.from({ length: longest }, (_, at) => at).find((at) => said[0]?.[at] !== said[1]?.[at]);
      expect(parting?.at).toBe(naive);
      for (const [at, { facts }] of [first, second].entries()) {
        if (parting === null) continue;
        const whole = sumDecimals(facts.calls.flatMap(({ costUsd }) => costUsd ?? []));
        const parts = Number(parting.beforeUsd[at]) + Number(parting.fromUsd[at]);
        expect(parts).toBeCloseTo(Number(formatDecimal(whole)), 9);
      }
    }),
  );
});

describe("time of a run", () => {
  const at = (n: number, name: string, from: number, to: number, layer = ""): SpanRecord =>
    span(n, {
      name,
      startedAtNs: START_NS + BigInt(from) * 1_000_000_000n,
      endedAtNs: START_NS + BigInt(to) * 1_000_000_000n,
      attributes: layer === "" ? {} : { "centspan.layer": layer },
    });

  it("is that of the deepest at work at each moment", () => {
    const spans = [
      at(1, "invoke_agent repair", 0, 20, "harness"),
      at(2, "POST /v1/responses", 1, 6, "api"),
      at(3, "inference.decode", 2, 5, "inference"),
      at(4, "execute_tool run_tests", 7, 12, "harness"),
      at(5, "execute_tool read_file", 8, 9, "harness"),
      // A tool that is an agent itself.
      at(6, "chat m", 10, 11, "api"),
      at(7, "never ended", 9, 3, "inference"),
      at(8, "before all", -2, -1),
    ];
    expect(Object.fromEntries(sumWorkTime({ calls: [], spans }))).toEqual({
      ...{ inference: 3, api: 3, tools: 4, harness: 10, other: 1 },
    });
  });

  it("adds up to the time in which anything was at work", () => {
    const times = fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 30 }));
    const layers = fc.constantFrom("", "harness", "api", "inference");
    fc.assert(
      fc.property(fc.array(fc.tuple(times, layers, fc.boolean()), { maxLength: 12 }), (drawn) => {
        const spans = drawn.map(([[from, to], layer, isTool], n) =>
          at(n, isTool ? "execute_tool t" : "work", from, to, layer),
        );
        const sum = [...sumWorkTime({ calls: [], spans }).values()].reduce((all, seconds) => all + seconds, 0);
        const busy = Array.from({ length: 30 }, (_, second) => second).filter((second) =>
          drawn.some(([[from, to]]) => from <= second && second < to),
        );
        expect(sum).toBe(busy.length);
      }),
    );
  });
});
