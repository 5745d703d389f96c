/** One unit that is too much for the store at once, or for any deadline, beside others, on the real stores. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { parseInstant } from "@centspan/base";
import { type Control, openControl } from "@centspan/control";
import type { RatedCall, SpanRecord } from "@centspan/model";
import { listPrices } from "@centspan/pricing";
import { waitUntil } from "@centspan/testing";
import { openWarehouse, type Warehouse } from "@centspan/warehouse";
import { afterEach, beforeEach, expect, inject, it } from "vitest";
import { createRatingState, type RatingFault, runRatingPass } from "./rating-pass.ts";
import { NOTHING_UNRATED } from "./testing/nothing-unrated.ts";

const RULES = { readPrices: async () => ({ book: listPrices, ratingRunId: "run" }) };
const LARGE = 20_001;

let warehouse: Warehouse;
let control: Control;
let address: URL;
beforeEach(async () => {
  address = new URL(inject("clickhouseUrl"));
  address.pathname = `/large_${randomBytes(8).toString("hex")}`;
  warehouse = openWarehouse({ url: address.href });
  control = openControl({ url: inject("databaseUrl") });
  await Promise.all([warehouse.migrate(), control.migrate()]);
});
afterEach(() => Promise.all([warehouse.close(), control.close()]));

const makeTraceId = (): string => randomBytes(16).toString("hex");
const startedAtNs = parseInstant("2026-11-29T12:00:00Z") ?? 0n;

/** The first ones tell of these responses. */
const makeSpans = (traceId: string, count: number, service = "app", responses: string[] = []): SpanRecord[] =>
  Array.from({ length: count }, (_, index) => ({
    traceId,
    spanId: (index + 1).toString(16).padStart(16, "0"),
    parentSpanId: "",
    name: "chat",
    kind: "client",
    service,
    startedAtNs,
    endedAtNs: startedAtNs + 1n,
    status: "ok",
    statusMessage: "",
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-5.5",
      "gen_ai.usage.input_tokens": "5",
      "gen_ai.usage.output_tokens": "5",
      ...(responses[index] && { "gen_ai.response.id": responses[index] }),
    },
    resourceAttributes: {},
    scopeName: "",
    trusted: service === "centspan-gateway",
    events: [],
    links: [],
  }));

/** Each test has progress of its own. */
function openStores(from: Warehouse) {
  let watermarkNs: bigint | null = null;
  const jobs = {
    readJob: async () => (watermarkNs === null ? null : { watermarkNs, updatedAt: new Date(0) }),
    writeJob: async (_job: string, toNs: bigint) => {
      watermarkNs = toNs;
    },
  };
  return { feed: from, ledger: from, jobs, policies: control, unrated: NOTHING_UNRATED, recordedNs: () => watermarkNs };
}

const countCalls = async (workspace: string, traceId: string): Promise<number> =>
  (await warehouse.listCallIds(workspace, [traceId], 0n)).length;

it("rates every call of a huge trace, part by part, and others meanwhile", async () => {
  const [huge, small, gateway] = [makeTraceId(), makeTraceId(), makeTraceId()];
  const responses = ["r1", "r2", "r3"];
  await warehouse.insertSpans("hugger", makeSpans(huge, LARGE, "app", responses));
  await warehouse.insertSpans("neighbour", makeSpans(small, 3));
  const inserted: string[] = [];
  const insertCalls = async (workspace: string, calls: readonly RatedCall[]) => {
    await warehouse.insertCalls(workspace, calls);
    inserted.push(`${workspace} ${calls.length}`);
  };
  const stores = { ...openStores(warehouse), ledger: { ...warehouse, insertCalls } };
  const state = createRatingState();
  const pass = () => runRatingPass(stores, state, RULES);
  await waitUntil("the first part", async () => (await pass()) && inserted.includes("hugger 10000"), 60_000);
  expect(state.ratedThroughNs).toBeLessThan(state.watermarkNs ?? 0n);
  // More of it, and what others tell of the same responses, comes while it is in work.
  await warehouse.insertSpans("hugger", [...makeSpans(huge, LARGE + 1).slice(LARGE)]);
  await warehouse.insertSpans("hugger", makeSpans(gateway, 3, "centspan-gateway", responses));
  await waitUntil("all of it", async () => (await pass()).faults.length === 0 && state.inWork === null, 60_000);
  expect(inserted).toEqual(["neighbour 3", "hugger 10000", "hugger 3", "hugger 10000", "hugger 1"]);
  expect([await countCalls("hugger", huge), await countCalls("hugger", gateway)]).toEqual([LARGE - 3, 3]);
  // It rests, and is not rated again at once.
  expect(await pass()).toMatchObject({ units: 0 });
  expect(state.ratedThroughNs).toBeLessThan(state.watermarkNs ?? 0n);
}, 120_000);

/** A relay to the store that breaks off whatever mentions a text, as a deadline does. */
async function openCensor(text: string) {
  let isOn = true;
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    if (isOn && (incoming.url?.includes(text) || body.includes(text))) return outgoing.destroy();
    const { method, headers } = incoming;
    const far = request(new URL(incoming.url ?? "/", address), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    far.end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const bound = server.address();
  const url = new URL(address);
  url.port = String(typeof bound === "object" ? bound?.port : "");
  return {
    url: url.href,
    allow: () => {
      isOn = false;
    },
    close: () => server.close(),
  };
}

it("goes on with the others where the store fails one unit, and tries that again later", async () => {
  const [stuck, other] = [makeTraceId(), makeTraceId()];
  const censor = await openCensor(stuck);
  const behind = openWarehouse({ url: censor.url });
  await warehouse.insertSpans("stuck", makeSpans(stuck, 1));
  await warehouse.insertSpans("stuck", makeSpans(other, 1));
  let nowMs = 0;
  const state = createRatingState(() => nowMs);
  const stores = openStores(behind);
  const said: RatingFault[] = [];
  const { faults } = await runRatingPass(stores, state, RULES, (fault) => said.push(fault));
  expect(faults).toMatchObject([{ unit: { traceId: stuck }, error: { code: "store_unavailable" }, postponed: true }]);
  expect(said).toEqual(faults);
  expect([await countCalls("stuck", stuck), await countCalls("stuck", other)]).toEqual([0, 1]);
  // What a restart would begin with is before what is not rated.
  const recordedNs = stores.recordedNs() ?? 0n;
  const { changes } = await warehouse.listChangedUsage(recordedNs);
  expect(changes).toMatchObject([{ unit: { traceId: stuck } }, { unit: { traceId: other } }]);
  expect(state.watermarkNs).toBeGreaterThan(recordedNs);

  expect(await runRatingPass(stores, state, RULES)).toMatchObject({ units: 0, faults: [] });
  censor.allow();
  nowMs += 10_000;
  await waitUntil("it is rated", async () => {
    const result = await runRatingPass(stores, state, RULES);
    expect(result.faults).toEqual([]);
    return stores.recordedNs() === state.watermarkNs;
  });
  expect(await countCalls("stuck", stuck)).toBe(1);
  await behind.close();
  censor.close();
});

it("ends the pass when the store fails one unit after the other", async () => {
  const prefix = "feed";
  const censor = await openCensor(prefix);
  const behind = openWarehouse({ url: censor.url });
  for (let n = 0; n < 5; n += 1) await warehouse.insertSpans("all", makeSpans(prefix + makeTraceId().slice(4), 1));
  const said: RatingFault[] = [];
  const pass = runRatingPass(openStores(behind), createRatingState(), RULES, (fault) => said.push(fault));
  await expect(pass).rejects.toMatchObject({ code: "store_unavailable" });
  expect(said).toHaveLength(3);
  await behind.close();
  censor.close();
});
