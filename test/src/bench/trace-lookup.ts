/**
 * `bench trace-lookup`: how long a large trace takes to be found by its id among many spans, over HTTP through the Trace API.
 * Found is its row: what it is, how long, how many spans, what it cost. The whole trace with every span is timed beside it.
 */
import { Client } from "undici";
import { deliver } from "../otlp/exporter.ts";
import { encodeExport } from "../otlp/schema.ts";
import { createApiReader } from "../stack/api-reader.ts";
import { type IngestStack, startIngestStack } from "../stack/ingest-stack.ts";
import { until } from "../stack/processes.ts";
import { awaitMerges } from "./await-merges.ts";
import { defineBench, quantile, readNumber } from "./bench.ts";
import { fillSpans } from "./fill-spans.ts";

const SPANS_PER_EXPORT = 2000;
const WAIT_MS = 600_000;

export default defineBench({
  name: "trace-lookup",
  describe: "milliseconds to find a large trace by its id",
  flags: {
    spans: "stored beside the large traces (50000000)",
    traces: "large traces, each looked up cold and warm (30)",
    "trace-spans": "spans of a large trace (100000)",
  },
  async run(flags, say) {
    const spans = readNumber("spans", flags.spans, 50_000_000);
    const traces = readNumber("traces", flags.traces, 30);
    const traceSpans = readNumber("trace-spans", flags["trace-spans"], 100_000);
    const stack = await startIngestStack();
    try {
      await fillSpans(stack, spans, say);
      const traceIds = Array.from({ length: traces }, (_, index) => (index + 1).toString(16).padStart(32, "5e"));
      say(`sending ${traces} traces of ${traceSpans} spans`);
      await sendTraces(stack, traceIds, traceSpans);
      const stored = spans + traces * traceSpans;
      await until("all spans are stored", async () => ((await countRows(stack)) >= stored ? true : undefined), WAIT_MS);
      await awaitMerges(stack);
      await Promise.all([stack.web.start(), stack.worker.start()]);
      return { ...(await measure(stack, traceIds, traceSpans, say)), spansStored: stored, traces, traceSpans };
    } finally {
      await stack.end();
    }
  },
});

async function measure(
  stack: IngestStack,
  traceIds: readonly string[],
  traceSpans: number,
  say: (text: string) => void,
) {
  const api = createApiReader(stack.webUrl, await stack.createKey("reader", "api"));
  const find = async (traceId: string): Promise<void> => {
    const { data } = await api.getOk<{ data: { traceId: string; spans: number }[] }>(`/traces?traceId=${traceId}`);
    if (data.length !== 1 || data[0]?.spans !== traceSpans) throw new Error(`found ${JSON.stringify(data)}`);
  };
  const readWhole = async (traceId: string): Promise<void> => {
    const { spans } = await api.getOk<{ spans: unknown[] }>(`/traces/${traceId}`);
    if (spans.length !== traceSpans) throw new Error(`${spans.length} spans of ${traceSpans} in ${traceId}`);
  };
  // Lists show a trace once the worker has summed it up.
  say("waiting for the summaries");
  for (const traceId of traceIds) {
    const path = `/traces?traceId=${traceId}`;
    await until(`${traceId} is listed`, async () => ((await api.listAll(path)).length > 0 ? true : undefined), WAIT_MS);
  }
  await stack.query("SYSTEM DROP MARK CACHE");
  await stack.query("SYSTEM DROP UNCOMPRESSED CACHE");
  say("finding");
  const cold = await time(traceIds, find);
  const warm = await time(traceIds, find);
  say("reading whole traces");
  const whole = await time(traceIds.slice(0, WHOLE_TRACES), readWhole);
  return {
    p95Ms: quantile([...cold, ...warm], 0.95),
    p50Ms: quantile([...cold, ...warm], 0.5),
    coldP95Ms: quantile(cold, 0.95),
    warmP95Ms: quantile(warm, 0.95),
    lookups: cold.length + warm.length,
    through: "GET /api/v1/traces?traceId=",
    wholeTraceP50Ms: quantile(whole, 0.5),
    wholeTraceP95Ms: quantile(whole, 0.95),
  };
}

const WHOLE_TRACES = 5;

async function time(traceIds: readonly string[], look: (traceId: string) => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  for (const traceId of traceIds) {
    const startedAtMs = performance.now();
    await look(traceId);
    times.push(performance.now() - startedAtMs);
  }
  return times;
}

async function sendTraces(stack: IngestStack, traceIds: readonly string[], spans: number): Promise<void> {
  const client = new Client(stack.otlpUrl, { pipelining: 1 });
  const deadlineMs = performance.now() + WAIT_MS;
  for (const traceId of traceIds) {
    for (let from = 0; from < spans; from += SPANS_PER_EXPORT) {
      const body = describeSpans(traceId, from, Math.min(SPANS_PER_EXPORT, spans - from));
      const options = { backoffMs: 500, mayRetry: () => performance.now() < deadlineMs };
      const { taken } = await deliver(client, { path: "/v1/traces", body }, options);
      if (!taken) throw new Error("the collector does not take the large traces");
    }
  }
  await client.close();
}

/** A long agent run: one root, a model call in ten spans, the others steps of the call before them. */
function describeSpans(traceId: string, from: number, count: number): Uint8Array {
  const startNs = BigInt(Date.now()) * 1_000_000n;
  const idOf = (index: number): Buffer => Buffer.from((index + 1).toString(16).padStart(16, "0"), "hex");
  const spans = Array.from({ length: count }, (_, offset) => {
    const index = from + offset;
    const isCall = index % 10 === 0;
    return {
      traceId: Buffer.from(traceId, "hex"),
      spanId: idOf(index),
      ...(index === 0 ? {} : { parentSpanId: idOf(isCall ? 0 : index - (index % 10)) }),
      name: index === 0 ? "invoke_agent repair" : isCall ? "chat scripted-strong" : "inference.decode.step",
      kind: isCall ? 3 : 1,
      startTimeUnixNano: (startNs + BigInt(offset) * 1000n).toString(),
      endTimeUnixNano: (startNs + BigInt(offset) * 1000n + 900n).toString(),
      attributes: [
        { key: "centspan.layer", value: { stringValue: "inference" } },
        { key: "gen_ai.request.model", value: { stringValue: "scripted-strong" } },
        { key: "centspan.decode.tokens", value: { intValue: 1 } },
      ],
    };
  });
  const resource = { attributes: [{ key: "service.name", value: { stringValue: "repair-agent" } }] };
  return encodeExport("traces", { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
}

async function countRows(stack: IngestStack): Promise<number> {
  const [row] = await stack.query<{ rows: number }>("SELECT toFloat64(count()) AS rows FROM spans");
  return row?.rows ?? 0;
}
