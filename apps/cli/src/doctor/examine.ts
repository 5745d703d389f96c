/**
 * Asks every part of a stack how it is. Must not: judge. What could not be asked is null, with the reason beside it.
 */
import { type ApiClient, createApiClient, readCollectorStatus } from "@centspan/api";
import { asCentspanError, CentspanError, formatInstant } from "@centspan/base";
import type { CollectorStatus, SourceRow, UnratedRow } from "@centspan/model";
import { z } from "zod";
import { type CallSummary, summariseCalls } from "./summarise-calls.ts";

/** Where the parts are. What is null is not asked. */
export type Target = {
  /** Where these addresses come from, for people. */
  from: string;
  webUrl: string | null;
  otlpUrl: string | null;
  gatewayUrl: string | null;
  engineUrl: string | null;
  apiKey: string | null;
  ingestKey: string | null;
  workspace: string;
};

export type Part = { name: string; state: "ok" | "failing" | "away"; url: string | null; detail: string };

export type Examination = {
  at: string;
  workspace: string;
  addressesFrom: string;
  parts: Part[];
  /** Everything received before this instant is rated. */
  ratedThrough: string | null;
  collector: CollectorStatus | null;
  collectorProblem: string | null;
  sources: SourceRow[] | null;
  calls: CallSummary | null;
  /** What could not be rated; those that failed last come first. */
  unrated: UnratedRow[] | null;
  /** Why these could not be read. */
  apiProblem: string | null;
};

const PATIENCE_MS = 3_000;
const CALLS_OF_NS = 7n * 86_400n * 1_000_000_000n;
/** Health answers of all services: 200, or 503 with what is away. */
const healthSchema = z.looseObject({ away: z.array(z.string()).optional(), message: z.string().optional() });

export async function examine(target: Target, nowNs: bigint): Promise<Examination> {
  const [collectorAnswer, web, ...others] = await Promise.all([
    readCollector(target),
    target.webUrl === null ? null : askWeb(target.webUrl),
    askPart("collector", target.otlpUrl),
    askPart("gateway", target.gatewayUrl),
    askPart("engine", target.engineUrl),
  ]);
  const answered = await readFigures(target, web, nowNs);
  return {
    at: formatInstant(nowNs),
    workspace: target.workspace,
    addressesFrom: target.from,
    parts: [...(web?.parts ?? []), ...others.filter((part) => part !== null)],
    ratedThrough: web?.ratedThrough ?? null,
    ...collectorAnswer,
    ...answered,
  };
}

async function askPart(name: string, url: string | null): Promise<Part | null> {
  if (url === null) return null;
  const response = await send(new URL("/health", url).href).catch(() => null);
  if (response === null) return { name, url, state: "away", detail: "nothing answers" };
  const health = healthSchema.safeParse(await response.json().catch(() => null)).data;
  const detail = [health?.message, health?.away?.length ? `away: ${health.away.join(", ")}` : undefined]
    .filter((text) => text !== undefined)
    .join("; ");
  if (response.ok) return { name, url, state: "ok", detail };
  return { name, url, state: "failing", detail: detail === "" ? `answered ${response.status}` : detail };
}

type Web = { parts: Part[]; ratedThrough: string | null; answers: boolean };

const STORE_NAMES: Record<string, string> = { warehouse: "ClickHouse", control: "PostgreSQL" };

async function askWeb(url: string): Promise<Web> {
  try {
    const { stores, ratedThrough } = await createApiClient((path) => send(new URL(path, url).href)).health();
    const parts = Object.entries(stores).map(
      ([name, state]): Part => ({ name, url: null, state, detail: STORE_NAMES[name] ?? "" }),
    );
    return { parts: [...parts, { name: "web", url, state: "ok", detail: "" }], ratedThrough, answers: true };
  } catch (thrown) {
    const away = thrown instanceof TypeError || (thrown instanceof Error && thrown.name === "TimeoutError");
    const part: Part = away
      ? { name: "web", url, state: "away", detail: "nothing answers" }
      : { name: "web", url, state: "failing", detail: "what answers is not the Trace API" };
    return { parts: [part], ratedThrough: null, answers: false };
  }
}

async function readCollector({
  otlpUrl,
  ingestKey,
}: Target): Promise<Pick<Examination, "collector" | "collectorProblem">> {
  if (otlpUrl === null) return { collector: null, collectorProblem: "no address of the collector is known" };
  try {
    return { collector: await readCollectorStatus(otlpUrl, ingestKey ?? undefined), collectorProblem: null };
  } catch (thrown) {
    return { collector: null, collectorProblem: asCentspanError(thrown).message };
  }
}

type Figures = Pick<Examination, "sources" | "calls" | "unrated" | "apiProblem">;

async function readFigures(target: Target, web: Web | null, nowNs: bigint): Promise<Figures> {
  const none = (apiProblem: string): Figures => ({ sources: null, calls: null, unrated: null, apiProblem });
  if (target.webUrl === null || web === null) return none("no address of the Trace API is known");
  if (!web.answers) return none("the Trace API does not answer");
  if (target.apiKey === null) return none("no key of the Trace API is known; set CENTSPAN_API_KEY");
  try {
    const api = openApi(target.webUrl, target.apiKey, target.workspace);
    const [{ data: sources }, calls, { data: unrated }] = await Promise.all([
      api.sources(),
      summariseCalls(api, formatInstant(nowNs - CALLS_OF_NS)),
      api.unrated(),
    ]);
    return { sources, calls, unrated, apiProblem: null };
  } catch (thrown) {
    if (thrown instanceof CentspanError) return none(thrown.message);
    throw thrown;
  }
}

function openApi(webUrl: string, apiKey: string, workspace: string): ApiClient {
  return createApiClient((path) => {
    const url = new URL(path, webUrl);
    url.searchParams.set("workspace", workspace);
    return send(url.href, { authorization: `Bearer ${apiKey}` });
  });
}

const send = (url: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, { headers, signal: AbortSignal.timeout(PATIENCE_MS) });
