/** One turn as the transports see it: what is asked, what came back, and what it took on the way. */
import { CentspanError } from "@centspan/base";
import type { SpanAttributes } from "@centspan/telemetry";
import type { Prompt } from "../context/context-log.ts";
import type { TurnResult } from "./read-turn.ts";

export type TurnRequest = { prompt: Prompt; headers: Record<string, string>; signal: AbortSignal };

export const TRANSPORT_KINDS = ["websocket", "sse", "http"] as const;
export type TransportKind = (typeof TRANSPORT_KINDS)[number];

/** Over all tries of a turn. */
export type Traffic = {
  bytesSent: number;
  bytesReceived: number;
  /** Connections that had to be opened for it. */
  handshakes: number;
  /** Whether the last try sent only what is new. */
  incremental: boolean;
  /** Whether the gateway had the answer already, from a try of the same turn before; known over HTTP. */
  replayed: boolean;
};

export type TurnAnswer = TurnResult &
  Traffic & {
    kind: TransportKind;
    retries: number;
    /** Why a better transport is not used from this turn on. */
    fallback: string | null;
  };

/** One way to send turns of one thread. A try counts its traffic whether it succeeds or not. */
export type Transport = {
  kind: TransportKind;
  send(request: TurnRequest, ordinal: number, traffic: Traffic): Promise<TurnResult>;
  close(): void;
};

/** The other side does not speak this transport: another try is useless, another transport is not. */
export class TransportRefused extends Error {}

/** An answer that goes on for ever ends here; no model writes as much in one turn. */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

export const tooLong = (): CentspanError =>
  new CentspanError("payload_too_large", `the model's answer is longer than ${MAX_ANSWER_BYTES} bytes`);

/** Longest silence of the server that is not a failure: a long queue or a long prefill sends nothing. */
export const SILENCE_LIMIT_MS = 300_000;

export const PEER = "the gateway";

export const describeTraffic = (answer: TurnAnswer): SpanAttributes => ({
  "centspan.transport.kind": answer.kind,
  "centspan.transport.bytes_sent": answer.bytesSent,
  "centspan.transport.bytes_received": answer.bytesReceived,
  "centspan.transport.handshakes": answer.handshakes,
  "centspan.transport.incremental": answer.incremental,
  "centspan.transport.fallback": answer.fallback ?? undefined,
  "centspan.retry.ordinal": answer.retries,
});
