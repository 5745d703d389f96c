/**
 * The load of the chaos test: senders that export spans of agents, with model calls among them, and keep account of what
 * became of each export. Seeded: the same seed sends the same spans. Some exports are sent again after they were taken, some
 * are given up after one try, some break off in the middle.
 */
import { connect } from "node:net";
import { Client } from "undici";
import { deliver } from "../otlp/exporter.ts";
import { encodeExport } from "../otlp/schema.ts";
import { createRandom } from "../otlp/scramble.ts";

/** What became of an export: acknowledged; tried without an answer of success; never sent whole. */
type Fate = "acked" | "unknown" | "broken off";
export type SentSpan = { traceId: string; spanId: string; fate: Fate; inputTokens: number; outputTokens: number };

const SPANS_PER_EXPORT = 12;
const CALL_EVERY = 4;
const EXPORTS_PER_TRACE = 150;
const BACKOFF_MS = 100;
const PACE_MS = 20;

export type Load = {
  /** Exports tried so far, by all senders. */
  tries(): number;
  /** Ends the sending; resolves when every export that may be retried was taken. */
  finish(): Promise<SentSpan[]>;
};

export function startLoad(options: { otlpUrl: string; senders: number; seed: number; patienceMs: number }): Load {
  const spans: SentSpan[] = [];
  let tries = 0;
  let isOver = false;
  let deadlineMs = Number.POSITIVE_INFINITY;
  const sender = async (number: number): Promise<void> => {
    const random = createRandom(options.seed * 31 + number);
    const client = new Client(options.otlpUrl, { pipelining: 1 });
    for (let count = 0; !isOver; count += 1) {
      const sent = describeExport(number, count, random);
      tries += 1;
      const fate = await sendOnce(client, sent.body, random());
      spans.push(...sent.spans.map((span) => ({ ...span, fate })));
      await new Promise((resolve) => setTimeout(resolve, PACE_MS));
    }
    await client.close();
  };
  const sendOnce = async (client: Client, body: Uint8Array, chance: number): Promise<Fate> => {
    const request = { path: "/v1/traces", body };
    const patient = { backoffMs: BACKOFF_MS, mayRetry: () => performance.now() < deadlineMs };
    const impatient = { ...patient, mayRetry: () => false };
    if (chance < 0.03) return breakOff(options.otlpUrl, body);
    if (chance < 0.08) return (await deliver(client, request, impatient)).taken ? "acked" : "unknown";
    const { taken, partial } = await deliver(client, request, patient);
    if (partial.length > 0) throw new Error(`spans were refused: ${partial}`);
    if (!taken) return "unknown";
    if (chance > 0.92) await deliver(client, request, patient);
    return "acked";
  };
  const senders = Array.from({ length: options.senders }, (_, number) => sender(number));
  // A sender's fault is heard when the load is finished.
  for (const running of senders) running.catch(() => undefined);
  return {
    tries: () => tries,
    async finish() {
      isOver = true;
      deadlineMs = performance.now() + options.patienceMs;
      await Promise.all(senders);
      return spans;
    },
  };
}

/** Opens a request of its own and goes away in the middle of the body. */
function breakOff(url: string, body: Uint8Array): Promise<Fate> {
  const { hostname, port } = new URL(url);
  const head = `POST /v1/traces HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/x-protobuf\r\ncontent-length: ${body.length}\r\n\r\n`;
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(head);
      socket.write(body.subarray(0, body.length >> 1), () => socket.destroy());
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve("broken off"));
  });
}

type Described = { body: Uint8Array; spans: Omit<SentSpan, "fate">[] };

function describeExport(sender: number, count: number, random: () => number): Described {
  const trace = Math.floor(count / EXPORTS_PER_TRACE);
  const traceId = `c${sender}`.padEnd(24, "a") + trace.toString(16).padStart(8, "0");
  const startNs = BigInt(Date.now()) * 1_000_000n;
  const described = Array.from({ length: SPANS_PER_EXPORT }, (_, index) => {
    const spanId = `${sender}`.padStart(2, "0") + (count * SPANS_PER_EXPORT + index + 1).toString(16).padStart(14, "0");
    const isCall = index % CALL_EVERY === 0;
    const tokens = {
      inputTokens: isCall ? 100 + Math.floor(random() * 9000) : 0,
      outputTokens: isCall ? 1 + Math.floor(random() * 500) : 0,
    };
    return { traceId, spanId, isCall, ...tokens };
  });
  const spans = described.map(({ spanId, isCall, inputTokens, outputTokens }, index) => ({
    traceId: Buffer.from(traceId, "hex"),
    spanId: Buffer.from(spanId, "hex"),
    name: isCall ? "chat gpt-4o" : `step ${index}`,
    kind: isCall ? 3 : 1,
    startTimeUnixNano: (startNs + BigInt(index) * 1000n).toString(),
    endTimeUnixNano: (startNs + BigInt(index) * 1000n + 5_000_000n).toString(),
    attributes: isCall ? describeCall(spanId, inputTokens, outputTokens) : [],
  }));
  const resource = { attributes: [{ key: "service.name", value: { stringValue: `agent-${sender}` } }] };
  const body = encodeExport("traces", {
    resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "chaos" }, spans }] }],
  });
  return { body, spans: described.map(({ isCall: _, ...span }) => span) };
}

const describeCall = (spanId: string, inputTokens: number, outputTokens: number) => [
  { key: "gen_ai.operation.name", value: { stringValue: "chat" } },
  { key: "gen_ai.provider.name", value: { stringValue: "openai" } },
  { key: "gen_ai.request.model", value: { stringValue: "gpt-4o" } },
  { key: "gen_ai.response.id", value: { stringValue: `resp_${spanId}` } },
  { key: "gen_ai.usage.input_tokens", value: { intValue: inputTokens } },
  { key: "gen_ai.usage.output_tokens", value: { intValue: outputTokens } },
];
