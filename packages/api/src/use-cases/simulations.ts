/**
 * Simulations on request: a workspace's recorded calls on a described cluster, kept with their result. What can't be answered
 * is refused with the reason and what to collect, and that is kept too.
 */
import { CentspanError } from "@centspan/base";
import { type Call, simulationSchema } from "@centspan/model";
import { findEvidenceRefusals, refuse } from "@centspan/optimizer";
import {
  buildCluster,
  createOpenLoop,
  parseSimulationConfig,
  type RecordedCalls,
  readCalls,
  type SimulationResult,
  simulate,
  toServingRequests,
  toTraceRequests,
} from "@centspan/serving";
import { z } from "zod";
import { rangeShape, readFilter } from "../queries.ts";
import { type ApiDeps, type Caller, defineRoute } from "../route.ts";

/** A simulation of so many takes a tenth of a second, in which nobody else is answered. */
const MOST_CALLS = 4_000;
const PAGE = 1_000;

export const simulateCalls = defineRoute({
  id: "simulateCalls",
  method: "POST",
  mcp: "all",
  path: "/simulations",
  summary: "Simulates recorded calls on a cluster that is described, and keeps the result",
  needs: "simulations.run",
  query: z.strictObject({}),
  body: z.strictObject({
    config: z.record(z.string(), z.unknown()).default({}).describe("as `centspan simulate --print-config` has it"),
    calls: z
      .strictObject({ ...rangeShape, key: z.string().max(500).optional(), model: z.string().max(500).optional() })
      .prefault({}),
    traffic: z.number().min(0.01).max(100).default(1).describe("2 is twice the traffic"),
  }),
  answer: simulationSchema,
  successStatus: 201,
  async run({ deps, caller, body: { config: given, calls: filter, traffic } }) {
    const config = parseSimulationConfig(given);
    const calls = await listNewest({ deps, caller }, filter);
    const recorded = await readCalls(calls, { blockTokens: config.engine.blockTokens });
    const workload = {
      calls: calls.length,
      requests: recorded.requests.length,
      isCut: calls.length === MOST_CALLS,
      blocks: "estimated",
      traffic,
    };
    const refusals = findRefusals(recorded);
    const simulated =
      refusals.length > 0 ? null : run(recorded, { ...config, arrivalScale: config.arrivalScale / traffic });
    const refused = [...refusals, ...(simulated?.beyond ?? [])];
    return deps.control.insertSimulation(caller.workspace, {
      state: simulated === null || simulated.result === null ? "refused" : "done",
      config,
      workload,
      result: simulated?.result ?? null,
      calibration: { stepTime: config.stepTime },
      refused,
      provenance: "simulated",
    });
  },
});

export const readSimulation = defineRoute({
  id: "readSimulation",
  method: "GET",
  path: "/simulations/{id}",
  summary: "A simulation with its result, or why there is none",
  needs: "figures.read",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: simulationSchema,
  run: ({ deps, caller, params: { id = "" } }) => deps.control.readSimulation(caller.workspace, id),
});

type Filter = Omit<Parameters<typeof readFilter>[0], "limit" | "cursor">;

async function listNewest({ deps, caller }: { deps: ApiDeps; caller: Caller }, filter: Filter): Promise<Call[]> {
  const calls: Call[] = [];
  let cursor: string | null = null;
  do {
    const limit = Math.min(PAGE, MOST_CALLS - calls.length);
    const page: { data: Call[]; nextCursor: string | null } = await deps.warehouse.listCalls(
      caller.workspace,
      readFilter(filter),
      { limit, cursor },
    );
    calls.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null && calls.length < MOST_CALLS);
  // Of calls without a session those of one run are taken for one.
  return calls.map((call) => ({ ...call, sessionId: call.sessionId || call.runId }));
}

/** What a choice needs is more than a simulation does: a few requests can be simulated, none can't. */
function findRefusals({ requests, leftOut }: RecordedCalls) {
  if (requests.length > 0) return [];
  const { aggregates, withoutUsage, quarantined } = leftOut;
  const message = `no request: of the calls ${aggregates} stand for several requests, ${withoutUsage} have no usage, ${quarantined} are quarantined`;
  return findEvidenceRefusals({
    requests: 0,
    withoutFingerprints: 0,
    replicaKinds: [],
    capacityBlocks: 1,
    backwards: 0,
    calibrationRefusals: [],
  }).map((refusal) => ({ ...refusal, message }));
}

function run(recorded: RecordedCalls, config: ReturnType<typeof parseSimulationConfig>) {
  const { engine, arrivalScale } = config;
  const { blockTokens } = engine;
  const { cluster, price, support } = buildCluster(config);
  const requests = toServingRequests(toTraceRequests(recorded.requests), {
    traceBlockTokens: blockTokens,
    blockTokens,
    arrivalScale,
  });
  try {
    const result: SimulationResult = simulate(cluster, createOpenLoop(requests), { price, support });
    const { hitRate, ttftMs, tpotMs, tokensPerS, costPerMillionTokensUsd } = result;
    return {
      result: { hitRate, ttftMs, tpotMs, tokensPerS, costPerMillionTokensUsd },
      beyond: result.beyondSupport.map(({ message }) => refuse("outside_support", message)),
    };
  } catch (error) {
    if (error instanceof CentspanError && error.code === "invalid_request")
      return { result: null, beyond: [refuse("present_unservable", error.message)] };
    throw error;
  }
}
