/**
 * The engine as it is, on time that goes on by itself, for benchmarks and tests: the same traffic has the same spans at each run
 * and on each machine. Where its sessions are played, each request follows the answer before it.
 */
import { listen } from "@centspan/service";
import type { Session } from "@centspan/serving";
import { createMemoryExporter, startTelemetry } from "@centspan/telemetry";
import { configSchema } from "./config.ts";
import { type Engine, openEngine } from "./engine.ts";
import { createEngineServer } from "./server.ts";
import { createVirtualTime } from "./virtual-time.ts";

const exporter = createMemoryExporter();
const telemetry = startTelemetry({
  service: "centspan-engine",
  version: "virtual",
  otlpUrl: "",
  ingestKey: "",
  exporter,
});

export type VirtualEngine = {
  engine: Engine;
  /** Of its HTTP face, for settings: who asks for answers there is on the wall clock. */
  url: string;
  /** Nobody asks for anything until then. */
  rest(untilNs: bigint): Promise<void>;
  /** So many sessions at a time; resolves when all have been answered. */
  play(sessions: readonly Session[], concurrent: number): Promise<void>;
  /** Spans ended since the last call, of all virtual engines of the process. */
  takeSpans(): ReturnType<typeof exporter.getFinishedSpans>;
  stop(): Promise<void>;
};

/** `settings`: as in the environment. */
export async function startVirtualEngine(settings: Record<string, string>, originNs: bigint): Promise<VirtualEngine> {
  const config = configSchema.parse({ CENTSPAN_PORT: "0", ...settings });
  const time = createVirtualTime(originNs);
  const engine = await openEngine(config, telemetry.tracer, time);
  const app = createEngineServer(engine);
  const url = await listen(app, { host: "127.0.0.1", port: 0 });
  let played = 0;
  return {
    engine,
    url,
    rest: (untilNs) => time.createPace().reach(untilNs),
    async play(sessions, concurrent) {
      played += 1;
      const prefix = `play ${originNs} ${played}`;
      const waiting = sessions.map((session, at) => ({ session, name: `${prefix} session ${at}` }));
      const run = async (): Promise<void> => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
          await playSession(engine, next.session, next.name);
      };
      await Promise.all(Array.from({ length: concurrent }, run));
    },
    takeSpans() {
      const spans = [...exporter.getFinishedSpans()];
      exporter.reset();
      return spans;
    },
    async stop() {
      await engine.stop();
      await app.close();
    },
  };
}

async function playSession(engine: Engine, { thread, priority }: Session, name: string): Promise<void> {
  const ignore = (): void => undefined;
  for (const [turn, { gapNs: _gap, subAgents: _agents, waitsForThem: _waits, ...asked }] of thread.entries())
    await new Promise<void>((resolve, reject) => {
      engine.start({
        ...asked,
        ...(priority !== undefined && { priority }),
        id: `${name} turn ${turn}`,
        thread: { runId: name.replaceAll(" ", "-"), threadId: "main" },
        headers: {},
        onBegun: ignore,
        onToken: ignore,
        onFinished: () => resolve(),
        onFailed: reject,
      });
    });
}
