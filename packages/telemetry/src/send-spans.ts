/**
 * Encodes spans as they end and sends them to a collector, several requests at once where it takes its time to acknowledge.
 * Invariant: nothing is dropped in silence. What the exporter's own retries can't deliver, and what there is no room for while
 * the collector is away, is counted and said on stderr.
 */
import { type ExportResult, ExportResultCode } from "@opentelemetry/core";
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from "@opentelemetry/otlp-exporter-base/node-http";
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace-node";
import { createEnvelope, encodeSpan } from "./encode-span.ts";
import { createProtobufWriter } from "./protobuf-writer.ts";

const SEND_AT_BYTES = 256 * 1024;
const SEND_AFTER_MS = 500;
const MAX_UNDER_WAY = 16;
/** Beyond it spans are given up. */
const MAX_WAITING_BYTES = 256 * 1024 * 1024;

type Batch = { spans: number; bytes: Buffer };

export function createSpanSender({ otlpUrl, ingestKey }: { otlpUrl: string; ingestKey: string }): SpanProcessor {
  const required = { "content-type": "application/x-protobuf" };
  const options = {
    url: `${otlpUrl}/v1/traces`,
    ...(ingestKey !== "" && { headers: { authorization: `Bearer ${ingestKey}` } }),
    // It lets go of a request a moment after it has said how it went.
    concurrencyLimit: 2 * MAX_UNDER_WAY,
  };
  const delegate = createOtlpHttpExportDelegate<Batch, unknown>(
    convertLegacyHttpOptions(options, "TRACES", "v1/traces", required),
    {
      serializeRequest: ({ bytes }) => bytes,
      deserializeResponse: (bytes) => ProtobufTraceSerializer.deserializeResponse(bytes),
    },
    "otlp_http_span_exporter",
    { name: "span", countItems: ({ spans }) => spans },
    undefined,
  );
  const writer = createProtobufWriter();
  const underWay = new Set<Promise<void>>();
  let envelope: ReturnType<typeof createEnvelope> | undefined;
  let waiting = 0;
  let givenUp = 0;
  let timer: NodeJS.Timeout | undefined;

  const send = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (envelope === undefined || waiting === 0 || underWay.size >= MAX_UNDER_WAY) return;
    const batch = { spans: waiting, bytes: envelope(writer.take()) };
    waiting = 0;
    reportLost(givenUp, "they came faster than they could be sent");
    givenUp = 0;
    const sending = new Promise<ExportResult>((resolve) => delegate.export(batch, resolve)).then((result) => {
      underWay.delete(sending);
      if (result.code === ExportResultCode.FAILED) reportLost(batch.spans, result.error?.message ?? "no reason given");
      // What was due meanwhile.
      if (timer === undefined) send();
    });
    underWay.add(sending);
  };

  const flush = async (): Promise<void> => {
    send();
    while (underWay.size > 0) {
      await Promise.race(underWay);
      send();
    }
  };

  return {
    onStart: () => undefined,
    onEnd(span: ReadableSpan) {
      if (writer.length >= MAX_WAITING_BYTES) {
        givenUp += 1;
        return;
      }
      envelope ??= createEnvelope(span);
      encodeSpan(writer, span);
      waiting += 1;
      if (writer.length >= SEND_AT_BYTES) send();
      else timer ??= setTimeout(send, SEND_AFTER_MS).unref();
    },
    forceFlush: flush,
    async shutdown() {
      await flush();
      await delegate.shutdown();
    },
  };
}

function reportLost(spans: number, reason: string): void {
  if (spans > 0) process.stderr.write(`telemetry: ${spans} spans were not delivered: ${reason}\n`);
}
