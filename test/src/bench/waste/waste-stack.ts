/**
 * What planted runs go through: stores, collector, worker, two engines behind a gateway, a small one, and a keyed provider; and
 * where plants use them, an engine that is busy, one that forgets, and gateways that check or are slow.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom } from "@centspan/base";
import { type Control, openControl } from "@centspan/control";
import type { KeyKind } from "@centspan/model";
import { openWarehouse, type Warehouse } from "@centspan/warehouse";
import { startIngestStack, WORKSPACE } from "../../stack/ingest-stack.ts";
import { findFreePorts, type Running, startProcess } from "../../stack/processes.ts";
import { playRun } from "./agent.ts";
import { type Listening, listenOnLoopback } from "./listen.ts";
import { type Recording, writeRecordings } from "./recordings.ts";
import { nonce, scrawl } from "./words.ts";

const READY = /^\{"ready":true.*$/m;
const START_DEADLINE_MS = 60_000;
/** Slow enough for a client to leave in the middle of an answer. */
const TIME_SCALE = "0.3";
/** Of 64 tokens: what four or five of the conversations have. */
const SMALL_BLOCKS = 480;
/** How long the engine that forgets keeps what nobody asks for. */
export const RETENTION_S = 3;
/** Longer than answers take. */
const CHECK_MS = 2_500;
/** The first two tokens that are drafted are always right, others never. */
const ACCEPTANCE = [1, 1, 0, 0, 0, 0, 0, 0, 0, 0];

/** Models of the stack, by how their prompts are cached there, or by what they answer. */
export const MODELS = {
  plain: "scripted-strong",
  small: "scripted-cheap",
  keyed: "scripted-tools",
  long: "replay-long",
  calls: "replay-calls",
  waits: "replay-waits",
} as const;
export type ModelName = keyof typeof MODELS;

/** What plants use beside the first gateway and its engines. */
export type Part = "busy" | "forgetful" | "other" | "slow";

export type EngineSettings = { draftTokens: number; chunkedPrefill: boolean };

export type WasteStack = {
  gatewayUrl: string;
  /** Of the gateways that plants use. */
  urlOf(part: "other" | "slow"): string;
  otlpUrl: string;
  key: string;
  /** Its answers wait for their checks. */
  holdingKey: string;
  /** For what runs leave behind. */
  folder: string;
  recording: Recording;
  setBusy(settings: EngineSettings): Promise<void>;
  warehouse: Warehouse;
  query<Row>(sql: string): Promise<Row[]>;
  /** Up to when all that came was looked at. */
  wasteFoundToNs(): Promise<bigint>;
  end(): Promise<void>;
};

export async function startWasteStack(
  parts: ReadonlySet<Part>,
  seed: number,
  say: (text: string) => void,
): Promise<WasteStack> {
  const stack = await startIngestStack();
  const folder = mkdtempSync(join(tmpdir(), "centspan-waste-"));
  const running: Running[] = [];
  const control = openControl({ url: stack.stores.DATABASE_URL });
  const warehouse = openWarehouse({ url: stack.clickhouseUrl });
  const classifier = parts.has("other") ? await startClassifier() : null;
  const end = async (): Promise<void> => {
    for (const { child } of running) child.kill("SIGTERM");
    await Promise.all(running.map(({ exited }) => exited));
    await Promise.all([warehouse.close(), control.close(), classifier?.close()]);
    await stack.end();
    rmSync(folder, { recursive: true, force: true });
  };
  const start = async (args: string[], env: Record<string, string> = {}): Promise<string> => {
    const port = String(await findFreePorts(1));
    const telemetry = { CENTSPAN_PORT: port, CENTSPAN_OTLP_URL: stack.otlpUrl };
    const started = startProcess(args, { ...telemetry, ...env });
    running.push(started);
    const [line = ""] = await started.waitFor(READY, START_DEADLINE_MS);
    return JSON.parse(line).url;
  };
  try {
    // First: its port is chosen already.
    await stack.worker.start();
    const { files, recording } = writeRecordings(mkdirIn(folder, "recordings"), createRandom(seed));
    const startEngine = (id: string, env: Record<string, string> = {}): Promise<string> =>
      start(["apps/engine/dist/main.js"], {
        CENTSPAN_REPLICA_ID: id,
        CENTSPAN_TIME_SCALE: TIME_SCALE,
        CENTSPAN_REPLAY_FILES: files.join(","),
        ...env,
      });
    const [near, far, small] = [
      await startEngine("near"),
      await startEngine("far"),
      await startEngine("small", { CENTSPAN_KV_BLOCKS: String(SMALL_BLOCKS) }),
    ];
    const busy = parts.has("busy")
      ? await startEngine("busy", { CENTSPAN_DRAFT_ACCEPTANCE: ACCEPTANCE.join(",") })
      : near;
    const forgetful = parts.has("forgetful")
      ? await startEngine("forgetful", { CENTSPAN_KV_RETENTION_S: String(RETENTION_S) })
      : near;
    const provider = startProcess(["--import", "tsx", "test/src/bench/waste/provider.ts", near]);
    running.push(provider);
    const [, port] = await provider.waitFor(/^port (\d+)$/m, START_DEADLINE_MS);
    const upstream = (name: ModelName, ...replicas: object[]) => ({
      name,
      provider: "centspan",
      models: [MODELS[name]],
      replicas,
    });
    const upstreams = [
      upstream("plain", { url: near, region: "a" }, { url: far, region: "b" }),
      upstream("small", { url: small }),
      upstream("keyed", { url: `http://127.0.0.1:${port}` }),
      upstream("long", { url: busy }),
      upstream("calls", { url: near }),
      upstream("waits", { url: forgetful }),
    ];
    const file = join(folder, "upstreams.json");
    writeFileSync(file, JSON.stringify({ region: "a", upstreams }));
    await addPrices(control);
    const createKey = async (name: string, rules: object = {}, kind: KeyKind = "gateway"): Promise<string> =>
      (await control.createKey({ workspace: WORKSPACE, name, kind, team: null, rules }, "bench")).secret;
    const key = await createKey("corpus");
    const ingestKey = await createKey("spans", {}, "gateway-ingest");
    const startGateway = (flags: string[] = [], env: Record<string, string> = {}): Promise<string> =>
      start([...flags, "apps/gateway/dist/main.js"], {
        ...stack.stores,
        CENTSPAN_UPSTREAMS_FILE: file,
        CENTSPAN_INGEST_KEY: ingestKey,
        ...env,
      });
    const gatewayUrl = await startGateway();
    const gateways = {
      other:
        classifier &&
        (await startGateway([], {
          CENTSPAN_SAFETY_CLASSIFIER_URL: classifier.url,
          CENTSPAN_SAFETY_CLASSIFIER_TIMEOUT_MS: String(4 * CHECK_MS),
        })),
      slow: parts.has("slow") ? await startGateway(INTERPRETED, { CENTSPAN_CPU_MODEL: "an older one" }) : null,
    };
    if (gateways.slow !== null) say(await learnCosts([gatewayUrl, gateways.slow], key, seed));
    return {
      gatewayUrl,
      urlOf: (part) => gateways[part] ?? gatewayUrl,
      otlpUrl: stack.otlpUrl,
      key,
      holdingKey: await createKey("holding", { safety: "hold" }),
      folder,
      recording,
      async setBusy(settings) {
        const headers = { "content-type": "application/json" };
        const answer = await fetch(`${busy}/v1/settings`, { method: "PATCH", headers, body: JSON.stringify(settings) });
        if (!answer.ok) throw new Error(`the engine's settings: ${await answer.text()}`);
      },
      warehouse,
      query: stack.query,
      wasteFoundToNs: async () => (await control.readJob("waste"))?.watermarkNs ?? 0n,
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** A processor that is several times as slow at all that is written in JavaScript: without V8's compilers and its memory of types. */
const INTERPRETED = ["--no-opt", "--no-maglev", "--no-sparkplug", "--no-use-ic"];

function mkdirIn(folder: string, name: string): string {
  const made = join(folder, name);
  mkdirSync(made);
  return made;
}

/** What recordings are played costs as much as what the strong model answers. */
async function addPrices(control: Control): Promise<void> {
  const perMillion = {
    input: "3",
    cache_read: "0.30",
    cache_write_5m: "3",
    cache_write_1h: "3",
    output_text: "15",
  };
  const contract = (model: string) => ({
    id: model,
    scope: "org" as const,
    scopeId: "",
    provider: "centspan",
    model,
    from: "2025-01-01",
    terms: { kind: "absolute" as const, perMillion },
    source: "the corpus",
  });
  const contracts = [MODELS.long, MODELS.calls, MODELS.waits].map(contract);
  await control.addPriceTerms(WORKSPACE, { contracts, exchangeRates: [] }, "bench", () => undefined);
}

/** Allows everything, after a while. */
const startClassifier = (): Promise<Listening> =>
  listenOnLoopback(
    createServer((incoming, answer) => {
      incoming.resume();
      void sleep(CHECK_MS).then(() => {
        answer.writeHead(200, { "content-type": "application/json" });
        answer.end(JSON.stringify({ allowed: true }));
      });
    }),
  );

const WARMING_CALLS = 40;
/** Nearly all of a call is the work on its prompt, as in runs that are slow, and fifty of them take the slow gateway some seconds. */
const LEARNING_WORDS = 700;
const LEARNING_RUNS = 3;
const LEARN_DEADLINE_MS = 180_000;
/** Gateways learn and compare every ten seconds, from fifty calls on. */
const VISIT_MS = 11_000;

/**
 * Both gateways do so much that they learn what a call costs them, and that one of them is slower. What it takes the fast one to
 * compile its code is nothing to learn from, so that is over before. Says what came of it: where the machine has too much else
 * to do, nothing is learned.
 */
async function learnCosts([fast, slow]: readonly [string, string], key: string, seed: number): Promise<string> {
  const random = createRandom(seed);
  const ask = async (url: string): Promise<void> => {
    const news = [{ type: "message", role: "user", content: scrawl(random, LEARNING_WORDS) }];
    const turn = { model: MODELS.plain, instructions: nonce(random), tools: [], news, maxOutputTokens: 1 };
    await playRun(url, { runId: `flood-${nonce(random)}`, task: "flood", key }, [turn]);
  };
  for (let n = 0; n < WARMING_CALLS; n++) await ask(fast);
  await sleep(VISIT_MS);
  let isLearned = false;
  const work = async (url: string): Promise<void> => {
    while (!isLearned) await ask(url);
  };
  const working = [fast, slow].flatMap((url) => Array.from({ length: LEARNING_RUNS }, () => work(url)));
  const readWeight = async (): Promise<number> => JSON.parse(await (await fetch(`${slow}/health`)).text()).weight;
  try {
    const endMs = Date.now() + LEARN_DEADLINE_MS;
    while ((await readWeight()) === 100 && Date.now() < endMs) await sleep(500);
    // Once more, from whole intervals of both.
    await sleep(2 * VISIT_MS);
    return `the slow gateway has a weight of ${await readWeight()}`;
  } finally {
    isLearned = true;
    await Promise.all(working);
  }
}
