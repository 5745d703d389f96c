import { formatDecimal } from "@centspan/base";
import type { OutcomeStatus, RunFacts } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { wasteCauses } from "../registry.gen.ts";
import { planRun, priceOf } from "../testing/plan-run.ts";
import { findWaste } from "./find-waste.ts";

type Expected = { cause: string; costUsd: string; seconds?: number; evidence?: object };

const kept = { "centspan.prefix.kept": "true", "centspan.prefix.known_tokens": "10000" };
const broken = (section: string, change: string, path: string) => ({
  ...kept,
  "centspan.prefix.kept": "false",
  "centspan.prefix.diverged_section": section,
  "centspan.prefix.diverged_path": path,
  "centspan.prefix.change": change,
});
const missed = (reason: string) => ({ ...kept, "centspan.cache.miss_reasons": JSON.stringify([reason]) });
const lookup = (replica: string) => ({
  "inference.kv.lookup": { "centspan.replica.id": replica, "centspan.kv.block_tokens": "64" },
});
const first = { buckets: { input: 10_000, outputText: 100 } };
const uncached = { buckets: { input: 11_000, outputText: 100 } };
const cached = { buckets: { input: 1_016, cacheRead: 9_984, outputText: 100 }, attributes: kept };
/** 10,000 tokens in whole grains of 128 are 9984, at 3 instead of 0.30 USD a million. */
const MISS_USD = "0.0269568";
/** Of an engine, which has blocks of 64 and keeps the answer, too: 10,048. */
const ENGINE_MISS_USD = "0.0271296";

/** At 3, 0.30 and 15 USD too; what is written to its cache at 3.75, for an hour at 6. */
const WRITES_COST = { provider: "anthropic", model: "claude-sonnet-4-5" };
/** As histories tell of it. */
const RECORDED = { ...WRITES_COST, source: "import" } as const;
const reading = {
  name: "Read",
  readOnly: true,
  ms: 100,
  said: {
    "centspan.thread.id": "session",
    "centspan.tool.input_hash": "a",
    "centspan.tool.output_hash": "b",
    "centspan.tool.output_bytes": "4000",
  },
};
/** Each cause alone: what a run shows, and what it is worth. */
const CASES: [what: string, run: RunFacts, expected: Expected[]][] = [
  ["nothing where the prompt is read from cache", planRun([first, cached, cached]), []],
  ["nothing where no gateway says what stayed", planRun([first, uncached]), []],
  [
    "tools in another order",
    planRun([first, { ...uncached, attributes: broken("tools", "tool_order", "tools[1]") }]),
    [
      {
        cause: "prefix_tools",
        costUsd: MISS_USD,
        evidence: { section: "tools", path: "tools[1]", change: "tool_order", repeatedTokens: 9984 },
      },
    ],
  ],
  [
    "a clock in the system text, since when",
    planRun([first, ...Array(2).fill({ ...uncached, attributes: broken("system", "clock", "instructions") })]),
    Array(2).fill({
      cause: "prefix_system",
      costUsd: MISS_USD,
      evidence: { change: "clock", sinceAt: "2026-05-28T20:26:50.000000000Z" },
    }),
  ],
  [
    "a history that was rewritten",
    planRun([first, { ...uncached, attributes: broken("history", "item_changed", "input[1]") }]),
    [{ cause: "prefix_history", costUsd: MISS_USD }],
  ],
  [
    "a recorded conversation that was resumed, and one that was computed again for no reason that it tells",
    planRun(
      [first, { ...uncached, attributes: { "centspan.history.marks": '["resumed"]' } }, uncached].map((plan, n) => ({
        ...plan,
        buckets: n === 0 ? { cacheWrite5m: 10_000 } : { input: 11_000 },
        call: RECORDED,
      })),
    ),
    [
      { cause: "prefix_resumed", costUsd: MISS_USD, evidence: { idleSeconds: 9 } },
      { cause: "prefix_changed", costUsd: "0.029376", evidence: { repeatedTokens: 11_000 - (11_000 % 128) } },
    ],
  ],
  [
    "a tool called again for what it had said, in a recorded conversation",
    planRun(
      [{ tools: [reading] }, { tools: [reading] }, {}].map((plan, n) => ({
        ...plan,
        buckets: { cacheRead: n * 10_000, cacheWrite5m: 10_000 },
        call: RECORDED,
      })),
    ),
    [{ cause: "repeated_tool", costUsd: "0.00375", evidence: { repeatedTokens: 1000, section: "results" } }],
  ],
  [
    "another effort",
    planRun([first, { ...uncached, attributes: missed("reasoning_effort_changed") }, cached]),
    [{ cause: "prefix_settings", costUsd: MISS_USD, evidence: { reasons: ["reasoning_effort_changed"] } }],
  ],
  [
    "a history that was never cached, where writing it costs more than computing",
    planRun([first, { ...uncached, attributes: kept }].map((plan) => ({ ...plan, call: WRITES_COST }))),
    // 9,984 at 3 instead of 0.30, less the first 10,000 at 3.75 instead of 3.
    [{ cause: "history_resent", costUsd: "0.0194568" }],
  ],
  [
    "a cache that has forgotten, where a longer lifetime costs more",
    planRun(
      [
        { buckets: { cacheWrite5m: 10_000, outputText: 100 } },
        { buckets: { cacheWrite5m: 11_000, outputText: 100 }, attributes: missed("ttl_passed") },
      ].map((plan) => ({ ...plan, call: WRITES_COST })),
    ),
    // 9,984 at 3.75 instead of 0.30, less 10,000 at 6 instead of 3.75.
    [{ cause: "prefix_expired", costUsd: "0.0119448" }],
  ],
  [
    "what was not needed, beside a history that was never cached",
    planRun(
      [
        { ...first, attributes: { "centspan.context.oversized_tokens": "1000" } },
        { ...uncached, attributes: { ...kept, "centspan.context.oversized_tokens": "1000" } },
      ].map((plan) => ({ ...plan, call: WRITES_COST })),
      "failed",
    ),
    [
      { cause: "history_resent", costUsd: "0.0194568" },
      { cause: "oversized_output", costUsd: "0.003" },
      { cause: "oversized_output", costUsd: "0.0003" },
      { cause: "failed_attempt", costUsd: "0.0285" },
      { cause: "failed_attempt", costUsd: "0.0147432" },
    ],
  ],
  [
    "a cache that has forgotten by its own word",
    planRun([
      { ...first, stages: lookup("a") },
      {
        ...uncached,
        attributes: kept,
        stages: { "inference.kv.lookup": { ...lookup("a")["inference.kv.lookup"], "centspan.kv.expired_blocks": "3" } },
      },
      { ...cached, stages: lookup("a") },
    ]),
    [{ cause: "prefix_expired", costUsd: ENGINE_MISS_USD }],
  ],
  [
    "a history that the harness had summed up",
    planRun([
      { ...first, isCompaction: true },
      { ...uncached, attributes: broken("history", "item_changed", "input[0]") },
      { ...uncached, attributes: broken("history", "item_changed", "input[0]") },
    ]),
    [
      { cause: "prefix_history", costUsd: MISS_USD },
      { cause: "prefix_compaction", costUsd: MISS_USD },
    ],
  ],
  [
    "a cache that has forgotten",
    planRun([first, { ...uncached, attributes: missed("ttl_passed") }, cached]),
    [{ cause: "prefix_expired", costUsd: MISS_USD, evidence: { idleSeconds: 9 } }],
  ],
  [
    "a compacted history",
    planRun([
      first,
      {
        ...uncached,
        attributes: {
          ...broken("history", "text", "input[0]"),
          ...missed("compaction"),
          "centspan.prefix.kept": "false",
        },
      },
    ]),
    [{ cause: "prefix_compaction", costUsd: MISS_USD }],
  ],
  [
    "a history that was never cached",
    planRun([first, { ...uncached, attributes: kept }]),
    [{ cause: "history_resent", costUsd: MISS_USD }],
  ],
  [
    "schemas that nothing was called of",
    planRun([
      {
        buckets: { input: 10_000 },
        attributes: {
          "centspan.tools.offered": '["read","mail","chart"]',
          "centspan.tools.offered_tokens": "[100,2000,3000]",
        },
      },
      { ...cached, attributes: { ...kept, "centspan.tools.used": '["read"]' } },
    ]),
    [
      { cause: "unused_tools", costUsd: "0.015", evidence: { tools: ["chart", "mail"], repeatedTokens: 5000 } },
      { cause: "unused_tools", costUsd: "0.0015" },
    ],
  ],
  [
    "an output that was not cut",
    planRun([
      { ...first, attributes: { "centspan.context.oversized_tokens": "4000" } },
      { ...cached, attributes: { ...kept, "centspan.context.oversized_tokens": "4000" } },
    ]),
    [
      { cause: "oversized_output", costUsd: "0.012" },
      { cause: "oversized_output", costUsd: "0.0012" },
    ],
  ],
  [
    "tools that only read, one after the other",
    planRun([
      {
        ...first,
        tools: [
          { name: "read", readOnly: true, ms: 2000 },
          { name: "list", readOnly: true, ms: 3000 },
        ],
      },
      {
        ...cached,
        tools: [
          { name: "write", readOnly: false, ms: 2000 },
          { name: "read", readOnly: true, ms: 900 },
        ],
      },
    ]),
    [{ cause: "serial_tools", costUsd: "0", seconds: 2 }],
  ],
  [
    "text that was tokenized before",
    planRun([first, { ...cached, stages: { "api.tokenize": { "centspan.tokens.new": "11000" } } }]),
    [{ cause: "retokenized", costUsd: "0", seconds: 0.1 * (10 / 11) }],
  ],
  [
    "an answer that waited for its check",
    planRun([
      {
        ...first,
        stages: {
          "api.safety": { "centspan.safety.policy": "hold", ms: "900" },
          "inference.decode": { ms: "300" },
        },
      },
    ]),
    [{ cause: "serial_safety", costUsd: "0", seconds: 0.6 }],
  ],
  [
    "nothing of a check that ends before the answer does",
    planRun([
      {
        ...first,
        stages: {
          "api.safety": { "centspan.safety.policy": "hold", ms: "300" },
          "inference.decode": { ms: "900" },
        },
      },
    ]),
    [],
  ],
  [
    "an old processor",
    planRun([
      { ...first, attributes: { "centspan.cpu.weight": "50" }, stages: { "api.parse": {}, "api.validate": {} } },
    ]),
    [{ cause: "slow_cpu", costUsd: "0", seconds: 0.1 }],
  ],
  [
    "an old processor that tokenized again what had been",
    planRun([
      first,
      {
        ...cached,
        attributes: { ...kept, "centspan.cpu.weight": "50" },
        stages: { "api.parse": {}, "api.tokenize": { "centspan.tokens.new": "11000" } },
      },
    ]),
    [
      { cause: "retokenized", costUsd: "0", seconds: 0.1 * (10 / 11) },
      { cause: "slow_cpu", costUsd: "0", seconds: 0.5 * (0.2 - 0.1 * (10 / 11)) },
    ],
  ],
  [
    "another replica",
    planRun([
      { ...first, stages: lookup("a") },
      { ...uncached, attributes: kept, stages: lookup("b") },
      { ...cached, stages: lookup("b") },
    ]),
    [{ cause: "routing_miss", costUsd: ENGINE_MISS_USD, evidence: { from: "a", to: "b" } }],
  ],
  [
    "the same replica, which has let it go",
    planRun([
      { ...first, stages: lookup("a") },
      {
        ...uncached,
        attributes: kept,
        stages: { ...lookup("a"), "inference.prefill": { "centspan.prefill.tokens": "11000" } },
      },
      { ...cached, stages: lookup("a") },
    ]),
    [{ cause: "evicted_prefill", costUsd: ENGINE_MISS_USD, seconds: 0.1 * (10_048 / 11_000) }],
  ],
  [
    "drafts and prompts of others within its steps",
    planRun([
      {
        ...first,
        stages: {
          "inference.decode": {
            "centspan.decode.rejected_ms": "20",
            "centspan.decode.interference_ms": "30",
            "centspan.time_scale": "2",
          },
        },
      },
    ]),
    [
      { cause: "rejected_drafts", costUsd: "0", seconds: 0.04 },
      { cause: "prefill_interference", costUsd: "0", seconds: 0.06 },
    ],
  ],
  [
    "a request that was made again after a whole answer",
    planRun([
      { ...first, attributes: { "centspan.prefix.fingerprint": "f" } },
      { ...cached, attributes: { ...kept, "centspan.prefix.fingerprint": "f" } },
    ]),
    [{ cause: "retry", costUsd: "0.0075432", seconds: 1 }],
  ],
  [
    "a request that was made again after its stream was cut",
    planRun([
      { ...first, attributes: { "centspan.prefix.fingerprint": "f", "centspan.stream.aborted": "true" } },
      { ...cached, attributes: { ...kept, "centspan.prefix.fingerprint": "f" } },
    ]),
    [
      { cause: "retry", costUsd: "0.0060432" },
      { cause: "aborted_stream", costUsd: "0.0015", seconds: 1 },
    ],
  ],
  [
    "a request that was made again after a stream of which nobody said what it used",
    planRun([
      {
        ...first,
        attributes: {
          "centspan.prefix.fingerprint": "f",
          "centspan.stream.aborted": "true",
          "centspan.usage.missing": "true",
        },
      },
      { ...cached, attributes: { ...kept, "centspan.prefix.fingerprint": "f" } },
    ]),
    [{ cause: "aborted_stream", costUsd: "0.001548", seconds: 1 }],
  ],
  [
    "nothing that was evicted, where the stream was left before its prompt was known to be computed",
    planRun([
      first,
      {
        ...uncached,
        attributes: {
          ...kept,
          "centspan.prefix.fingerprint": "f",
          "centspan.stream.aborted": "true",
          "centspan.usage.missing": "true",
        },
      },
      {
        ...cached,
        attributes: { ...kept, "centspan.prefix.fingerprint": "f", "centspan.prefix.known_tokens": "11000" },
        stages: lookup("a"),
      },
    ]),
    [{ cause: "aborted_stream", costUsd: "0.0345", seconds: 1 }],
  ],
  [
    "a request that was made again before it was noticed that its stream was left",
    planRun([
      {
        ...first,
        attributes: { "centspan.prefix.fingerprint": "f", "centspan.stream.aborted": "true" },
        call: { durationNs: 11_000_000_000n },
      },
      { ...cached, attributes: { ...kept, "centspan.prefix.fingerprint": "f" } },
    ]),
    [
      { cause: "retry", costUsd: "0.0060432" },
      { cause: "aborted_stream", costUsd: "0.0015", seconds: 11 },
    ],
  ],
  [
    "a stream that was left for good",
    planRun([{ ...first, attributes: { "centspan.stream.aborted": "true" } }]),
    [{ cause: "aborted_stream", costUsd: "0.0315", seconds: 1 }],
  ],
  [
    "an attempt that failed, once what it repeated is taken off",
    planRun([first, { ...uncached, attributes: broken("system", "clock", "instructions") }], "failed"),
    [
      { cause: "prefix_system", costUsd: MISS_USD },
      { cause: "failed_attempt", costUsd: "0.0315" },
      { cause: "failed_attempt", costUsd: "0.0075432" },
    ],
  ],
  [
    "of a run that did several things, the one that failed",
    {
      ...planRun([first, cached]),
      outcomes: new Map<string, OutcomeStatus>([
        ["call_0", "failed"],
        ["call_1", "passed"],
      ]),
    },
    [{ cause: "failed_attempt", costUsd: "0.0315" }],
  ],
];

describe("what a run paid for twice", () => {
  it.each(CASES)("%s", (_what, run, expected) => {
    const items = findWaste(run, priceOf);
    expect(items.map(({ cause, costUsd }) => ({ cause, costUsd: formatDecimal(costUsd) }))).toEqual(
      expected.map(({ cause, costUsd }) => ({ cause, costUsd })),
    );
    for (const [index, { seconds, evidence }] of expected.entries()) {
      if (seconds !== undefined) expect(items[index]?.seconds).toBeCloseTo(seconds, 6);
      if (evidence !== undefined) expect(items[index]?.evidence).toMatchObject(evidence);
    }
  });

  it("has a case for each cause", () => {
    const found = new Set(CASES.flatMap(([, , expected]) => expected.map(({ cause }) => cause)));
    expect([...found].sort()).toEqual(wasteCauses.map(({ id }) => id).sort());
  });
});
