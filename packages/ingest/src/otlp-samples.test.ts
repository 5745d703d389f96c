/**
 * Every OTLP sample and what must become of it: how many records are taken and refused, or why the body is refused.
 * The samples are not part of this repository: CENTSPAN_SHARED names the folder that holds them in otlp/.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SIGNALS, type Signal, TABLE_OF_SIGNAL } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { BadBody, type Rejection } from "./admission.ts";
import { createBlockBuilder } from "./block-builder.ts";
import { transcodeJson } from "./json/transcode-json.ts";
import { type NativeRow, readNative } from "./testing/read-native.ts";

type Sample = { file: string; signal: Signal; accepted: number; refused?: readonly string[] };

const taken = (file: string, signal: Signal, accepted: number, ...refused: string[]): Sample => ({
  file,
  signal,
  accepted,
  refused,
});

const SPANS = "resourceSpans[0].scopeSpans[0].spans";
const SAMPLES: readonly Sample[] = [
  taken("captured/ai-sdk7-genai-1-v1_traces.json", "traces", 9),
  taken("captured/ai-sdk7-legacy-1-v1_traces.json", "traces", 6),
  taken("captured/js-sdk-grpc-message.pb", "traces", 1),
  taken("captured/js-sdk-http-json-1-v1_traces.json", "traces", 2),
  taken("captured/js-sdk-http-protobuf-1-v1_traces.pb", "traces", 2),
  taken("captured/js-sdk-http-protobuf-gzip-1-v1_traces.pb", "traces", 2),
  taken("captured/langfuse-js-1-api_public_otel_v1_traces.json", "traces", 3),
  taken("edge-cases/01-int-as-number-string-and-big.json", "traces", 1),
  taken("edge-cases/02-nested-anyvalue.json", "traces", 1),
  taken("edge-cases/03-unknown-fields-and-uppercase-ids.json", "traces", 1),
  taken("edge-cases/04-enum-name-nonconforming.json", "traces", 1),
  taken(
    "edge-cases/05-mixed-valid-and-invalid-ids.json",
    "traces",
    1,
    `invalid_id ${SPANS}[3].traceId: must be 16 bytes, written as 32 hexadecimal digits`,
    `invalid_id ${SPANS}[1].spanId: must be 8 bytes, not all zero`,
    `invalid_id ${SPANS}[2].traceId: must be 16 bytes, not all zero`,
  ),
  taken("edge-cases/06-64bit-trace-id-sglang-style.json", "traces", 1),
  taken("edge-cases/07-end-before-start-zero-end-zero-duration.json", "traces", 3),
  taken("edge-cases/08-orphans-multi-root-cycle-selfparent.json", "traces", 6),
  taken("edge-cases/09-duplicate-span-ids.json", "traces", 3),
  taken("edge-cases/10-clock-skew-two-hosts.json", "traces", 2),
  taken("edge-cases/11-child-longer-than-parent-async.json", "traces", 2),
  taken("edge-cases/12-empty-envelopes.json", "traces", 0),
  taken(
    "edge-cases/13-attributes-as-object-nonconforming.json",
    "traces",
    0,
    `invalid_value ${SPANS}[0].attributes: must be an array; each item is an object such as {"key": …, "value": {"stringValue": …}}`,
  ),
  taken("edge-cases/14-exclusive-vs-inclusive-input.json", "traces", 2),
  taken("edge-cases/15-duplicate-attribute-keys.json", "traces", 1),
  taken("hyperdx/json-exporter-basic-insert.json", "logs", 3),
  taken("hyperdx/traces-basic-insert.json", "traces", 2),
  taken("jaeger/otlp2jaeger-in.json", "traces", 2),
  taken("otlp-proto-examples/events.json", "logs", 1),
  taken("otlp-proto-examples/logs.json", "logs", 1),
  taken("otlp-proto-examples/metrics.json", "metrics", 4),
  taken("otlp-proto-examples/trace.json", "traces", 1),
  taken("synthetic/claude-code-logs.json", "logs", 3),
  taken("synthetic/claude-code-metrics.json", "metrics", 5),
  taken("synthetic/claude-code-spans.json", "traces", 5),
  taken("synthetic/codex-logs.json", "logs", 2),
];

/** Exports of Langfuse: what their spans once were is inside, but they are no OTLP. */
const NO_OTLP = [
  "langfuse-framework-traces/claude-agent-2025-12-22.trace.json",
  "langfuse-framework-traces/microsoft-agent-2025-12-17.trace.json",
  "langfuse-framework-traces/openai-agents-2025-09-30.trace.json",
  "langfuse-framework-traces/pydantic-ai-with-gemini-2025-12-24.trace.json",
  "langfuse-framework-traces/vercel-aisdk-2025-11-17.trace.json",
];

/** Request headers that belong to the samples. */
const NOT_BODIES = /\.(headers|metadata)\.json$/;

const shared = process.env.CENTSPAN_SHARED;

describe.skipIf(shared === undefined)("samples (set CENTSPAN_SHARED to the folder that holds otlp/)", () => {
  const root = join(shared ?? "", "otlp");

  async function take(
    file: string,
    signal: Signal,
  ): Promise<{ rows: NativeRow[]; reasons: Rejection[]; rejected: number }> {
    const bytes = readFileSync(join(root, file));
    const transcoded = file.endsWith(".json")
      ? transcodeJson(signal, bytes)
      : { body: bytes, rejected: 0, reasons: [] };
    const builder = createBlockBuilder(TABLE_OF_SIGNAL[signal]);
    const admission = builder.add("w", transcoded.body);
    const rows = await readNative(builder.take());
    expect(rows).toHaveLength(admission.accepted);
    const reasons = [...transcoded.reasons, ...admission.reasons];
    return { rows, reasons, rejected: transcoded.rejected + admission.rejected };
  }

  it("are all in the table", () => {
    const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const files = folders.flatMap(({ name }) => readdirSync(join(root, name)).map((file) => `${name}/${file}`));
    const bodies = files.filter((file) => !NOT_BODIES.test(file));
    expect(bodies.sort()).toEqual([...SAMPLES.map(({ file }) => file), ...NO_OTLP].sort());
  });

  it.each(SAMPLES)("$file: $accepted $signal", async ({ file, signal, accepted, refused = [] }) => {
    const { rows, reasons, rejected } = await take(file, signal);
    expect(reasons.map(({ code, message }) => `${code} ${message}`)).toEqual(refused);
    expect([rows.length, rejected]).toEqual([accepted, refused.length]);
  });

  const others = SAMPLES.flatMap(({ file, signal }) =>
    SIGNALS.filter((other) => other !== signal).map((other) => ({ file, signal: other })),
  );
  it.each(others)("$file is refused as $signal", async ({ file, signal }) => {
    if (file.endsWith(".json")) return await expect(take(file, signal)).rejects.toThrow("does not belong at this path");
    const { rows, rejected } = await take(file, signal);
    expect(rows).toEqual([]);
    expect(rejected).toBeGreaterThan(0);
  });

  it.each(NO_OTLP)("%s is no OTLP", async (file) => {
    const refusal = take(file, "traces");
    await expect(refusal).rejects.toThrow(BadBody);
    await expect(refusal).rejects.toThrow('resourceSpans: is missing, and the body holds "trace", "observations"');
  });

  it("integers beyond 2^53 come through exactly, and what is not set is empty", async () => {
    const { rows } = await take("edge-cases/01-int-as-number-string-and-big.json", "traces");
    expect(rows[0]?.attributes).toEqual({
      n: "42",
      s: "42",
      max: "9223372036854775807",
      min: "-9223372036854775808",
      nan: "NaN",
      inf: "Infinity",
      null: "",
    });
  });

  it("an agent's log is found by its session and looked at for usage", async () => {
    const { rows } = await take("synthetic/codex-logs.json", "logs");
    expect(rows.map(({ event_name, may_be_call }) => [event_name, may_be_call])).toEqual([
      ["codex.sse_event", true],
      ["codex.tool_result", false],
    ]);
    expect(rows.map(({ session_id }) => session_id)).toEqual(["0199-sample", "0199-sample"]);
  });

  it("each kind of metric is read", async () => {
    const { rows } = await take("otlp-proto-examples/metrics.json", "metrics");
    expect(rows).toMatchObject([
      { name: "my.counter", type: "sum", temporality: "delta", monotonic: true, value_double: 5, value_int: null },
      { name: "my.gauge", type: "gauge", temporality: "unspecified", value_double: 10 },
      {
        name: "my.histogram",
        type: "histogram",
        count: 2n,
        sum: 2,
        bounds: [1],
        bucket_counts: [1n, 1n],
        min: 0,
        max: 2,
      },
      { name: "my.exponential.histogram", type: "exponential_histogram", count: 3n, positive_offset: 1 },
    ]);
  });
});
