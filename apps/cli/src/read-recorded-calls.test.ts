import { createApiClient } from "@centspan/api";
import { type CallRow, EMPTY_BUCKETS, EMPTY_IDENTITY } from "@centspan/model";
import type { RecordedCall } from "@centspan/serving";
import { expect, it } from "vitest";
import { listRecordedCalls } from "./read-recorded-calls.ts";

const row = (at: number): CallRow => ({
  ...EMPTY_IDENTITY,
  callId: `c${at}`,
  traceId: "",
  spanId: "",
  at: `2026-11-29T12:00:00.00000000${at}Z`,
  durationNs: "1500000000",
  model: "m",
  effort: "",
  provider: "p",
  responseId: "",
  requests: 1,
  buckets: { ...EMPTY_BUCKETS, input: 10 + at },
  ttftMs: null,
  costUsd: null,
  costStatus: "unpriced",
  quarantineReason: "",
  providedCostUsd: null,
  lines: [],
  source: "gateway",
  provenance: "measured",
});

it("reads page after page, asks each time for the same calls, and keeps nanoseconds", async () => {
  const pages = [[8, 7, 6], [5, 4, 3], [2]];
  const asked: string[] = [];
  const api = createApiClient(async (path) => {
    const { searchParams } = new URL(path, "http://api.internal");
    const at = Number(searchParams.get("cursor") ?? 0);
    searchParams.delete("cursor");
    asked.push(searchParams.toString());
    const nextCursor = at + 1 < pages.length ? `${at + 1}` : null;
    return Response.json({ data: (pages[at] ?? []).map(row), nextCursor });
  });
  const said: string[] = [];
  const calls: RecordedCall[] = [];
  for await (const call of listRecordedCalls(api, { from: "2026-11-01", key: "k" }, (text) => said.push(text)))
    calls.push(call);
  expect(calls.map(({ callId }) => callId)).toEqual(["c8", "c7", "c6", "c5", "c4", "c3", "c2"]);
  expect(calls.at(-1)?.atNs.toString().slice(-9)).toBe("000000002");
  expect(calls.at(-1)).toMatchObject({ durationNs: 1_500_000_000n, buckets: { input: 12 } });
  expect(new Set(asked)).toEqual(new Set(["from=2026-11-01&key=k&limit=1000"]));
  expect(asked).toHaveLength(3);
  expect(said).toEqual(["reading calls: 3", "reading calls: 6", "reading calls: 7"]);
});

it("takes the calls of a run for a session where no session is known", async () => {
  const data = [{ ...row(1), runId: "r" }, { ...row(2), runId: "r", sessionId: "s" }, row(3)];
  const api = createApiClient(async () => Response.json({ data, nextCursor: null }));
  const sessions: string[] = [];
  for await (const { sessionId } of listRecordedCalls(api, {}, () => {})) sessions.push(sessionId);
  expect(sessions).toEqual(["r", "s", ""]);
});
