import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runProcess } from "../stack/processes.ts";

/** Share of the gap closed, in percent, by capacity; null where there is no gap. */
type Gaps = Record<string, number | null>;

const PATIENCE_MS = 240_000;

/** A tiny run: whether a benchmark works and its invariants hold. How fast it was says nothing here. */
async function runBench<T = Record<string, number | string | null>>(...args: string[]): Promise<T> {
  const { code, output } = await runProcess(["--import", "tsx", "test/src/bench/main.ts", ...args]);
  expect(code, output).toBe(0);
  const line = output
    .trimEnd()
    .split("\n")
    .findLast((candidate) => candidate.startsWith("{"));
  return JSON.parse(line ?? "null");
}

describe("npm run bench", () => {
  it("lists its benchmarks and their flags, and refuses what it does not know", async () => {
    const help = await runProcess(["--import", "tsx", "test/src/bench/main.ts", "--help"]);
    expect(help.code).toBe(0);
    for (const word of ["policies", "--concurrency", "ingest", "--seconds", "--rate", "trace-lookup", "--spans"])
      expect(help.output).toContain(word);
    for (const args of [["nothing"], ["ingest", "--seconds", "soon"], ["ingest", "--speed", "9"]]) {
      const { code } = await runProcess(["--import", "tsx", "test/src/bench/main.ts", ...args]);
      expect([args, code]).toEqual([args, 1]);
    }
  });

  it(
    "ingest: what was acknowledged is there once, as fast as it goes and on a schedule",
    async () => {
      for (const load of [[], ["--rate", "4000"]]) {
        const result = await runBench("ingest", "--seconds", "3", ...load);
        expect(result).toMatchObject({
          ackedLost: 0,
          duplicates: 0,
          conflicts: 0,
          rejected: 0,
          unacknowledgedBatches: 0,
        });
        expect(result.resentSpans).toBeGreaterThan(0);
        const positive = [
          "spansPerS",
          "engineLimitSpansPerS",
          "ratio",
          "ackP50Ms",
          "ackP99Ms",
          "rssMb",
          "rssStartMb",
          "rssEndMb",
        ];
        for (const name of [...positive, "collectorCpuUsPerSpan", "storeCpuUsPerSpan"])
          expect(result[name], name).toBeGreaterThan(0);
      }
    },
    PATIENCE_MS,
  );

  it(
    "rating: all calls are rated as each by itself, and a second run changes none",
    async () => {
      const result = await runBench("rating", "--calls", "3000");
      expect(result).toEqual({ calls: 3000, seconds: expect.any(Number), rerunChanged: 0 });
    },
    PATIENCE_MS,
  );

  it(
    "cost-query: every question of a spend page is answered, with all calls in it",
    async () => {
      const result = await runBench<{ p95Ms: number; calls: number; days: number }>(
        ...["cost-query", "--calls", "5000", "--rounds", "1"],
      );
      expect(result).toMatchObject({ p95Ms: expect.any(Number), calls: 5000 });
      expect(result.days).toBeGreaterThanOrEqual(29);
    },
    PATIENCE_MS,
  );

  it(
    "outcomes-query: every page of outcomes and waste is there, with all calls and tasks in it",
    async () => {
      const result = await runBench<{ byPage: object }>("outcomes-query", "--calls", "20000", "--rounds", "1");
      expect(result).toMatchObject({ p95Ms: expect.any(Number), calls: 20_000, tasks: 1000 });
      expect(Object.keys(result.byPage)).toContain("/outcomes");
    },
    PATIENCE_MS,
  );

  it(
    "simulate: each figure is there, with data and without",
    async () => {
      const result = await runBench("simulate", "--seconds", "0.1", "--requests", "300");
      for (const name of ["cacheAccessesPerS", "desRequestsPerS", "conversationTraceS", "conversationRequests"])
        expect(result[name], name).toBeGreaterThan(0);
    },
    PATIENCE_MS,
  );

  it(
    "optimize: settings are tried, the choice is near the best, and predictions are beside what came",
    async () => {
      const args = ["--candidates", "40", "--requests", "500", "--sessions", "12"];
      const result = await runBench<{
        configs: number;
        regretPct: number;
        heldOutErrPct: Record<"ttft" | "tpot" | "hitRate", number>;
      }>("optimize", ...args);
      // Each of three searches sees its candidates, and what it varies of the best.
      expect(result.configs).toBeGreaterThanOrEqual(120);
      expect(result.regretPct).toBeLessThanOrEqual(2);
      expect(result.heldOutErrPct.tpot).toBeLessThan(5);
      for (const name of ["ttft", "hitRate"] as const) expect(result.heldOutErrPct[name]).toEqual(expect.any(Number));
    },
    PATIENCE_MS,
  );

  it(
    "gateway, tokenize, routing, safety: each figure is there",
    async () => {
      const gateway = await runBench("gateway", "--seconds", "1", "--streams", "20", "--large", "2");
      for (const name of ["rpsPerCore", "bytesPerTurn", "capacityRps", "calls"])
        expect(gateway[name], name).toBeGreaterThan(0);
      for (const name of ["addedP50Ms", "addedP99Ms", "firstByteAddedP50Ms", "added1MiBP50Ms"])
        expect(gateway[name], name).toEqual(expect.any(Number));
      expect(gateway.bytesPerTurn).toBeLessThan(Number(gateway.bytesPerTurnHttp) / 10);
      expect(await runBench("tokenize", "--rounds", "2")).toMatchObject({ idsEqual: true });
      const routing = await runBench("routing", "--conversations", "4", "--turns", "2");
      expect(routing.hitVsSingle).toBeGreaterThan(0);
      const safety = await runBench("safety", "--calls", "3");
      expect(safety.addedTtftMs).toBeLessThan(Number(safety.checkMs));
      expect(safety.checks).toBeGreaterThanOrEqual(3);
    },
    PATIENCE_MS,
  );

  it(
    "budgets: four gateways spend what is left of one, and not a cent more",
    async () => {
      const result = await runBench("budgets", "--callers", "10", "--calls", "60", "--pairs", "5");
      expect(result.overspendUsd).toBe("0");
      expect(result.headroomUsed).toBeGreaterThanOrEqual(0.95);
      expect(result.headroomUsed).toBeLessThanOrEqual(1);
      expect(result.reserveAddedP50Ms).toEqual(expect.any(Number));
      expect(result.refused).toBe(40);
    },
    PATIENCE_MS,
  );

  it(
    "harness: with its mechanisms less is sent and more is reused, long runs end, and killed ones go on",
    async () => {
      const args = ["--trajectories", "1", "--turns", "6", "--resumes", "1"];
      const result = await runBench<Record<string, number | boolean>>("harness", ...args);
      expect(result).toMatchObject({ resumeRuns: 1, resumeMismatches: 0, doubleBilled: 0, handshakesPerRun: 1 });
      expect(result).toMatchObject({
        longRunCompletes: true,
        longRunCompletesOff: false,
        tasksPassed: result.tasksRun,
      });
      expect(result.bytesSlopeRatio).toBeLessThan(0.02);
      expect(result.prefixReuse).toBeGreaterThan(Number(result.prefixReuseOff));
      expect(result.toolPromptRatio).toBeLessThan(1.3);
      expect(result.toolSearchTop8).toBeGreaterThanOrEqual(0.9);
      expect(result.parallelToolsS).toBeLessThan(Number(result.serialToolsS));
    },
    PATIENCE_MS,
  );

  it(
    "waste: what is planted is found, for what it cost, and nothing where nothing is",
    async () => {
      const args = ["--rounds", "1", "--clean", "1", "--plants", "clock", "--published", "no"];
      const result = await runBench<{ worstCostErrorPct: number }>("waste", ...args);
      expect(result).toMatchObject({ pairs: 1, recall: 1, falseAlarms: 0, alarmsBeside: 0 });
      expect(result.worstCostErrorPct).toBeLessThan(5);
    },
    PATIENCE_MS,
  );

  it(
    "import-local: generated histories come to what was invented, to the token, and again to nothing more",
    async () => {
      const result = await runBench("import-local", "--mb", "4", "--seed", "7");
      expect(result).toMatchObject({ tokenError: 0, callError: 0, rerunChanged: 0 });
      for (const name of ["mbPerS", "rssMb", "rerunS", "readMbPerS", "figuresS", "calls"])
        expect(result[name], name).toBeGreaterThan(0);
    },
    PATIENCE_MS,
  );

  it(
    "trace-lookup: every large trace is found, whole",
    async () => {
      const result = await runBench("trace-lookup", "--spans", "100000", "--traces", "3", "--trace-spans", "5000");
      expect(result).toMatchObject({ spansStored: 115_000, lookups: 6, traceSpans: 5000 });
      for (const name of ["p95Ms", "p50Ms", "coldP95Ms", "warmP95Ms", "wholeTraceP95Ms"])
        expect(result[name], name).toBeGreaterThan(0);
    },
    PATIENCE_MS,
  );

  it(
    "web: every page is there and shuts nobody out, and the waterfall moves",
    async () => {
      const result = await runBench("web", "--calls", "5000", "--spans", "3000", "--rounds", "1");
      expect(result.axeSerious).toBe(0);
      const positive = [
        "overviewInteractiveMs",
        "trace100kFirstRowsMs",
        "trace100kTransferredMb",
        "scrollFps",
        "memoryMb",
      ];
      for (const name of [...positive, "trace1kFirstRowsMs"]) expect(result[name], name).toBeGreaterThan(0);
    },
    // Two dozen pages, light and dark.
    2 * PATIENCE_MS,
  );

  const shared = process.env.CENTSPAN_SHARED;
  it.skipIf(shared === undefined)(
    "policies: no policy beats the optimum, and one that knows agents beats LRU on them (needs CENTSPAN_SHARED)",
    async () => {
      const args = [
        "--data",
        join(shared ?? "", "data"),
        "--requests",
        "200",
        "--sessions",
        "16",
        "--concurrency",
        "4",
        "--seeds",
        "1",
      ];
      const { gapClosed } = await runBench<{ gapClosed: Record<"weka4" | "conversation", Gaps> }>("policies", ...args);
      expect(Object.keys(gapClosed.weka4)).toEqual(["10", "25", "50", "75", "100"]);
      for (const share of [...Object.values(gapClosed.weka4), ...Object.values(gapClosed.conversation)])
        expect(share ?? 0).toBeLessThanOrEqual(100);
      expect(gapClosed.weka4["10"]).toBeGreaterThan(0);
    },
    PATIENCE_MS,
  );
});
