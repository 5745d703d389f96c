/** The commands that connect an agent, with this installation's addresses. Pure: the environment comes in. */
import type { Signal } from "@centspan/model";
import { z } from "zod";

const addresses = z.object({
  CENTSPAN_GATEWAY_URL: z.url().default("http://127.0.0.1:4000"),
  CENTSPAN_OTLP_URL: z.url().default("http://127.0.0.1:4318"),
  CENTSPAN_OTLP_GRPC_URL: z.url().default("http://127.0.0.1:4317"),
});

export type Connections = Record<"demo" | "gateway" | "codex" | "claude" | "otel" | "imports", string>;

export function describeConnections(environment: Readonly<Record<string, string | undefined>>): Connections {
  const parsed = addresses.parse(environment);
  const { CENTSPAN_GATEWAY_URL: gateway, CENTSPAN_OTLP_URL: otlp, CENTSPAN_OTLP_GRPC_URL: grpc } = parsed;
  const codexExporter = (name: string, signal: Signal): string =>
    `${name} = { otlp-http = { endpoint = "${otlp}/v1/${signal}", protocol = "json" } }`;
  return {
    demo: "npm start -- --data .centspan-demo",
    gateway: `export OPENAI_BASE_URL=${gateway}/v1\nexport OPENAI_API_KEY=cs_gateway_…`,
    codex: [
      "# ~/.codex/config.toml",
      'model = "scripted-strong"',
      'model_provider = "centspan"',
      "[model_providers.centspan]",
      'name = "Centspan"',
      `base_url = "${gateway}/v1"`,
      'env_key = "CENTSPAN_KEY"',
      'wire_api = "responses"',
      "[otel]",
      codexExporter("trace_exporter", "traces"),
      codexExporter("exporter", "logs"),
      codexExporter("metrics_exporter", "metrics"),
    ].join("\n"),
    claude: [
      "export CLAUDE_CODE_ENABLE_TELEMETRY=1",
      "export CLAUDE_CODE_ENHANCED_TELEMETRY_BETA=1",
      "export OTEL_TRACES_EXPORTER=otlp",
      "export OTEL_LOGS_EXPORTER=otlp",
      "export OTEL_METRICS_EXPORTER=otlp",
      "export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
      `export OTEL_EXPORTER_OTLP_ENDPOINT=${otlp}`,
      'export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer cs_ingest_…"',
    ].join("\n"),
    otel: [
      `# http/json as well; with grpc the endpoint is ${grpc}`,
      "export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
      `export OTEL_EXPORTER_OTLP_ENDPOINT=${otlp}`,
      'export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20cs_ingest_…"',
      'export OTEL_RESOURCE_ATTRIBUTES="team.id=payments"',
    ].join("\n"),
    imports: "npx centspan import trajectory FILE…\nnpx centspan import swebench-stats FILE",
  };
}

/** A call of the Trace API at the web app's own address, which is the one that the visitor came by. */
export const describeApiCall = (webUrl: string): string =>
  `curl -H "Authorization: Bearer cs_api_…" "${webUrl}/api/v1/outcomes/cost?groupBy=key"`;
