import { createWallClock } from "@centspan/base";
import { type Control, openControl } from "@centspan/control";
import { EMPTY_CALL, type Principal, type RatedCall, SIGNALS } from "@centspan/model";
import { openWarehouse, type Warehouse } from "@centspan/warehouse";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type ApiClient, createApiClient, createTraceApi } from "./index.ts";
import { exportSignals, toAttributes } from "./testing/export-signals.ts";

let warehouse: Warehouse;
let control: Control;
let workspaces = 0;

beforeAll(async () => {
  warehouse = openWarehouse({ url: new URL("/centspan_api_signals_test", inject("clickhouseUrl")).href });
  control = openControl({ url: inject("databaseUrl") });
  await Promise.all([warehouse.migrate(), control.migrate()]);
});
afterAll(() => Promise.all([warehouse.close(), control.close()]));

/** The API of a workspace that is still empty. */
function openWorkspace(): { workspace: string; client: ApiClient } {
  const workspace = `signals-${process.pid}-${++workspaces}`;
  const owner: Principal = {
    keyId: "k",
    keyName: "k",
    kind: "api",
    scopes: null,
    workspace,
    org: "o",
    orgWide: false,
    team: null,
    rules: {},
  };
  const api = createTraceApi({ warehouse, control, clock: createWallClock() });
  const client = createApiClient((path) => api.handle(new Request(new URL(path, "http://api.test")), owner));
  return { workspace, client };
}

const NOON = "2026-11-29T12:00:00.";
const NOON_NS = BigInt(Date.parse(`${NOON}000Z`)) * 1_000_000n;
const TRACE = "5b8efff798038103d269b633813fc60c";

type Line = { afterNs: number; body: string; traceId?: string; session?: string; event?: string };

const logsOf = (service: string, lines: readonly Line[]) => ({
  resourceLogs: [
    {
      resource: { attributes: toAttributes({ "service.name": service }) },
      scopeLogs: [
        {
          scope: { name: "test" },
          logRecords: lines.map(({ afterNs, body, traceId = "", session = "", event = "" }) => ({
            timeUnixNano: String(NOON_NS + BigInt(afterNs)),
            observedTimeUnixNano: String(NOON_NS + 10n),
            severityNumber: 9,
            traceId,
            eventName: event,
            body: { stringValue: body },
            attributes: toAttributes({ "session.id": session }),
          })),
        },
      ],
    },
  ],
});

describe("log records", () => {
  it("are found by each filter, newest first, page by page, to the nanosecond", async () => {
    const { workspace, client } = openWorkspace();
    const lines = [
      { afterNs: 1, body: "one", traceId: TRACE, session: "s-1", event: "api_request" },
      { afterNs: 2, body: "two", traceId: TRACE },
      { afterNs: 3, body: "three", event: "tool_result" },
    ];
    await exportSignals(warehouse, workspace, "logs", logsOf("claude-code", lines));
    await exportSignals(warehouse, workspace, "logs", logsOf("codex", [{ afterNs: 4, body: "four", session: "s-1" }]));

    const bodies = async (query: Record<string, string>) =>
      (await client.logs(query)).data.map(({ body }) => body).join(" ");
    expect(await bodies({})).toBe("four three two one");
    expect(await bodies({ traceId: TRACE })).toBe("two one");
    expect(await bodies({ sessionId: "s-1" })).toBe("four one");
    expect(await bodies({ service: "codex" })).toBe("four");
    expect(await bodies({ eventName: "tool_result" })).toBe("three");
    expect(await bodies({ attribute: "session.id=s-1" })).toBe("four one");
    expect(await bodies({ from: `${NOON}000000002Z`, to: `${NOON}000000004Z` })).toBe("three two");

    const first = await client.logs({ limit: "3" });
    expect(first.data).toHaveLength(3);
    expect(await bodies({ limit: "3", cursor: first.nextCursor ?? expect.fail() })).toBe("one");

    expect((await client.logs({ traceId: TRACE })).data[1]).toEqual({
      at: `${NOON}000000001Z`,
      observedAt: `${NOON}000000010Z`,
      traceId: TRACE,
      spanId: "",
      severityNumber: 9,
      severityText: "",
      eventName: "api_request",
      body: "one",
      service: "claude-code",
      scopeName: "test",
      attributes: { "session.id": "s-1" },
      resourceAttributes: { "service.name": "claude-code" },
      hidden: [],
    });
  });

  it("sent twice show once, and never in another workspace", async () => {
    const [mine, others] = [openWorkspace(), openWorkspace()];
    const request = logsOf("codex", [{ afterNs: 1, body: "once" }]);
    for (let i = 0; i < 2; i++) await exportSignals(warehouse, mine.workspace, "logs", request);
    expect((await mine.client.logs()).data).toHaveLength(1);
    expect((await others.client.logs()).data).toEqual([]);
  });

  it("refuse a filter that there is not, a range turned round and a foreign cursor, by name", async () => {
    const { client } = openWorkspace();
    const cases = [
      [{ task: "T" }, "task"],
      [{ from: "2026-01-02", to: "2026-01-01" }, "to"],
      [{ cursor: "x" }, "cursor"],
      [{ attribute: "session.id" }, "attribute"],
    ] as const;
    for (const [query, field] of cases)
      await expect(client.logs(query)).rejects.toMatchObject({ code: "invalid_request", field });
  });
});

type Point = { type: string; count: string; atS: number; session: string };

const tokensOf = (points: readonly Point[], temporality = 2) => ({
  resourceMetrics: [
    {
      resource: { attributes: toAttributes({ "service.name": "claude-code" }) },
      scopeMetrics: [
        {
          metrics: [
            {
              name: "claude_code.token.usage",
              unit: "tokens",
              sum: {
                aggregationTemporality: temporality,
                isMonotonic: true,
                dataPoints: points.map(({ type, count, atS, session }) => ({
                  asInt: count,
                  startTimeUnixNano: String(NOON_NS),
                  timeUnixNano: String(NOON_NS + BigInt(atS) * 1_000_000_000n),
                  attributes: toAttributes({ type, model: "claude-fable-5", "session.id": session }),
                })),
              },
            },
          ],
        },
      ],
    },
  ],
});

const makeCall = (sessionId: string): RatedCall => ({
  ...EMPTY_CALL,
  sessionId,
  callId: "call-1",
  traceId: TRACE,
  spanId: "eee19b7ec3c1b174",
  atNs: NOON_NS,
  durationNs: 1n,
  provider: "anthropic",
  model: "claude-fable-5",
  dialect: "claude-code",
  inputSemantics: "exclusive",
  buckets: {
    input: 250,
    cacheRead: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    outputText: 40,
    outputReasoning: 0,
    webSearches: 0,
  },
  costStatus: "unpriced",
  costUsd: null,
  lines: [],
});

describe("metrics", () => {
  it("keep integers beyond a double exact, and what a type does not have is null", async () => {
    const { workspace, client } = openWorkspace();
    const point = { type: "input", count: "9007199254740993", atS: 60, session: "s-1" };
    await exportSignals(warehouse, workspace, "metrics", tokensOf([point]));
    const { data } = await client.metrics({
      name: "claude_code.token.usage",
      sessionId: "s-1",
      service: "claude-code",
    });
    expect(data).toMatchObject([
      {
        at: `2026-11-29T12:01:00.000000000Z`,
        startedAt: `${NOON}000000000Z`,
        value: "9007199254740993",
        temporality: "cumulative",
        monotonic: true,
        count: null,
        sum: null,
        bounds: [],
        contested: false,
      },
    ]);
    expect((await client.metrics({ name: "other" })).data).toEqual([]);
  });

  it("write doubles as the shortest text that reads back, infinities too", async () => {
    const { workspace, client } = openWorkspace();
    const histogram = {
      aggregationTemporality: 1,
      dataPoints: [
        {
          timeUnixNano: String(NOON_NS),
          count: "3",
          sum: 0.30000000000000004,
          explicitBounds: [0.1],
          bucketCounts: ["1", "2"],
          max: "Infinity",
        },
      ],
    };
    const request = { resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: "wait", unit: "s", histogram }] }] }] };
    await exportSignals(warehouse, workspace, "metrics", request);
    expect((await client.metrics()).data).toMatchObject([
      {
        startedAt: null,
        value: null,
        count: "3",
        sum: "0.30000000000000004",
        max: "Infinity",
        min: null,
        bounds: ["0.1"],
        bucketValues: ["1", "2"],
      },
    ]);
  });

  it("add up to totals: of a cumulative counter the latest, of a session that has calls only to check them", async () => {
    const { workspace, client } = openWorkspace();
    const points = [
      { type: "input", count: "100", atS: 60, session: "with-calls" },
      { type: "input", count: "250", atS: 120, session: "with-calls" },
      { type: "output", count: "40", atS: 120, session: "with-calls" },
      { type: "input", count: "7", atS: 60, session: "without" },
    ];
    await exportSignals(warehouse, workspace, "metrics", tokensOf(points));
    await exportSignals(warehouse, workspace, "metrics", tokensOf(points));
    await warehouse.insertCalls(workspace, [makeCall("with-calls")]);
    const { data } = await client.metricTotals();
    expect(
      data.map(({ sessionId, buckets, reconcileOnly }) => [
        sessionId,
        buckets.input,
        buckets.outputText,
        reconcileOnly,
      ]),
    ).toEqual([
      ["with-calls", 250, 40, true],
      ["without", 7, 0, false],
    ]);
    const { data: early } = await client.metricTotals({ to: "2026-11-29T12:01:30Z" });
    expect(early.map(({ buckets }) => buckets.input)).toEqual([100, 7]);
    expect((await client.calls()).data.map(({ sessionId }) => sessionId)).toEqual(["with-calls"]);
  });
});

it("sources say who sent which signal, and what a day brought", async () => {
  const { workspace, client } = openWorkspace();
  const startNs = createWallClock().nowNs();
  expect((await client.sources()).data).toEqual([]);
  await exportSignals(
    warehouse,
    workspace,
    "logs",
    logsOf("codex", [
      { afterNs: 1, body: "a" },
      { afterNs: 2, body: "b" },
    ]),
  );
  await exportSignals(warehouse, workspace, "metrics", tokensOf([{ type: "input", count: "1", atS: 1, session: "" }]));
  await exportSignals(warehouse, workspace, "metrics", {
    resourceMetrics: [
      {
        resource: { attributes: toAttributes({ "service.name": "codex" }) },
        scopeMetrics: [{ metrics: [{ name: "g", gauge: { dataPoints: [{ timeUnixNano: "1", asInt: "1" }] } }] }],
      },
    ],
  });
  const { data } = await client.sources();
  expect(data.map(({ service, signal, records24h }) => [service, signal, records24h])).toEqual([
    ["claude-code", "metrics", 1],
    ["codex", "logs", 2],
    ["codex", "metrics", 1],
  ]);
  for (const { lastReceivedAt, signal } of data) {
    expect(SIGNALS).toContain(signal);
    expect(Date.parse(lastReceivedAt)).toBeGreaterThanOrEqual(Number(startNs / 1_000_000n) - 1000);
  }
});
