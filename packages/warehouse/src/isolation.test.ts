import { formatDecimal } from "@centspan/base";
import { BUCKET_OF_METER, EMPTY_BUCKETS, type PriceTable } from "@centspan/model";
import { beforeAll, expect, it } from "vitest";
import type { Warehouse } from "./index.ts";
import { useWarehouse } from "./testing/create-warehouse.ts";
import { exportSignals } from "./testing/export-signals.ts";
import {
  makeCall,
  makeLine,
  makeOutcome,
  makeSpan,
  makeWasteItem,
  NOON_NS,
  spanId,
  traceId,
} from "./testing/records.ts";

/** Two workspaces with the same ids throughout; what differs says whose it is. */
const test = useWarehouse();
const OWNERS = ["red", "blue"] as const;
const PAGE = { limit: 10, cursor: null };
/** A workspace of the same owner where a task was tried twice, and an outcome is of no work. */
const triesOf = (owner: string): string => `tries of ${owner}`;

beforeAll(async () => {
  for (const owner of OWNERS) {
    const usage = {
      ...{ "gen_ai.usage.input_tokens": "1", "centspan.run.id": "run" },
      ...{ "gen_ai.latency.time_to_first_token": "0.1", "gen_ai.usage.prompt_tokens": "1" },
      ...{ "centspan.prefix.fingerprint": "f", "gen_ai.usage.output_tokens": "1" },
      "gen_ai.usage.completion_tokens": owner === "red" ? "1" : "2",
      "centspan.prefix.block_keys": owner,
    };
    await test.warehouse.insertSpans(owner, [
      makeSpan({
        name: owner,
        attributes: usage,
        links: [{ traceId: traceId(2), spanId: spanId(2), attributes: {} }],
      }),
      makeSpan({ name: owner, traceId: traceId(2), spanId: spanId(2), startedAtNs: NOON_NS - 1n }),
      // Of a replica, so that it is no run.
      makeSpan({
        name: "inference.decode.step",
        traceId: traceId(3),
        attributes: { "centspan.step.batch_size": owner === "red" ? "1" : "2" },
      }),
      makeSpan({
        name: "inference.kv.lookup",
        traceId: traceId(3),
        spanId: spanId(3),
        // Of a request, so that it begins no run.
        parentSpanId: spanId(1),
        attributes: {
          ...{ "centspan.kv.policy": owner, "centspan.engine.request_id": "request" },
          ...{ "centspan.prompt.tokens": "70", "centspan.prefix.block_keys": owner },
        },
      }),
      makeSpan({
        name: "inference.queue",
        traceId: traceId(3),
        spanId: spanId(4),
        parentSpanId: spanId(1),
        attributes: { "centspan.engine.request_id": "request" },
      }),
    ]);
    const cost = owner === "red" ? "1" : "2";
    const meter = owner === "red" ? "input" : "output_text";
    const lines = [makeLine({ meter, quantity: Number(cost) })];
    const buckets = { ...EMPTY_BUCKETS, [BUCKET_OF_METER[meter]]: Number(cost) };
    await test.warehouse.insertCalls(owner, [
      makeCall("call", { key: owner, task: "task", runId: "run", sessionId: `session ${owner}`, buckets, lines }),
    ]);
    await test.warehouse.insertOutcomes(owner, [
      makeOutcome("outcome", { source: owner, status: owner === "red" ? "passed" : "failed" }),
    ]);
    const tries = triesOf(owner);
    await test.warehouse.insertCalls(tries, [
      makeCall("first", { task: owner, runId: "1", lines }),
      makeCall("second", { task: owner, runId: "2", lines, atNs: NOON_NS + 1n }),
    ]);
    await test.warehouse.insertOutcomes(tries, [makeOutcome("lost", { source: owner, subject: { task: "nobody's" } })]);
    const place = { repository: owner, branch: "main", commit: "", pullRequest: "", patchId: "" };
    for (const workspace of [owner, tries])
      await test.warehouse.insertWorkMarks(workspace, [
        { traceId: traceId(1), sessionId: "", atNs: NOON_NS, ...place },
      ]);
    const wasted = makeWasteItem(1, { key: owner, provenance: "derived" });
    await test.warehouse.replaceWaste(owner, new Map([["run run", [wasted]]]));
    await exportSignals(test.warehouse, owner, "logs", [
      { resourceLogs: [{ scopeLogs: [{ logRecords: [{ timeUnixNano: "1", body: { stringValue: owner } }] }] }] },
    ]);
    await exportSignals(test.warehouse, owner, "metrics", [
      {
        resourceMetrics: [
          {
            scopeMetrics: [{ metrics: [{ name: owner, gauge: { dataPoints: [{ timeUnixNano: "1", asInt: "1" }] } }] }],
          },
        ],
      },
    ]);
  }
});

/** Every question of the ports, with the part of its answer that tells the owner. */
const QUESTIONS: Record<string, (warehouse: Warehouse, workspace: string) => Promise<unknown[]>> = {
  listTraces: async (w, ws) =>
    (await w.listTraces(ws, { runId: "run" }, PAGE)).data.map(({ name, key, calls, outcome }) => [
      name,
      key,
      calls,
      outcome,
    ]),
  readTraceHead: async (w, ws) => {
    const head = await w.readTraceHead(ws, traceId(1));
    return [head?.name, head?.key, head?.calls, head?.outcome];
  },
  readTrace: async (w, ws) => {
    const { spans, conflictingSpanIds } = await w.readTrace(ws, traceId(1));
    return [...spans.map(({ name }) => name), conflictingSpanIds];
  },
  readSkeleton: async (w, ws) => [...(await w.readSkeleton(ws, traceId(1))).columns.names],
  readSpanRows: async (w, ws) => {
    const own = await w.readSpanRows(ws, traceId(1), { spanIds: [spanId(1)], linked: true });
    return [...own, ...(await w.readSpanRows(ws, traceId(1), { name: ws, limit: 9 }))].map(({ name }) => name);
  },
  sumSpanWaste: async (w, ws) => [...(await w.sumSpanWaste(ws, traceId(1))).keys()].map((id) => [ws, id]),
  readSpan: async (w, ws) => [(await w.readSpan(ws, traceId(1), spanId(1)))?.name],
  readUsage: async (w, ws) =>
    (await w.readUsage(ws, [{ kind: "trace", traceId: traceId(1) }])).flatMap(({ spans }) => spans.map((s) => s.name)),
  listLogs: async (w, ws) => (await w.listLogs(ws, {}, PAGE)).data.map(({ body }) => body),
  listMetricPoints: async (w, ws) => (await w.listMetricPoints(ws, {}, PAGE)).data.map(({ name }) => name),
  listSources: async (w, ws) => (await w.listSources(ws)).map(({ signal, records }) => [signal, records]),
  listSessionsWithCalls: (w, ws) => w.listSessionsWithCalls(ws, [`session ${ws}`]),
  listCallIds: (w, ws) => w.listCallIds(ws, [traceId(1)], 0n),
  listCalls: async (w, ws) =>
    (await w.listCalls(ws, { traceId: traceId(1) }, PAGE)).data.map(({ key, lines }) => [
      key,
      lines.map(({ meter }) => meter),
    ]),
  readCalls: async (w, ws) => (await w.readCalls(ws, ["call"])).map(({ key, lines }) => [key, lines.length]),
  sumTraceCalls: async (w, ws) => (await w.sumTraceCalls(ws, traceId(1))).map(({ calls }) => calls),
  sumCosts: async (w, ws) => (await w.sumCosts(ws, query("key"))).map(({ group, calls }) => [group, calls]),
  sumCostsByMeter: async (w, ws) => (await w.sumCosts(ws, query("meter"))).map(({ group }) => group),
  listMeterSpend: async (w, ws) => (await w.listMeterSpend(ws, {})).map(({ meter }) => meter),
  listDailySpend: async (w, ws) => (await w.listDailySpend(ws, query("key"))).map(({ group }) => group),
  sumTeams: async (w, ws) => (await w.sumTeams(ws, ALL_TIME)).map(({ exactUsd }) => formatDecimal(exactUsd)),
  readFirstPostedNs: async (w, ws) => [(await w.readFirstPostedNs(ws)) ?? undefined],
  readNextPostedNs: async (w, ws) => [(await w.readNextPostedNs(ws, 0n)) ?? undefined],
  listCharges: async (w, ws) => {
    const keys: string[] = [];
    for await (const charges of w.listCharges(ws, ALL_TIME, "UTC")) keys.push(...charges.map(({ key }) => key));
    return keys;
  },
  listMinuteTokens: async (w, ws) => {
    const filter = { provider: "centspan", models: ["scripted-strong"], scope: "org", scopeIds: [] } as const;
    return (await w.listMinuteTokens(ws, ALL_TIME, "UTC", filter)).map(({ tokens }) => tokens);
  },
  listEngineSteps: async (w, ws) =>
    (await w.listEngineSteps(ws, ALL_TIME, 10)).map(({ decodeSequences }) => decodeSequences),
  listEngineRequests: async (w, ws) =>
    (await w.listEngineRequests(ws, "harness", ALL_TIME, 9)).map(({ blockKeys }) => blockKeys),
  listServedRequests: async (w, ws) =>
    (await w.listServedRequests(ws, "harness", ALL_TIME, 9)).map(({ outputTokens }) => outputTokens),
  listAskedRequests: async (w, ws) =>
    (await w.listAskedRequests(ws, { range: ALL_TIME }, 9)).map(({ blockKeys }) => blockKeys),
  listCallShapes: async (w, ws) => (await w.listCallShapes(ws, ALL_TIME)).map(({ key, calls }) => [key, calls]),
  listEngineSpells: async (w, ws) => (await w.listEngineSpells(ws, ALL_TIME)).map(({ policy }) => policy),
  listEngineFacts: async (w, ws) => (await w.listEngineFacts(ws, ALL_TIME)).map(({ policies }) => policies[0]),
  sumEngineTime: async (w, ws) => (await w.sumEngineTime(ws, ALL_TIME)).map(({ decodeTokens }) => decodeTokens),
  sumUsage: async (w, ws) => {
    const providers = ["centspan"];
    return (await w.sumUsage(ws, { range: ALL_TIME, providers, by: ["key"], cells: "quarters" })).map(({ key }) => key);
  },
  listCallClasses: async (w, ws) =>
    (await w.listCallClasses(ws, { range: ALL_TIME, scopes: UNPRICED.scopes })).map(({ model }) => model),
  previewCosts: async (w, ws) =>
    (await w.previewCosts(ws, { table: UNPRICED, range: ALL_TIME, groupBy: "key" })).map(({ group }) => group),
  listTaskSpend: async (w, ws) => (await w.listTaskSpend(ws, query("key"))).map(({ group, status }) => [group, status]),
  sumWaste: async (w, ws) =>
    (await w.sumWaste(ws, { groupBy: "key", filter: {}, timeZone: "UTC" })).map(({ group }) => group),
  sumWasteTotals: async (w, ws) => {
    const { spendUsd, repeatedUsd } = await w.sumWasteTotals(ws, {});
    return [spendUsd, repeatedUsd].filter((amount) => amount.gt("0")).map(formatDecimal);
  },
  sumTraceWaste: async (w, ws) => [...(await w.sumTraceWaste(ws, [traceId(1)])).values()].map(formatDecimal),
  listWaste: async (w, ws) => (await w.listWaste(ws, {}, 10)).map(({ key }) => key),
  listFixes: async (w, ws) => (await w.listFixes(ws, {}, 10)).flatMap(({ keys }) => keys),
  readRuns: async (w, ws) => {
    const runs = await w.readRuns(ws, [{ run: "run run", traceIds: [traceId(1)], seenNs: 0n }], []);
    return [...runs.values()].map(({ calls, outcomes }) => [calls.map(({ key }) => key).join(), ...outcomes.values()]);
  },
  readTraceFacts: async (w, ws) => {
    const { calls, spans } = await w.readTraceFacts(ws, traceId(1), []);
    return [...calls.map(({ key }) => key), ...spans.map(({ name }) => name)];
  },
  sliceTasks: async (w, ws) =>
    (await w.sliceTasks(triesOf(ws), { ...query("team"), mostSingle: 0 })).flatMap(({ attempts }) =>
      attempts.map(({ costUsd }) => formatDecimal(costUsd)),
    ),
  listOpenSpend: async (w, ws) =>
    (await w.listOpenSpend(triesOf(ws), { ...query("team"), limit: 9 })).dearest.map(({ costUsd }) =>
      formatDecimal(costUsd),
    ),
  listUnlinked: async (w, ws) =>
    (await w.listUnlinked(triesOf(ws), { sinceNs: 0n, limit: 9 })).outcomes.map(({ source }) => source),
  listMarks: async (w, ws) => {
    const branches = OWNERS.map((repository) => ({ repository, branch: "main" }));
    return (await w.listMarks(triesOf(ws), { tasks: [...OWNERS], branches, sinceNs: 0n })).map(
      (mark) => mark.repository,
    );
  },
  listFinishedRuns: async (w, ws) => (await w.listFinishedRuns(ws, 0n)).runs.map((run) => run.traceId).sort(),
  readWorkOfTraces: async (w, ws) => {
    const works = await w.readWorkOfTraces(ws, [traceId(1), traceId(2)]);
    return [...works.values()].map(({ repository }) => repository);
  },
  readWorkFacts: async (w, ws) => {
    const { marks, spend } = await w.readWorkFacts(triesOf(ws), undefined);
    return [...marks.map(({ repository }) => repository), ...spend.map(({ calls }) => calls)];
  },
  listWorkSeconds: async (w, ws) =>
    (await w.listWorkSeconds(ws, undefined, [traceId(1)])).map(({ costUsd }) => formatDecimal(costUsd)),
  readLinkFacts: async (w, ws) => (await w.readLinkFacts(ws, 0n)).outcomes.map(({ source }) => source),
  listOutcomes: async (w, ws) => (await w.listOutcomes(ws, {})).map(({ source }) => source),
};
const ALL_TIME = { fromNs: 0n, toNs: 2n ** 63n - 1n };
const UNPRICED: PriceTable = {
  scopes: { keyIds: [], teams: [] },
  classes: [
    {
      callClass: {
        provider: "centspan",
        model: "scripted-strong",
        serviceTier: "",
        region: "",
        keyId: "",
        team: "",
      },
      timeCutsNs: [],
      contextCuts: [],
      minuteCuts: [],
      prices: [{ timeBand: 0, contextBand: 0, minuteBand: 0, price: null }],
    },
  ],
};
const query = <T>(groupBy: T) => ({ groupBy, filter: {}, timeZone: "UTC" });

const ANSWERS: Record<string, Record<(typeof OWNERS)[number], unknown[]>> = {
  listTraces: { red: [["red", "red", 1, "passed"]], blue: [["blue", "blue", 1, "failed"]] },
  readTraceHead: { red: ["red", "red", 1, "passed"], blue: ["blue", "blue", 1, "failed"] },
  readTrace: { red: ["red", "red", []], blue: ["blue", "blue", []] },
  readSkeleton: { red: ["red"], blue: ["blue"] },
  readSpanRows: { red: ["red", "red", "red"], blue: ["blue", "blue", "blue"] },
  sumSpanWaste: { red: [["red", spanId(1)]], blue: [["blue", spanId(1)]] },
  readSpan: { red: ["red"], blue: ["blue"] },
  readUsage: { red: ["red"], blue: ["blue"] },
  listLogs: { red: ["red"], blue: ["blue"] },
  listMetricPoints: { red: ["red"], blue: ["blue"] },
  listSources: {
    red: [
      ["traces", 5],
      ["logs", 1],
      ["metrics", 1],
    ],
    blue: [
      ["traces", 5],
      ["logs", 1],
      ["metrics", 1],
    ],
  },
  listSessionsWithCalls: { red: ["session red"], blue: ["session blue"] },
  listCallIds: { red: ["call"], blue: ["call"] },
  listCalls: { red: [["red", ["input"]]], blue: [["blue", ["output_text"]]] },
  readCalls: { red: [["red", 1]], blue: [["blue", 1]] },
  sumTraceCalls: { red: [1], blue: [1] },
  sumCosts: { red: [["red", 1]], blue: [["blue", 1]] },
  sumCostsByMeter: { red: ["input"], blue: ["output_text"] },
  listMeterSpend: { red: ["input"], blue: ["output_text"] },
  listDailySpend: { red: ["red"], blue: ["blue"] },
  sumTeams: { red: ["0.000003"], blue: ["0.000006"] },
  readFirstPostedNs: { red: [NOON_NS], blue: [NOON_NS] },
  readNextPostedNs: { red: [NOON_NS], blue: [NOON_NS] },
  listCharges: { red: ["red"], blue: ["blue"] },
  listMinuteTokens: { red: [1], blue: [2] },
  listEngineSteps: { red: [1], blue: [2] },
  listEngineRequests: { red: ["red"], blue: ["blue"] },
  listServedRequests: { red: [1], blue: [2] },
  listAskedRequests: { red: ["red"], blue: ["blue"] },
  listCallShapes: { red: [["red", 1]], blue: [["blue", 1]] },
  listEngineSpells: { red: ["red"], blue: ["blue"] },
  listEngineFacts: { red: ["red"], blue: ["blue"] },
  sumEngineTime: { red: [1], blue: [2] },
  sumUsage: { red: ["red"], blue: ["blue"] },
  listCallClasses: { red: ["scripted-strong"], blue: ["scripted-strong"] },
  previewCosts: { red: ["red"], blue: ["blue"] },
  listTaskSpend: { red: [["red", "passed"]], blue: [["blue", "failed"]] },
  sumWaste: { red: ["red"], blue: ["blue"] },
  sumWasteTotals: { red: ["0.000003", "0.25"], blue: ["0.000006", "0.25"] },
  sumTraceWaste: { red: ["0.25"], blue: ["0.25"] },
  listWaste: { red: ["red"], blue: ["blue"] },
  listFixes: { red: ["red"], blue: ["blue"] },
  readRuns: { red: [["red", "passed"]], blue: [["blue", "failed"]] },
  readTraceFacts: { red: ["red", "red"], blue: ["blue", "blue"] },
  sliceTasks: { red: ["0.000003", "0.000003"], blue: ["0.000006", "0.000006"] },
  listOpenSpend: { red: ["0.000006"], blue: ["0.000012"] },
  listUnlinked: { red: ["red"], blue: ["blue"] },
  listMarks: { red: ["red"], blue: ["blue"] },
  listFinishedRuns: { red: [traceId(1), traceId(2)], blue: [traceId(1), traceId(2)] },
  readWorkOfTraces: { red: ["red"], blue: ["blue"] },
  readWorkFacts: { red: ["red", 2], blue: ["blue", 2] },
  listWorkSeconds: { red: ["0.000003"], blue: ["0.000006"] },
  readLinkFacts: { red: ["red"], blue: ["blue"] },
  listOutcomes: { red: ["red"], blue: ["blue"] },
};

it.each(Object.keys(QUESTIONS))("%s answers from one workspace only", async (name) => {
  const ask = QUESTIONS[name] ?? (() => Promise.reject(new Error(name)));
  for (const owner of OWNERS) expect(await ask(test.warehouse, owner)).toEqual(ANSWERS[name]?.[owner]);
  for (const stranger of ["", "re", "red'", "red%"]) {
    const nothing = await ask(test.warehouse, stranger);
    expect(nothing.flat().filter((value) => value !== undefined)).toEqual([]);
  }
});

it("asks every reader of the ports", () => {
  const readers = Object.keys(test.warehouse).filter((name) => /^(list|read|sum|preview)/.test(name));
  const acrossWorkspaces = ["listChangedUsage", "listChangedRuns", "listSightings", "listLinkNews"];
  expect(readers.filter((name) => !(name in QUESTIONS) && !acrossWorkspaces.includes(name))).toEqual([]);
});

it("reports changed traces with the workspace they are in", async () => {
  const { changes } = await test.warehouse.listChangedUsage(0n);
  expect(changes.map(({ workspace, unit }) => [workspace, unit])).toEqual(
    expect.arrayContaining([
      ["blue", { kind: "trace", traceId: traceId(1) }],
      ["red", { kind: "trace", traceId: traceId(1) }],
    ]),
  );
  expect(changes).toHaveLength(2);
});
