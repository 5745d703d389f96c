/**
 * What recorded runs are replayed on: harness in this process, so that its spans are at hand, gateway and engine in
 * processes of their own. The engine plays the models, as fast as it can.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRandom } from "@centspan/base";
import {
  connectServers,
  createMechanisms,
  createResponsesClient,
  type Mechanism,
  openUnconfined,
  type ReplayResult,
  replayTrajectory,
} from "@centspan/harness";
import { readTrajectory, type Trajectory } from "@centspan/histories";
import { createMemoryExporter, startTelemetry } from "@centspan/telemetry";
import { findFreePorts, ROOT, type Running, startProcess } from "../../stack/processes.ts";
import { startGatewayStack } from "../gateway/gateway-stack.ts";

const READY = /^\{"ready":true.*$/m;
const START_DEADLINE_MS = 60_000;
const TIME_SCALE = "0.0001";
const SERVER = join(ROOT, "test/src/bench/harness/mcp-server.ts");

/** Of a run, turn by turn. */
export type ReplayedTurn = {
  bytesSent: number;
  inputTokens: number;
  cachedTokens: number;
  prefixKept: boolean;
};
export type Replayed = ReplayResult & {
  turns: number;
  perTurn: ReplayedTurn[];
  handshakes: number;
  compactions: number;
  /** What tools put out, and what of it entered the context. */
  outputBytes: number;
  shownBytes: number;
};

export type ReplayOptions = {
  trajectory: Trajectory;
  without?: readonly Mechanism[];
  /** Of an MCP server that lists them in random order. */
  tools?: number;
  maxTurns?: number;
  windowTokens?: number;
};

export type ReplayStack = {
  gatewayUrl: string;
  key: string;
  replay(options: ReplayOptions): Promise<Replayed>;
  /** Answers that the engine gave so far. */
  countCalls(): Promise<number>;
  end(): Promise<void>;
};

export const DEFAULT_WINDOW_TOKENS = 128_000;

export async function startReplayStack(files: readonly string[], contextTokens = 131_072): Promise<ReplayStack> {
  const engine = await startEngine(files, contextTokens);
  const stack = await startGatewayStack({
    upstreams: [{ name: "engine", provider: "centspan", replicas: [{ url: engine.url }] }],
  });
  const gateway = await stack.startGateway();
  const workDir = mkdtempSync(join(tmpdir(), "centspan-harness-bench-"));
  const exporter = createMemoryExporter();
  const telemetry = startTelemetry({ service: "bench", version: "0", otlpUrl: "", ingestKey: "", exporter });
  const { signal } = new AbortController();

  const replay = async ({ trajectory, without = [], ...options }: ReplayOptions): Promise<Replayed> => {
    const mechanisms = createMechanisms(without);
    const { tools = 0, maxTurns = 1_000, windowTokens = DEFAULT_WINDOW_TOKENS } = options;
    const program = { command: process.execPath, args: ["--import", "tsx", SERVER, String(tools)], env: {} };
    const servers = await connectServers(tools === 0 ? {} : { bench: program }, "0", signal);
    const retry = { maxTries: 3, baseDelayMs: 50, maxDelayMs: 1_000, random: createRandom(1) };
    const client = createResponsesClient({ gatewayUrl: gateway.url, connections: 1, retry, mechanisms });
    const usage: { inputTokens: number; cachedTokens: number }[] = [];
    exporter.reset();
    try {
      const result = await replayTrajectory(
        { trajectory, model: `replay-${trajectory.id}`, maxTurns },
        {
          ...{ client, mechanisms, windowTokens, servers, telemetry, workDir, signal },
          gatewayKey: stack.key,
          sandbox: openUnconfined(""),
          searchPath: "",
          version: "0",
          documents: [],
          report: (progress) => {
            if (progress.usage !== null) usage.push(progress.usage);
          },
        },
      );
      await telemetry.flush();
      return { ...result, ...readSpans(exporter.getFinishedSpans(), usage) };
    } finally {
      await client.close();
      await Promise.all(servers.map((server) => server.close()));
    }
  };

  return {
    gatewayUrl: gateway.url,
    key: stack.key,
    replay,
    async countCalls() {
      const settings = await fetch(`${engine.url}/v1/settings`);
      const { replicas }: { replicas: { finished: number }[] } = JSON.parse(await settings.text());
      return replicas.reduce((sum, { finished }) => sum + finished, 0);
    },
    async end() {
      await telemetry.stop();
      await stack.end();
      engine.running.child.kill("SIGTERM");
      await engine.running.exited;
      rmSync(workDir, { recursive: true, force: true });
    },
  };
}

async function startEngine(
  files: readonly string[],
  contextTokens: number,
): Promise<{ url: string; running: Running }> {
  const running = startProcess(["apps/engine/dist/main.js"], {
    CENTSPAN_PORT: String(await findFreePorts(1)),
    CENTSPAN_TIME_SCALE: TIME_SCALE,
    CENTSPAN_REPLAY_FILES: files.join(","),
    CENTSPAN_CONTEXT_TOKENS: String(contextTokens),
    // Its spans are nobody's here.
    CENTSPAN_OTLP_URL: "http://127.0.0.1:9",
  });
  const [line = ""] = await running.waitFor(READY, START_DEADLINE_MS);
  const { url }: { url: string } = JSON.parse(line);
  return { url, running };
}

type Spans = ReturnType<ReturnType<typeof createMemoryExporter>["getFinishedSpans"]>;

function readSpans(spans: Spans, usage: { inputTokens: number; cachedTokens: number }[]) {
  const named = (name: string) => spans.filter((span) => span.name === name || span.name.startsWith(`${name} `));
  const sum = (of: Spans, attribute: string): number =>
    of.reduce((total, { attributes }) => total + Number(attributes[attribute] ?? 0), 0);
  const turns = named("loop.turn").toSorted((a, b) => turnOf(a) - turnOf(b));
  const kept = named("context.build").map(({ attributes }) => attributes["centspan.prefix.kept"] === true);
  return {
    perTurn: turns.map(
      ({ attributes }, index): ReplayedTurn => ({
        bytesSent: Number(attributes["centspan.transport.bytes_sent"] ?? 0),
        inputTokens: usage[index]?.inputTokens ?? 0,
        cachedTokens: usage[index]?.cachedTokens ?? 0,
        prefixKept: kept[index] === true,
      }),
    ),
    handshakes: sum(turns, "centspan.transport.handshakes"),
    compactions: named("compaction").length,
    outputBytes: sum(named("execute_tool"), "centspan.tool.output_bytes"),
    shownBytes: sum(named("execute_tool"), "centspan.tool.sent_bytes"),
  };
}

const turnOf = ({ attributes }: Spans[number]): number => Number(attributes["centspan.turn.number"]);

export const readRecorded = (file: string): Trajectory => readTrajectory(file, readFileSync(file, "utf8"));

/** A run of as many turns as wanted, each as long as the others, for what must not depend on how long answers are. */
export function writeEvenRun(folder: string, turns: number): string {
  const step = (turn: number) => ({
    role: "assistant",
    content: `THOUGHT: step ${turn}\n\n\`\`\`bash\ncat part-${turn}.txt\n\`\`\``,
    extra: { response: { usage: { completion_tokens: 40 } } },
  });
  const observation = (turn: number) => ({
    role: "user",
    content: `part ${turn}\n${"A line of the file. ".repeat(100)}`,
  });
  const messages = Array.from({ length: turns }, (_, turn) => [step(turn + 100), observation(turn + 100)]).flat();
  const opening = [
    { role: "system", content: "You work step by step." },
    { role: "user", content: "Read all parts." },
  ];
  const file = join(folder, "even.traj.json");
  const run = { trajectory_format: "mini-swe-agent-1", instance_id: "even-run", messages: [...opening, ...messages] };
  writeFileSync(file, JSON.stringify(run));
  return file;
}
