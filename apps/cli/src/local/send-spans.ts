/**
 * Spans of histories to a collector, the way any exporter sends them: the same bytes again after a broken connection or an
 * answer that asks for it. Resolves when they are acknowledged. What a record is refused for is counted, not thrown.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { CentspanError } from "@centspan/base";
import { encodeSpans } from "@centspan/ingest";
import type { SpanRecord } from "@centspan/model";

/** A body of some 500 bytes each stays well below the collector's limit, and is read at once. */
const SPANS_AT_ONCE = 2_000;
const UNDER_WAY = 3;
const PATIENCE_MS = 60_000;
/** Of somebody who wants to leave. */
const LAST_PATIENCE_MS = 3_000;
const AGAIN_AFTER_MS = 500;
const RETRYABLE = new Set([429, 502, 503, 504]);

export type SpanTarget = { otlpUrl: string; key: string };

/** After `signal` nothing is tried again; what is under way then is given up when `cut` says so. */
type Way = { isNear: boolean; signal: AbortSignal; cut: AbortSignal };

export type SpanSending = {
  /** Resolves when there is room for more. */
  add(spans: readonly SpanRecord[]): Promise<void>;
  /** Resolves when all that was added is acknowledged. */
  flush(): Promise<void>;
  counts(): { sent: number; refused: number; reason: string };
};

export function createSpanSending(target: SpanTarget, signal: AbortSignal): SpanSending {
  const cut = new AbortController();
  signal.addEventListener("abort", () => setTimeout(() => cut.abort(), LAST_PATIENCE_MS).unref(), { once: true });
  const isNear = /^https?:\/\/(127\.|localhost|\[::1\])/.test(target.otlpUrl);
  const way: Way = { isNear, signal, cut: cut.signal };
  const underWay = new Set<Promise<void>>();
  let waiting: SpanRecord[] = [];
  let failure: unknown;
  const counts = { sent: 0, refused: 0, reason: "" };

  const start = (spans: SpanRecord[]): void => {
    const sending = post(target, encodeSpans(spans), way)
      .then(({ refused, reason }) => {
        counts.sent += spans.length - refused;
        counts.refused += refused;
        if (refused > 0) counts.reason = reason;
      })
      .catch((error: unknown) => {
        failure ??= error;
      })
      .finally(() => underWay.delete(sending));
    underWay.add(sending);
  };
  const throwFailure = (): void => {
    if (failure !== undefined) throw failure;
  };

  return {
    async add(spans) {
      for (const span of spans) waiting.push(span);
      while (waiting.length >= SPANS_AT_ONCE) {
        while (underWay.size >= UNDER_WAY) await Promise.race(underWay);
        throwFailure();
        start(waiting.splice(0, SPANS_AT_ONCE));
      }
    },
    async flush() {
      if (waiting.length > 0) start(waiting);
      waiting = [];
      while (underWay.size > 0) await Promise.race(underWay);
      throwFailure();
    },
    counts: () => ({ ...counts }),
  };
}

type Taken = { refused: number; reason: string };

async function post({ otlpUrl, key }: SpanTarget, body: Uint8Array, { isNear, signal, cut }: Way): Promise<Taken> {
  const endAt = performance.now() + PATIENCE_MS;
  const request = {
    method: "POST",
    headers: {
      "content-type": "application/x-protobuf",
      authorization: `Bearer ${key}`,
      ...(!isNear && { "content-encoding": "gzip" }),
    },
    body: isNear ? body : gzipSync(body),
    signal: cut,
  };
  for (;;) {
    const answer = await ask(new URL("/v1/traces", otlpUrl), request);
    if (answer.status === 200) return readPartial(answer.body);
    if (answer.status !== null && !RETRYABLE.has(answer.status)) {
      const hint = answer.status === 401 || answer.status === 403 ? ": it wants a key of kind ingest" : "";
      throw new CentspanError("not_ready", `${otlpUrl} refused spans (HTTP ${answer.status})${hint}: ${answer.said}`);
    }
    if (signal.aborted || performance.now() + answer.waitMs > endAt) {
      const patience = signal.aborted ? "before it was interrupted" : `for ${PATIENCE_MS / 1000} s`;
      throw new CentspanError(
        "not_ready",
        `${otlpUrl} did not take spans ${patience} (${answer.said}); what was taken is kept, and the same command goes on from there`,
      );
    }
    await sleep(answer.waitMs, undefined, { signal }).catch(() => undefined);
  }
}

type Answer = { status: number | null; body: Uint8Array; said: string; waitMs: number };

async function ask(url: URL, request: RequestInit): Promise<Answer> {
  try {
    const response = await fetch(url, request);
    const body = new Uint8Array(await response.arrayBuffer());
    const said = response.status === 200 ? "" : Buffer.from(body).toString().slice(0, 300);
    const waitMs = Math.max(Number(response.headers.get("retry-after") ?? 0) * 1000, AGAIN_AFTER_MS);
    return { status: response.status, body, said, waitMs };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    return { status: null, body: new Uint8Array(), said: cause, waitMs: AGAIN_AFTER_MS };
  }
}

/** ExportTraceServiceResponse { partial_success = 1 { rejected_spans = 1, error_message = 2 } }; empty when all was taken. */
function readPartial(body: Uint8Array): Taken {
  const partial = readFields(body).get(1);
  const fields = readFields(partial instanceof Uint8Array ? partial : new Uint8Array());
  const [refused, reason] = [fields.get(1), fields.get(2)];
  return {
    refused: typeof refused === "number" ? refused : 0,
    reason: reason instanceof Uint8Array ? Buffer.from(reason).toString() : "",
  };
}

/** Numbers and byte strings of a protobuf message, by field. */
function readFields(bytes: Uint8Array): Map<number, number | Uint8Array> {
  const fields = new Map<number, number | Uint8Array>();
  let at = 0;
  const readVarint = (): number => {
    let value = 0;
    for (let scale = 1; at < bytes.length; scale *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * scale;
      if (byte < 128) break;
    }
    return value;
  };
  while (at < bytes.length) {
    const tag = readVarint();
    const value = readVarint();
    const [field, type] = [Math.floor(tag / 8), tag % 8];
    if (type === 0) fields.set(field, value);
    else if (type !== 2) break;
    else {
      fields.set(field, bytes.subarray(at, at + value));
      at += value;
    }
  }
  return fields;
}
