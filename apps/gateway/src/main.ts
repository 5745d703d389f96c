/** The gateway as a process: configuration, key store, telemetry, upstream, ready line. */
import { openControl } from "@centspan/control";
import { createCredentialCache, listen, readConfig, runMain } from "@centspan/service";
import { startTelemetry } from "@centspan/telemetry";
import { createAllowedTexts } from "./allowed-texts.ts";
import { configSchema } from "./config.ts";
import { createGateway } from "./create-gateway.ts";
import { createRateLimit } from "./rate-limit.ts";
import { safetyChecks } from "./registry.gen.ts";
import { createTokenizerPool } from "./stages/tokenize.ts";
import { createUpstream } from "./upstream/upstream.ts";

await runMain("gateway", async () => {
  const config = readConfig(configSchema, process.env);
  const control = openControl({ url: config.DATABASE_URL });
  const telemetry = startTelemetry({
    service: "centspan-gateway",
    version: process.env.CENTSPAN_VERSION ?? "0",
    otlpUrl: config.CENTSPAN_OTLP_URL,
    ingestKey: config.CENTSPAN_INGEST_KEY,
  });
  const upstream = createUpstream({
    url: config.CENTSPAN_UPSTREAM_URL,
    key: config.CENTSPAN_UPSTREAM_KEY,
    provider: config.CENTSPAN_UPSTREAM_PROVIDER,
  });
  const perMinute = config.CENTSPAN_RATE_LIMIT_PER_MINUTE;
  const app = createGateway({
    tracer: telemetry.tracer,
    admit: {
      credentials: createCredentialCache({ find: (secret) => control.findPrincipal(secret) }),
      rateLimit: perMinute === undefined ? null : createRateLimit({ perMinute }),
    },
    safety: {
      checks: safetyChecks,
      policy: config.CENTSPAN_SAFETY_POLICY,
      allowed: createAllowedTexts(),
    },
    tokenizers: createTokenizerPool(),
    upstreams: [upstream],
    stores: { postgres: () => control.ping() },
  });
  const url = await listen(app, { host: config.CENTSPAN_HOST, port: config.CENTSPAN_PORT });
  return {
    ready: { url },
    async stop() {
      // Answers that are under way are finished first, then their spans are sent.
      await app.close();
      await Promise.all([upstream.close(), control.close()]);
      await telemetry.stop();
    },
  };
});
