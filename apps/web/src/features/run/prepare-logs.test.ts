import type { LogRow } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { prepareLogs } from "./prepare-logs.ts";

const STARTED_NS = BigInt(Date.parse("2026-11-29T12:00:00Z")) * 1_000_000n;

const record = (changes: Partial<LogRow>): LogRow => ({
  at: "2026-11-29T12:00:00.350000000Z",
  observedAt: "2026-11-29T12:00:00.350000000Z",
  traceId: "t",
  spanId: "",
  severityNumber: 0,
  severityText: "",
  eventName: "",
  body: "",
  service: "claude-code",
  scopeName: "",
  attributes: {},
  resourceAttributes: {},
  hidden: [],
  ...changes,
});

const prepare = (changes: Partial<LogRow>) => prepareLogs([record(changes)], STARTED_NS)[0] ?? expect.fail();

describe("a log record in a line", () => {
  it("stands on the axis of the run, also before its first span", () => {
    expect(prepare({}).offset).toBe("350 ms");
    expect(prepare({ at: "2026-11-29T11:59:58.500000000Z" }).offset).toBe("−1.5 s");
  });

  const severities: [Partial<LogRow>, string | undefined, boolean | undefined][] = [
    [{}, undefined, undefined],
    [{ severityNumber: 9 }, "INFO", false],
    [{ severityNumber: 12 }, "INFO", false],
    [{ severityNumber: 13 }, "WARN", true],
    [{ severityNumber: 24 }, "FATAL", true],
    [{ severityNumber: 17, severityText: "error" }, "error", true],
  ];
  it.each(severities)("says its severity as the sender does, or by its number: %o", (changes, text, isAttention) => {
    const { severity } = prepare(changes);
    expect([severity?.text, severity?.isAttention]).toEqual([text, isAttention]);
  });

  const texts: [Partial<LogRow>, string, string][] = [
    [{}, "", ""],
    [{ body: "hello" }, "", "hello"],
    [{ eventName: "api_request", body: "claude_code.api_request", attributes: { model: "m" } }, "api_request", "m"],
    [{ eventName: "tool", body: "ran it", attributes: { tool_name: "bash" } }, "tool", "ran it"],
    [{ eventName: "tool", attributes: { decision: "accept", tool_name: "bash" } }, "tool", "bash · accept"],
    [
      { eventName: "event src/telemetry.rs:38", attributes: { "event.name": "codex.api_request" } },
      "codex.api_request",
      "",
    ],
  ];
  it.each(texts)("names the event and what it is about: %o", (changes, event, says) => {
    expect(prepare(changes)).toMatchObject({ event, says });
  });

  it("keeps equal records apart", () => {
    const keys = prepareLogs([record({}), record({})], STARTED_NS).map(({ key }) => key);
    expect(new Set(keys).size).toBe(2);
  });
});
