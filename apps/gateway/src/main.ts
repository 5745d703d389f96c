/** The gateway as a process: configuration, key store, telemetry, upstream, ready line. */
import { cpus } from "node:os";
import { inspect } from "node:util";
import { setFlagsFromString } from "node:v8";
import { openControl } from "@centspan/control";
import { openSafetyChecks } from "@centspan/model";
import { rateCards } from "@centspan/pricing";
import { createCredentialCache, listen, readConfig, runMain } from "@centspan/service";
import { startTelemetry } from "@centspan/telemetry";
import { createAllowances } from "./allowances.ts";
import { createAllowedTexts } from "./allowed-texts.ts";
import { openAlerts } from "./budgets/alerts/open-alerts.ts";
import { type ChannelSettings, openChannels } from "./budgets/alerts/open-channels.ts";
import { openBudgets } from "./budgets/budgets.ts";
import { createPriceBooks } from "./budgets/price-books.ts";
import { type Config, configSchema } from "./config.ts";
import { createGateway } from "./create-gateway.ts";
import { findIngestKeyFault, findPrincipalAtHome } from "./find-principal.ts";
import { createCallCost } from "./fleet/learn-cost.ts";
import { openFleet } from "./fleet/open-fleet.ts";
import { serveAgentCheck } from "./fleet/serve-agent-check.ts";
import { createPrefixMemory } from "./prefix/prefix-memory.ts";
import { safetyPlugins } from "./registry.gen.ts";
import { createReplays } from "./replays/replays.ts";
import { createTokenizerPool } from "./stages/tokenize.ts";
import { createUpstreams } from "./upstream/upstreams.ts";
import { readUpstreamsFile, type UpstreamsFile, upstreamsSchema } from "./upstream/upstreams-file.ts";

/**
 * Nearly all of a request is garbage when it is answered. What of it lives through two small collections costs a whole one, in
 * which the vocabularies of the tokenizers are looked through as well: that comes less often when the heap may grow first.
 */
setFlagsFromString("--heap-growing-percent=300");

await runMain("gateway", async () => {
  const config = readConfig(configSchema, process.env);
  const control = openControl({ url: config.DATABASE_URL });
  const cpuModel = config.CENTSPAN_CPU_MODEL ?? cpus()[0]?.model ?? "";
  const telemetry = startTelemetry({
    service: "centspan-gateway",
    version: process.env.CENTSPAN_VERSION ?? "0",
    otlpUrl: config.CENTSPAN_OTLP_URL,
    ingestKey: config.CENTSPAN_INGEST_KEY,
    resource: { "host.cpu.model.name": cpuModel },
    parentsAreGiven: true,
  });
  const upstreams = createUpstreams({
    file:
      config.CENTSPAN_UPSTREAMS_FILE === undefined
        ? describeOne(config)
        : readUpstreamsFile(config.CENTSPAN_UPSTREAMS_FILE),
    readKey: (variable) => process.env[variable],
  });
  const alerts = openAlerts({
    channels: openChannels(describeChannels(config)),
    store: control,
    report: (thrown) => process.stderr.write(`gateway: an alert was not told: ${String(thrown)}\n`),
  });
  const budgets = openBudgets({
    store: control,
    alerts,
    report: (thrown) => process.stderr.write(`gateway: ${inspect(thrown)}\n`),
  });
  const cost = createCallCost();
  const fleet = openFleet({ store: control, cpuModel, cost });
  const app = createGateway({
    tracer: telemetry.tracer,
    admit: {
      credentials: createCredentialCache({ find: findPrincipalAtHome(control, config.CENTSPAN_INGEST_KEY) }),
      requests: createAllowances(),
      tokens: createAllowances(),
      requestsPerMinute: config.CENTSPAN_RATE_LIMIT_PER_MINUTE ?? null,
      budgets,
    },
    reserve: {
      budgets,
      readPrices: createPriceBooks(rateCards, control),
    },
    safety: {
      checks: openSafetyChecks(safetyPlugins, process.env),
      policy: config.CENTSPAN_SAFETY_POLICY,
      allowed: createAllowedTexts(),
    },
    tokenizers: createTokenizerPool(),
    prefixes: createPrefixMemory(),
    replays: createReplays(),
    upstreams,
    egress: { readSecret: (variable) => process.env[variable] },
    fleet: { weight: fleet.weight, called: cost.called },
    stores: { postgres: () => control.ping() },
  });
  findIngestKeyFault(control, config.CENTSPAN_INGEST_KEY).then(
    (fault) => fault !== null && process.stderr.write(`gateway: ${fault}\n`),
    () => undefined, // Postgres is away: `/health` says so, and it is no reason not to serve.
  );
  const url = await listen(app, { host: config.CENTSPAN_HOST, port: config.CENTSPAN_PORT });
  const { CENTSPAN_HOST: host, CENTSPAN_AGENT_CHECK_PORT: agentPort } = config;
  const agent = agentPort === undefined ? null : await serveAgentCheck({ host, port: agentPort }, fleet.weight);
  return {
    ready: { url },
    async stop() {
      // Answers that are under way are finished first, then their spans are sent.
      fleet.close();
      await agent?.close();
      await app.close();
      await budgets.close();
      await alerts.close();
      await Promise.all([upstreams.close(), control.close()]);
      await telemetry.stop();
    },
  };
});

/** Where hosts are named and no secret, or the other way round, no webhook is told. */
function describeChannels(config: Config): ChannelSettings {
  const { CENTSPAN_ALERT_WEBHOOK_SECRET: secret, CENTSPAN_ALERT_WEBHOOK_HOSTS: hosts, CENTSPAN_SMTP_URL: url } = config;
  return {
    ...(secret !== undefined && { webhook: { secret, hosts } }),
    ...(url !== undefined && { mail: { url, from: config.CENTSPAN_ALERT_FROM } }),
  };
}

/** One server that serves everything. */
function describeOne(config: Config): UpstreamsFile {
  return upstreamsSchema.parse({
    upstreams: [
      {
        name: config.CENTSPAN_UPSTREAM_PROVIDER,
        provider: config.CENTSPAN_UPSTREAM_PROVIDER,
        ...(config.CENTSPAN_UPSTREAM_KEY !== undefined && { keyVariable: "CENTSPAN_UPSTREAM_KEY" }),
        replicas: [{ url: config.CENTSPAN_UPSTREAM_URL }],
      },
    ],
  });
}
