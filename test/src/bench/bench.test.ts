import { describe, expect, it } from "vitest";
import { runProcess } from "../stack/processes.ts";

const PATIENCE_MS = 240_000;

/** A tiny run: whether a benchmark works and its invariants hold. How fast it was says nothing here. */
async function runBench(...args: string[]): Promise<Record<string, number | string | null>> {
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
    for (const word of ["ingest", "--seconds", "--rate", "trace-lookup", "--spans"])
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
    "trace-lookup: every large trace is found, whole",
    async () => {
      const result = await runBench("trace-lookup", "--spans", "100000", "--traces", "3", "--trace-spans", "5000");
      expect(result).toMatchObject({ spansStored: 115_000, lookups: 6, traceSpans: 5000 });
      for (const name of ["p95Ms", "p50Ms", "coldP95Ms", "warmP95Ms", "wholeTraceP95Ms"])
        expect(result[name], name).toBeGreaterThan(0);
    },
    PATIENCE_MS,
  );
});
