import { collectorStatusSchema, type SourceRow } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { isSilent, prepareArrivals, prepareCollector } from "./prepare-sources.ts";

const NOW_NS = BigInt(Date.parse("2026-11-29T12:00:00Z")) * 1_000_000n;

const source = (service: string, signal: SourceRow["signal"], lastReceivedAt: string): SourceRow => ({
  service,
  signal,
  lastReceivedAt,
  records24h: 1204,
});

describe("arrivals", () => {
  const rows = prepareArrivals(
    [
      source("claude-code", "metrics", "2026-11-27T08:00:00.000000000Z"),
      source("codex", "traces", "2026-11-29T12:00:01.000000000Z"),
      source("codex", "logs", "2026-11-29T11:57:49.250000000Z"),
    ],
    NOW_NS,
    "en",
  );

  it("name a service once where it has several signals", () => {
    expect(rows.map(({ service, signal, isFirst }) => [service, signal, isFirst])).toEqual([
      ["claude-code", "metrics", true],
      ["codex", "traces", true],
      ["codex", "logs", false],
    ]);
  });

  it("of the collector's own metrics alone are silence", () => {
    const own = source("centspan-collector", "metrics", "2026-11-29T12:00:00.000000000Z");
    expect([[], [own], [own, source("codex", "logs", own.lastReceivedAt)]].map(isSilent)).toEqual([true, true, false]);
  });

  it("say how long ago, and after a day when; a clock that is ahead makes no age negative", () => {
    expect(rows.map(({ lastAgo }) => lastAgo)).toEqual([null, "0 s", "2 min"]);
    expect(rows[0]?.lastAt).toBe("27 Nov 2026, 08:00");
    expect(rows[0]?.records).toBe("1,204");
  });
});

describe("the collector", () => {
  const status = collectorStatusSchema.parse({
    version: "1",
    uptimeS: 7_500.4,
    spool: {
      bytes: 1536,
      maxBytes: 2 ** 32,
      frames: 3,
      segments: 1,
      oldestAgeS: 0.25,
      refusal: { ageS: 1, message: "the disk is full" },
    },
    loader: {
      lagS: null,
      insertedRows: { spans: 0, logs: 0, metrics: 0 },
      refusedFrames: 2,
      warehouseAway: true,
      lastError: null,
    },
    requests: { traces: { ok: 10, unauthenticated: 1 }, logs: { ok: 1 }, metrics: {} },
    accepted: { traces: 5000, logs: 1, metrics: 0 },
    rejected: { traces: { invalid_id: 1, too_deep: 12 }, logs: {}, metrics: {} },
  });

  it("is told in texts, the most frequent refusal first; what was taken is no refusal", () => {
    expect(prepareCollector(status)).toEqual({
      uptime: "2 h",
      waiting: "1.5 KiB",
      bound: "4.0 GiB",
      batches: "3",
      oldest: "250 ms",
      lag: null,
      refusedBatches: "2",
      refusal: "the disk is full",
      warehouseAway: true,
      signals: [
        {
          signal: "traces",
          taken: "5,000",
          refusedRecords: [
            { code: "too_deep", count: "12" },
            { code: "invalid_id", count: "1" },
          ],
          refusedRequests: [{ code: "unauthenticated", count: "1" }],
        },
        { signal: "logs", taken: "1", refusedRecords: [], refusedRequests: [] },
        { signal: "metrics", taken: "0", refusedRecords: [], refusedRequests: [] },
      ],
    });
  });
});
