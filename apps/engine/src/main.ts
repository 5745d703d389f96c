/** Starts the engine from the environment. */
import { createWallClock } from "@centspan/base";
import { listen, readConfig, runMain } from "@centspan/service";
import { startTelemetry } from "@centspan/telemetry";
import { configSchema } from "./config.ts";
import { openEngine } from "./engine.ts";
import { createWallTime } from "./pace.ts";
import { createEngineServer } from "./server.ts";

await runMain("engine", async () => {
  const config = readConfig(configSchema, process.env);
  const telemetry = startTelemetry({
    service: "centspan-engine",
    version: process.env.CENTSPAN_VERSION ?? "dev",
    otlpUrl: config.CENTSPAN_OTLP_URL,
    ingestKey: config.CENTSPAN_INGEST_KEY,
    parentsAreGiven: true,
    resource: { "service.instance.id": config.CENTSPAN_REPLICA_ID },
  });
  const engine = await openEngine(config, telemetry.tracer, createWallTime(createWallClock()));
  const app = createEngineServer(engine);
  const url = await listen(app, { host: config.CENTSPAN_HOST, port: config.CENTSPAN_PORT });
  return {
    ready: { url, models: engine.players.models },
    async stop() {
      await engine.stop();
      await app.close();
      await telemetry.stop();
    },
  };
});
