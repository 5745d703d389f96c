/**
 * Encodes spans as they end and sends them to a collector, several requests at once where it takes its time to acknowledge.
 * What it can't take for the moment is kept and sent again, for as long as there is room.
 * Invariant: nothing is dropped in silence. What is refused for good, what there is no room for, and what a stop leaves
 * undelivered is counted and said on stderr.
 */
import { type ExportResult, ExportResultCode } from "@opentelemetry/core";
import { OTLPExporterError } from "@opentelemetry/otlp-exporter-base";
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from "@opentelemetry/otlp-exporter-base/node-http";
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace-node";
import { createEnvelope, encodeSpan } from "./encode-span.ts";
import { createProtobufWriter } from "./protobuf-writer.ts";

const SEND_AT_BYTES = 256 * 1024;
const SEND_AFTER_MS = 500;
const MAX_UNDER_WAY = 16;
/** After the exporter's own retries, which take up to ten seconds. */
const AGAIN_AFTER_MS = 5_000;
/** What waits and what is under way; beyond it spans are given up. */
const MAX_HELD_BYTES = 256 * 1024 * 1024;

type Batch = { spans: number; bytes: Buffer };

/** Enough for a batch, whose last span may be a long one. */
const MEMORY_BYTES = SEND_AT_BYTES + 32 * 1024;
const MOST_SPARE = 4;

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
  const queue: Batch[] = [];
  /** Of batches that were delivered, for those to come: as garbage it would have everything collected every second. */
  const spare: Buffer[] = [];
  let envelope: ReturnType<typeof createEnvelope> | undefined;
  let gathered = 0;
  let heldBytes = 0;
  let givenUp = 0;
  let failures = 0;
  let isAway = false;
  let isStopping = false;
  let timer: NodeJS.Timeout | undefined;

  const seal = (): void => {
    if (envelope === undefined || gathered === 0) return;
    const head = envelope(writer.length);
    const size = head.length + writer.length;
    const memory = size > MEMORY_BYTES ? Buffer.allocUnsafe(size) : (spare.pop() ?? Buffer.allocUnsafe(MEMORY_BYTES));
    memory.set(head);
    memory.set(writer.take(), head.length);
    const batch = { spans: gathered, bytes: memory.subarray(0, size) };
    queue.push(batch);
    heldBytes += batch.bytes.length;
    gathered = 0;
  };

  const send = (): void => {
    clearTimeout(timer);
    timer = undefined;
    while (underWay.size < MAX_UNDER_WAY) {
      if (queue.length === 0) seal();
      const batch = queue.shift();
      if (batch === undefined) return;
      const sending = new Promise<ExportResult>((resolve) => delegate.export(batch, resolve)).then((result) => {
        underWay.delete(sending);
        settle(batch, result);
      });
      underWay.add(sending);
    }
  };

  const settle = (batch: Batch, { code, error }: ExportResult): void => {
    const isFailed = code === ExportResultCode.FAILED;
    const isKept = isFailed && !isStopping && !isRefusedForGood(error);
    if (isFailed) failures += 1;
    if (isKept) queue.unshift(batch);
    else heldBytes -= batch.bytes.length;
    // Of a request that failed it is not known whether something still reads it.
    const { buffer } = batch.bytes;
    if (!isFailed && buffer.byteLength === MEMORY_BYTES && spare.length < MOST_SPARE) spare.push(Buffer.from(buffer));
    if (isFailed && !isKept) reportLost(batch.spans, describe(error));
    if (isKept && !isAway) report(`the collector takes no spans now, they wait and are sent again: ${describe(error)}`);
    const isBack = isAway && !isFailed;
    isAway = isKept;
    if (isKept) timer ??= setTimeout(send, AGAIN_AFTER_MS).unref();
    // What was due meanwhile.
    else if (isBack || (timer === undefined && !(isFailed && isStopping))) send();
  };

  /** Ends where an attempt fails: who flushes doesn't wait for a collector to come back. */
  const flush = async (): Promise<void> => {
    await Promise.all(underWay);
    const before = failures;
    send();
    while (underWay.size > 0 && failures === before) {
      await Promise.race(underWay);
      if (failures === before) send();
    }
  };

  return {
    onStart: () => undefined,
    onEnd(span: ReadableSpan) {
      if (heldBytes + writer.length >= MAX_HELD_BYTES) {
        givenUp += 1;
        return;
      }
      reportLost(givenUp, "they came faster than they could be sent");
      givenUp = 0;
      envelope ??= createEnvelope(span);
      encodeSpan(writer, span);
      gathered += 1;
      if (writer.length >= SEND_AT_BYTES) {
        seal();
        if (!isAway) send();
      } else timer ??= setTimeout(send, SEND_AFTER_MS).unref();
    },
    forceFlush: flush,
    async shutdown() {
      isStopping = true;
      await flush();
      while (underWay.size > 0) await Promise.race(underWay);
      const left = queue.reduce((sum, { spans }) => sum + spans, gathered + givenUp);
      reportLost(left, "the collector was away until the end");
      await delegate.shutdown();
    },
  };
}

/** An answer has a status; those that ask to try again come without it, as do failures of the connection. */
const isRefusedForGood = (error: ExportResult["error"]): boolean =>
  error instanceof OTLPExporterError && error.code !== undefined;

const describe = (error: ExportResult["error"]): string => error?.message ?? "no reason given";

const report = (text: string): void => void process.stderr.write(`telemetry: ${text}\n`);

function reportLost(spans: number, reason: string): void {
  if (spans > 0) report(`${spans} spans were not delivered: ${reason}`);
}
