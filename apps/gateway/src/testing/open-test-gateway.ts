/** For tests only: a gateway with real keys in the real key store, in front of a peer, its spans kept at hand. */
import { randomBytes } from "node:crypto";
import { openControl } from "@centspan/control";
import {
  type KeyKind,
  type KeyRules,
  openSafetyChecks,
  type PriceBook,
  type SafetyCheck,
  type SafetyPolicy,
} from "@centspan/model";
import { listPrices } from "@centspan/pricing";
import { createCredentialCache, listen } from "@centspan/service";
import { createMemoryExporter, startTelemetry } from "@centspan/telemetry";
import { openGate } from "@centspan/testing";
import { inject } from "vitest";
import type { z } from "zod";
import { createAllowances } from "../allowances.ts";
import { createAllowedTexts } from "../allowed-texts.ts";
import { type Channels, openAlerts } from "../budgets/alerts/open-alerts.ts";
import { openBudgets } from "../budgets/budgets.ts";
import { createGateway, type GatewayOptions } from "../create-gateway.ts";
import type { EgressSettings } from "../egress/serve-egress.ts";
import { findPrincipalAtHome } from "../find-principal.ts";
import { createPrefixMemory } from "../prefix/prefix-memory.ts";
import { safetyPlugins } from "../registry.gen.ts";
import { createReplays } from "../replays/replays.ts";
import { createTokenizerPool } from "../stages/tokenize.ts";
import type { WebSocketLimits } from "../transports/serve-web-sockets.ts";
import { createUpstreams } from "../upstream/upstreams.ts";
import { upstreamsSchema } from "../upstream/upstreams-file.ts";
import { startUpstreamPeer } from "./upstream-peer.ts";

export type GatewaySettings = {
  provider?: string;
  policy?: SafetyPolicy;
  perMinute?: number;
  upstreamUrl?: string;
  checks?: readonly SafetyCheck[];
  webSockets?: Partial<WebSocketLimits>;
  egress?: EgressSettings;
  maxBodyMs?: number;
  maxStallMs?: number;
  maxHeldBytes?: number;
  /** Where spans are said to be recorded. */
  ingestKey?: string;
  fleet?: GatewayOptions["fleet"];
  /** That budgets' alerts go to; none unless told otherwise. */
  channels?: Channels;
  prices?: PriceBook;
  /** Instead of the peer alone. */
  upstreams?: z.input<typeof upstreamsSchema>;
};

export type TestGateway = Awaited<ReturnType<typeof openTestGateway>>;

export async function openTestGateway() {
  const exporter = createMemoryExporter();
  const service = { service: "gateway", version: "0", otlpUrl: "", ingestKey: "" };
  const telemetry = startTelemetry({ ...service, parentsAreGiven: true, exporter });
  const gate = await openGate(inject("databaseUrl"));
  const control = openControl({ url: gate.url });
  await control.migrate();
  const workspace = `w-${randomBytes(6).toString("hex")}`;
  await control.ensureWorkspace("local", { id: workspace, name: workspace });
  const peer = await startUpstreamPeer();
  const opened: (() => Promise<unknown>)[] = [];
  let keys = 0;

  return {
    peer,
    gate,
    control,
    workspace,
    createKey: (kind: KeyKind = "gateway", rules: KeyRules = {}) =>
      control.createKey({ workspace, name: `key ${++keys}`, kind, team: "payments", rules }, "tests"),
    /** Clock of the credential cache, in milliseconds. */
    clock: { nowMs: 0 },
    /** How far the clock that replicas rest by is ahead. */
    restClock: { aheadMs: 0 },
    /** How far the clock that prompts grow old by is ahead. */
    prefixClock: { aheadMs: 0 },
    /** Starts a gateway and returns its address. */
    async open(settings: GatewaySettings = {}): Promise<string> {
      return (await this.openOne(settings)).url;
    },
    /** The same, for a test that stops it. */
    async openOne(settings: GatewaySettings = {}) {
      const {
        provider = "centspan",
        policy = "beside",
        perMinute,
        upstreamUrl,
        checks = openSafetyChecks(safetyPlugins, {}),
        webSockets = {},
      } = settings;
      const one = { name: "peer", provider, keyVariable: "KEY", replicas: [{ url: upstreamUrl ?? `${peer.url}/v1` }] };
      const upstreams = createUpstreams({
        file: upstreamsSchema.parse(settings.upstreams ?? { upstreams: [one] }),
        readKey: () => "upstream-key",
        nowMs: () => performance.now() + this.restClock.aheadMs,
      });
      const alerts = openAlerts({ channels: settings.channels ?? {}, store: control, report: () => undefined });
      const budgets = openBudgets({ store: control, alerts, report: () => undefined });
      const app = createGateway({
        tracer: telemetry.tracer,
        admit: {
          credentials: createCredentialCache({
            find: findPrincipalAtHome(control, settings.ingestKey ?? ""),
            nowMs: () => this.clock.nowMs,
          }),
          requests: createAllowances(),
          tokens: createAllowances(),
          requestsPerMinute: perMinute ?? null,
          budgets,
        },
        reserve: { budgets, readPrices: async () => settings.prices ?? listPrices },
        safety: { checks, policy, allowed: createAllowedTexts() },
        tokenizers: createTokenizerPool(),
        prefixes: createPrefixMemory({ nowMs: () => performance.now() + this.prefixClock.aheadMs }),
        replays: createReplays(),
        upstreams,
        stores: { postgres: () => control.ping() },
        webSockets,
        ...(settings.fleet && { fleet: settings.fleet }),
        ...(settings.egress && { egress: settings.egress }),
        ...(settings.maxBodyMs !== undefined && { maxBodyMs: settings.maxBodyMs }),
        ...(settings.maxStallMs !== undefined && { maxStallMs: settings.maxStallMs }),
        ...(settings.maxHeldBytes !== undefined && { maxHeldBytes: settings.maxHeldBytes }),
      });
      opened.push(async () => {
        await app.close();
        await budgets.close();
        await alerts.close();
        await upstreams.close();
      });
      return { url: await listen(app, { host: "127.0.0.1", port: 0 }), stop: () => app.close() };
    },
    /** The finished spans of a trace, by name. */
    async readSpans(traceId: string) {
      const spans = await this.readAllSpans(traceId);
      return new Map(spans.map((span) => [span.name, span]));
    },
    async readSpansWith(attribute: string, value: string) {
      await telemetry.flush();
      return exporter.getFinishedSpans().filter((span) => span.attributes[attribute] === value);
    },
    async readAllSpans(traceId: string) {
      await telemetry.flush();
      return exporter.getFinishedSpans().filter((span) => span.spanContext().traceId === traceId);
    },
    async close() {
      await Promise.all(opened.map((close) => close()));
      await peer.close();
      await control.close();
      await gate.shut();
      await telemetry.stop();
    },
  };
}

/** A traceparent of a new trace. */
export function createTrace(): { traceId: string; spanId: string; traceparent: string } {
  const traceId = randomBytes(16).toString("hex");
  const spanId = randomBytes(8).toString("hex");
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-01` };
}
