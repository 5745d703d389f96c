/**
 * What an OTLP receiver says: export responses and google.rpc.Status, in the encoding of the request.
 * Messages: opentelemetry-proto collector/{trace,logs,metrics}/v1, googleapis google/rpc/{status,error_details}.proto.
 * Must not: know HTTP or gRPC beyond these bytes.
 */
import type { Signal } from "@centspan/model";
import { encodeMessage, type JsonObject } from "./json/write-message.ts";

export type Encoding = "protobuf" | "json";

const write = (encoding: Encoding, name: string, message: JsonObject): Buffer =>
  encoding === "json" ? Buffer.from(JSON.stringify(message)) : encodeMessage(name, message);

const RESPONSES: Record<Signal, { type: string; rejected: string }> = {
  traces: { type: "ExportTraceServiceResponse", rejected: "rejectedSpans" },
  logs: { type: "ExportLogsServiceResponse", rejected: "rejectedLogRecords" },
  metrics: { type: "ExportMetricsServiceResponse", rejected: "rejectedDataPoints" },
};

/** Export{Trace,Logs,Metrics}ServiceResponse; empty when every record was taken. */
export function writeExportResponse(
  signal: Signal,
  encoding: Encoding,
  rejected: number,
  errorMessage: string,
): Buffer {
  const { type, rejected: field } = RESPONSES[signal];
  const partialSuccess = { [field]: String(rejected), errorMessage };
  return write(encoding, type, rejected > 0 ? { partialSuccess } : {});
}

/** `code` is one of google.rpc.Code. */
export type RpcStatus = { code: number; message: string };

/** The body of an HTTP answer that is an error. */
export const writeStatus = (encoding: Encoding, { code, message }: RpcStatus): Buffer =>
  write(encoding, "Status", { code, message });

/** For gRPC's `grpc-status-details-bin`: a status that says when to try again, without which exporters may not. */
export function writeRetryStatus({ code, message }: RpcStatus, retryAfterS: number): Buffer {
  const seconds = Math.floor(retryAfterS);
  const retryDelay = { seconds, nanos: Math.round((retryAfterS - seconds) * 1e9) };
  const value = encodeMessage("RetryInfo", { retryDelay }).toString("base64");
  return encodeMessage("Status", { code, message, details: [{ typeUrl: RETRY_INFO, value }] });
}

const RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo";
