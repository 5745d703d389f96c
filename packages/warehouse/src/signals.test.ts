import type { LogFilter, LogRecord, MetricFilter } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { useWarehouse } from "./testing/create-warehouse.ts";
import { exportSignals, toAttributes } from "./testing/export-signals.ts";
import { makeSpan, NOON_NS, traceId } from "./testing/records.ts";

const test = useWarehouse();
let workspaces = 0;
const freshWorkspace = (): string => `w${++workspaces}`;

type Line = { at: number; body: string; service: string; session: string; event: string };

/** A request with the lines of one service. */
const logRequest = (service: string, lines: readonly Omit<Line, "service">[]) => ({
  resourceLogs: [
    {
      resource: { attributes: toAttributes({ "service.name": service }) },
      scopeLogs: [
        {
          scope: { name: "scope" },
          logRecords: lines.map(({ at, body, session, event }) => ({
            timeUnixNano: `${NOON_NS + BigInt(at)}`,
            observedTimeUnixNano: `${NOON_NS + 1000n}`,
            traceId: traceId(at + 1),
            spanId: "00000000000000ab",
            severityNumber: 9,
            severityText: "INFO",
            eventName: event,
            body: { stringValue: body },
            attributes: toAttributes({ "session.id": session, color: body }),
          })),
        },
      ],
    },
  ],
});

const readPages = async (workspace: string, filter: LogFilter, limit: number): Promise<LogRecord[]> => {
  const records: LogRecord[] = [];
  let cursor: string | null = null;
  do {
    const page = await test.warehouse.listLogs(workspace, filter, { limit, cursor });
    records.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return records;
};

describe("logs", () => {
  it("come back with every field", async () => {
    const workspace = freshWorkspace();
    const line = { at: 1, body: "ünïcode\n", session: "s", event: "api_request" };
    await exportSignals(test.warehouse, workspace, "logs", [logRequest("claude-code", [line])]);
    expect(await readPages(workspace, {}, 5)).toEqual([
      {
        atNs: NOON_NS + 1n,
        observedAtNs: NOON_NS + 1000n,
        traceId: traceId(2),
        spanId: "00000000000000ab",
        severityNumber: 9,
        severityText: "INFO",
        eventName: "api_request",
        body: "ünïcode\n",
        service: "claude-code",
        attributes: { "session.id": "s", color: "ünïcode\n" },
        resourceAttributes: { "service.name": "claude-code" },
        scopeName: "scope",
      },
    ]);
  });

  it("are the same as a list that was never paged, whatever was sent again", async () => {
    const anyLine = fc.record({
      at: fc.integer({ min: 0, max: 3 }),
      body: fc.constantFrom("red", "blue"),
      session: fc.constantFrom("s", "t"),
      event: fc.constantFrom("", "api_request"),
    });
    const anyRequest = fc.record({
      service: fc.constantFrom("a", "b"),
      lines: fc.array(anyLine, { minLength: 1, maxLength: 5 }),
    });
    const maybe = <T>(...values: T[]) => fc.constantFrom(undefined, ...values);
    const anyFilter = fc.record({
      range: maybe({ fromNs: NOON_NS + 1n, toNs: NOON_NS + 3n }),
      traceId: maybe(traceId(2)),
      sessionId: maybe("s"),
      service: maybe("b"),
      eventName: maybe("api_request"),
      attribute: maybe({ key: "color", value: "red" }, { key: "none", value: "" }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRequest, { minLength: 1, maxLength: 6 }),
        fc.array(fc.nat({ max: 5 }), { maxLength: 4 }),
        anyFilter,
        fc.integer({ min: 1, max: 4 }),
        async (requests, retries, chosen, limit) => {
          const workspace = freshWorkspace();
          const bodies = requests.map(({ service, lines }) => logRequest(service, lines));
          const again = retries.flatMap((index) => bodies[index] ?? []);
          // Some retries come in the same block, some in a later one.
          await exportSignals(test.warehouse, workspace, "logs", [...bodies, ...again.slice(0, 2)]);
          if (again.length > 2) await exportSignals(test.warehouse, workspace, "logs", again.slice(2));

          const filter = Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined));
          const pages = await readPages(workspace, filter, limit);
          expect(pages.map(summarise).sort()).toEqual(listSlowly(requests, chosen).sort());
          const instants = pages.map(({ atNs }) => atNs);
          expect(instants).toEqual(instants.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0)));
        },
      ),
      { numRuns: 25 },
    );
  });

  it("refuse a cursor of another list", async () => {
    for (const id of ["1", "1.2", "1.2.x", "1.2.99999999999999999999"]) {
      const cursor = Buffer.from(`5:${id}`).toString("base64url");
      await expect(test.warehouse.listLogs("w", {}, { limit: 1, cursor })).rejects.toMatchObject({ field: "cursor" });
    }
  });
});

const summarise = ({ atNs, body, service, attributes, eventName }: LogRecord): string =>
  JSON.stringify([Number(atNs - NOON_NS), body, service, attributes["session.id"], eventName]);

/** What the requests say, each once; filtered by looking at every line. */
function listSlowly(
  requests: readonly { service: string; lines: readonly Omit<Line, "service">[] }[],
  { range, traceId: trace, sessionId, service, eventName, attribute }: { [Name in keyof LogFilter]: LogFilter[Name] },
): string[] {
  const once = new Map(requests.map((request) => [JSON.stringify(request), request]));
  return [...once.values()]
    .flatMap((request) => request.lines.map((line) => ({ ...line, service: request.service })))
    .filter((line) => range === undefined || (line.at >= 1 && line.at < 3))
    .filter((line) => trace === undefined || traceId(line.at + 1) === trace)
    .filter((line) => sessionId === undefined || line.session === sessionId)
    .filter((line) => service === undefined || line.service === service)
    .filter((line) => eventName === undefined || line.event === eventName)
    .filter((line) => attribute === undefined || (attribute.key === "color" && line.body === attribute.value))
    .map((line) => JSON.stringify([line.at, line.body, line.service, line.session, line.event]));
}

type Point = { at: number; color?: string; value?: object };
const metricRequest = (
  kind: "gauge" | "sum" | "histogram" | "summary",
  points: readonly Point[],
  name: string = kind,
) => ({
  resourceMetrics: [
    {
      resource: { attributes: toAttributes({ "service.name": "vllm" }) },
      scopeMetrics: [
        {
          metrics: [
            {
              name,
              unit: "1",
              description: "what it is",
              [kind]: {
                ...(kind === "sum" && { aggregationTemporality: 2, isMonotonic: true }),
                ...(kind === "histogram" && { aggregationTemporality: 1 }),
                dataPoints: points.map(({ at, color = "red", value }) => ({
                  timeUnixNano: `${NOON_NS + BigInt(at)}`,
                  startTimeUnixNano: `${NOON_NS}`,
                  attributes: toAttributes({ color, "session.id": `session-${color}` }),
                  ...value,
                })),
              },
            },
          ],
        },
      ],
    },
  ],
});

describe("metrics", () => {
  const read = async (workspace: string, filter: MetricFilter = {}, limit = 100) => {
    const points: Awaited<ReturnType<typeof test.warehouse.listMetricPoints>>["data"] = [];
    let cursor: string | null = null;
    do {
      const page = await test.warehouse.listMetricPoints(workspace, filter, { limit, cursor });
      points.push(...page.data);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return points;
  };

  it("come back with every number of their type, exactly", async () => {
    const workspace = freshWorkspace();
    await exportSignals(test.warehouse, workspace, "metrics", [
      metricRequest("gauge", [
        { at: 1, value: { asDouble: 0.1 } },
        { at: 2, value: { asDouble: "Infinity" } },
        { at: 3, value: { asDouble: "NaN" } },
        { at: 4, value: { flags: 1 } },
      ]),
      metricRequest("sum", [{ at: 5, value: { asInt: "9223372036854775807" } }]),
      metricRequest("histogram", [
        {
          at: 6,
          value: { count: "3", sum: 1.5, min: 0.25, max: 1, explicitBounds: [0.5, 2], bucketCounts: ["1", "2", "0"] },
        },
      ]),
      metricRequest("summary", [
        { at: 7, value: { count: "2", sum: 3, quantileValues: [{ quantile: 0.5, value: 1.25 }] } },
      ]),
    ]);
    const points = await read(workspace);
    const numbers = points.map(({ type, value, count, sum, min, max, bounds, bucketValues }) => {
      return [type, value, count, sum, min, max, bounds, bucketValues];
    });
    expect(numbers).toEqual([
      ["summary", null, 2n, 3, null, null, [0.5], [1.25]],
      ["histogram", null, 3n, 1.5, 0.25, 1, [0.5, 2], [1, 2, 0]],
      ["sum", "9223372036854775807", null, null, null, null, [], []],
      ["gauge", null, null, null, null, null, [], []],
      ["gauge", "NaN", null, null, null, null, [], []],
      ["gauge", "Infinity", null, null, null, null, [], []],
      ["gauge", "0.1", null, null, null, null, [], []],
    ]);
    expect(points[2]).toMatchObject({
      name: "sum",
      unit: "1",
      description: "what it is",
      temporality: "cumulative",
      monotonic: true,
      service: "vllm",
      attributes: { color: "red", "session.id": "session-red" },
      resourceAttributes: { "service.name": "vllm" },
      startedAtNs: NOON_NS,
      atNs: NOON_NS + 5n,
    });
  });

  it("count one value for an instant of a series: the first, marked where others came", async () => {
    const workspace = freshWorkspace();
    const send = (value: number, ...colors: string[]) =>
      exportSignals(test.warehouse, workspace, "metrics", [
        metricRequest(
          "sum",
          colors.map((color) => ({ at: 1, color, value: { asDouble: value } })),
        ),
      ]);
    await send(1, "red", "blue");
    await send(1, "red");
    await send(2, "blue");
    const check = async () => {
      const points = await read(workspace, {}, 1);
      const shown = points.map(({ attributes, value, contested }) => [attributes.color, value, contested]);
      expect(shown.sort()).toEqual([
        ["blue", "1", true],
        ["red", "1", undefined],
      ]);
    };
    await check();
    await test.connection.command("OPTIMIZE TABLE metrics FINAL");
    await check();
  });

  it("are paged newest first and filtered", async () => {
    const workspace = freshWorkspace();
    const points = Array.from({ length: 7 }, (_, i) => ({
      at: Math.floor(i / 3),
      color: `c${i}`,
      value: { asDouble: i },
    }));
    await exportSignals(test.warehouse, workspace, "metrics", [
      metricRequest("sum", points, "a"),
      metricRequest("gauge", points, "b"),
    ]);
    const paged = await read(workspace, {}, 2);
    expect(paged.map(({ name, value }) => `${name}${value}`).sort()).toEqual(
      points.flatMap(({ value }) => [`a${value.asDouble}`, `b${value.asDouble}`]).sort(),
    );
    const instants = paged.map(({ atNs }) => Number(atNs - NOON_NS));
    expect(instants).toEqual(instants.toSorted((a, b) => b - a));
    const values = async (filter: MetricFilter) => (await read(workspace, filter)).map(({ value }) => value).sort();
    expect(await values({ name: "a", range: { fromNs: NOON_NS + 1n, toNs: NOON_NS + 2n } })).toEqual(["3", "4", "5"]);
    expect(await values({ sessionId: "session-c5" })).toEqual(["5", "5"]);
    expect(await values({ service: "other" })).toEqual([]);
  });
});

it("names who sent what, when last, and how much of late", async () => {
  const workspace = freshWorkspace();
  await test.warehouse.insertSpans(workspace, [makeSpan(), makeSpan({ service: "engine" })]);
  await test.warehouse.insertSpans(workspace, [makeSpan()]);
  const line = { at: 1, body: "x", session: "s", event: "" };
  await exportSignals(test.warehouse, workspace, "logs", [logRequest("codex", [line, line])]);
  const sources = await test.warehouse.listSources(workspace);
  expect(sources.map(({ signal, service, records }) => [signal, service, records])).toEqual([
    ["traces", "engine", 1],
    ["traces", "harness", 2],
    ["logs", "codex", 2],
  ]);
  for (const { lastReceivedAtNs } of sources) {
    expect(Math.abs(Number(lastReceivedAtNs / 1_000_000n) - Date.now())).toBeLessThan(600_000);
  }
});
