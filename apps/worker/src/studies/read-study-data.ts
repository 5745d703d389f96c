/**
 * What a study is about, from the stores: the traffic of an engine by its own spans, or recorded calls, with the present settings
 * and what is known against either. What is missing is a refusal with what to collect.
 */
import { CentspanError, formatDecimal, parseInstant } from "@centspan/base";
import type {
  Call,
  EngineFacts,
  EngineRequest,
  EngineTimeReader,
  Ledger,
  SearchInput,
  ServedRequest,
  TimeRange,
  WasteStore,
} from "@centspan/model";
import {
  type Advised,
  type Cost,
  createDefaultSpace,
  cutComparableSteps,
  cutMeasuredWork,
  describeEngine,
  describeFullReplica,
  describeServed,
  type EngineTraffic,
  type Evidence,
  findEvidenceRefusals,
  fromAsked,
  fromCalls,
  mergeEngine,
  type OptimizerRefusal,
  readEngineRequests,
  type ServedCalibration,
  STUDY_WINDOW,
  type StepCalibration,
  type StudyData,
  type TaskWaste,
  type Traffic,
  toObserved,
} from "@centspan/optimizer";
import { parseSimulationConfig, readCalls, type SimulationConfig, type Support } from "@centspan/serving";
import { PREFIX_BLOCK_TOKENS } from "@centspan/tokens";

export type StudyReader = Pick<Ledger, "listCalls" | "sumCosts"> & Pick<WasteStore, "sumWaste"> & EngineTimeReader;

/** More than this of one engine or key is a sample of its beginning. */
const MOST_REQUESTS = 50_000;
const MOST_STEPS = 100_000;
const PAGE = 1_000;
const LAST_NS = 2n ** 63n - 1n;

export type StudySubject = {
  data: StudyData;
  evidence: Evidence;
  measured: readonly Cost[] | number | null;
  source: string;
  traceIds: readonly string[];
  calibration: Calibration | null;
};

type Calibration = StepCalibration | ServedCalibration;

export type ReadSubject = { subject: StudySubject } | { refusals: OptimizerRefusal[]; calibration: Calibration | null };

export const readSubject = (reader: StudyReader, workspace: string, asked: SearchInput): Promise<ReadSubject> =>
  asked.service === undefined
    ? readCallSubject(reader, workspace, asked)
    : readEngineSubject(reader, { workspace, service: asked.service }, asked);

export const toRange = ({ from, to }: { from?: string | undefined; to?: string | undefined }): TimeRange => ({
  fromNs: readInstant(from, 0n),
  toNs: readInstant(to, LAST_NS),
});

function readInstant(text: string | undefined, fallback: bigint): bigint {
  const ns = text === undefined ? fallback : parseInstant(text);
  if (ns === null) throw new CentspanError("invalid_request", `${text} is no time`, { field: "traffic" });
  return ns;
}

async function readCallSubject(reader: StudyReader, workspace: string, asked: SearchInput): Promise<ReadSubject> {
  const config = parseSimulationConfig(asked.config);
  const { from, to, key, model } = asked.traffic;
  const range = toRange({ from, to });
  const filter = { range, ...(key !== undefined && { key }), ...(model !== undefined && { model }) };
  const concurrent = asked.concurrent ?? null;
  const [recorded, seen] = await Promise.all([
    readCalls(listAllCalls(reader, workspace, filter), { blockTokens: config.engine.blockTokens }),
    reader.listAskedRequests(workspace, filter, MOST_REQUESTS),
  ]);
  const { traffic, evidence, source, traceIds } = fromAsked(seen, recorded, config, {
    concurrent,
    keyTokens: PREFIX_BLOCK_TOKENS,
  }) ?? { ...fromCalls(recorded, config, concurrent), traceIds: [] };
  const data = toData(asked, { config, traffic, support: null });
  return { subject: { data, evidence, measured: null, source, traceIds, calibration: null } };
}

/** Newest first, as many as are taken. Of calls without a session those of one run are taken for one. */
async function* listAllCalls(
  reader: StudyReader,
  workspace: string,
  filter: Parameters<StudyReader["listCalls"]>[1],
): AsyncGenerator<Call> {
  let read = 0;
  let cursor: string | null = null;
  do {
    const page: { data: Call[]; nextCursor: string | null } = await reader.listCalls(workspace, filter, {
      limit: PAGE,
      cursor,
    });
    for (const call of page.data) yield { ...call, sessionId: call.sessionId || call.runId };
    read += page.data.length;
    cursor = page.nextCursor;
  } while (cursor !== null && read < MOST_REQUESTS);
}

export type EngineSource = { workspace: string; service: string };

async function readEngineSubject(reader: StudyReader, source: EngineSource, asked: SearchInput): Promise<ReadSubject> {
  const { workspace, service } = source;
  const [spans, machine, requests] = await Promise.all([
    readSpans(reader, source, toRange(asked.traffic)),
    asked.machine === undefined ? undefined : readSpans(reader, source, toRange(asked.machine)),
    listRequests(reader, source, toRange(asked.traffic)),
  ]);
  if (spans.facts.length === 0) {
    const served = await reader.listServedRequests(workspace, service, toRange(asked.traffic), MOST_REQUESTS);
    if (served.length > 0) return readServedSubject(source, served, asked);
  }
  const { engine, refusals, calibration } = describeEngine(source.service, spans, machine);
  if (engine === null) return { refusals, calibration };
  const config = mergeEngine(parseSimulationConfig(asked.config), engine);
  const { traffic, evidence, arrivedAtNs, traceIds } = readTraffic(requests, spans.facts, config);
  const data = toData(asked, { config, traffic, support: engine.support });
  const full = describeFullReplica(data.present, traffic);
  const measured =
    full === null
      ? null
      : cutMeasuredWork(cutComparableSteps(spans.steps.map(toObserved), traffic, arrivedAtNs), full, 1);
  const from = `the engine ${source.service}`;
  return { subject: { data, evidence, measured, source: from, traceIds, calibration } };
}

/** Of an engine that reports requests and no steps, and nothing of itself. */
function readServedSubject(
  { service }: EngineSource,
  served: readonly ServedRequest[],
  asked: SearchInput,
): ReadSubject {
  const config = parseSimulationConfig(asked.config);
  const { blockTokens, capacityBlocks } = config.engine;
  const { traffic, requests, evidence, traceIds } = readEngineRequests(served, {
    blockTokens,
    keyTokens: PREFIX_BLOCK_TOKENS,
  });
  const all: Evidence = {
    ...evidence,
    replicaKinds: [service],
    // Where it is not stated, what was described says so.
    capacityBlocks: capacityBlocks ?? 0,
    calibrationRefusals: [],
  };
  const described = describeServed(service, served, requests, { config, stated: asked.config });
  const { calibration, modelError } = described;
  if (described.config === null || calibration === null)
    return { refusals: [...findEvidenceRefusals(all), ...described.refusals], calibration };
  const data = toData(asked, { config: described.config, traffic, support: calibration.support, priorities: false });
  const source = `the engine ${service}`;
  return { subject: { data, evidence: all, measured: modelError, source, traceIds, calibration } };
}

export function readTraffic(
  requests: readonly EngineRequest[],
  facts: readonly EngineFacts[],
  { engine }: Pick<SimulationConfig, "engine">,
): Omit<EngineTraffic, "evidence" | "requests"> & { evidence: Evidence } {
  const read = readEngineRequests(requests, { blockTokens: engine.blockTokens });
  const evidence: Evidence = {
    ...read.evidence,
    replicaKinds: facts.map(({ service, basis }) => `${service}, ${basis} times`),
    capacityBlocks: engine.capacityBlocks,
    calibrationRefusals: [],
  };
  return { ...read, evidence };
}

/** Of the service alone. */
export async function readSpans(reader: StudyReader, { workspace, service }: EngineSource, range: TimeRange) {
  const [steps, facts] = await Promise.all([
    reader.listEngineSteps(workspace, range, MOST_STEPS),
    reader.listEngineFacts(workspace, range),
  ]);
  const of = <T extends { service: string }>(rows: readonly T[]): T[] => rows.filter((row) => row.service === service);
  return { steps: of(steps), facts: of(facts) };
}

export const listRequests = (
  reader: StudyReader,
  { workspace, service }: EngineSource,
  range: TimeRange,
): Promise<EngineRequest[]> => reader.listEngineRequests(workspace, service, range, MOST_REQUESTS);

type Known = { config: SimulationConfig; traffic: Traffic; support: Support | null; priorities?: boolean };

function toData(asked: SearchInput, { config, traffic, support, priorities = true }: Known): StudyData {
  const present = { ...config, priorities };
  const { limits, objective, seed, beyondSupport: ignoreSupport } = asked;
  const values = asked.space ?? createDefaultSpace(present);
  return { ...STUDY_WINDOW, present, values, traffic, limits, objective, seed, ignoreSupport, support };
}

/** Of each task that a key which had the waste has paid for, in that time. Calls of no task are nobody's work to compare. */
export async function readTaskWaste(
  reader: StudyReader,
  workspace: string,
  { cause, keys }: Advised,
  range: TimeRange,
): Promise<(TaskWaste & { requests: number })[]> {
  const asked = { groupBy: "task", timeZone: "UTC" } as const;
  const ofKeys = await Promise.all(
    keys.map(async (key) => {
      const [costs, waste] = await Promise.all([
        reader.sumCosts(workspace, { ...asked, filter: { key, range } }),
        reader.sumWaste(workspace, { ...asked, filter: { key, range, cause } }),
      ]);
      const wasted = new Map(waste.map(({ group, costUsd }) => [group, Number(formatDecimal(costUsd))]));
      return costs
        .filter(({ group }) => group !== "")
        .map(({ group, costUsd, requests }) => ({
          spentUsd: Number(formatDecimal(costUsd)),
          wastedUsd: wasted.get(group) ?? 0,
          requests,
        }));
    }),
  );
  return ofKeys.flat();
}
