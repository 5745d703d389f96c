/**
 * What the collector says: export responses and google.rpc.Status, in the encoding of the request.
 * Messages: opentelemetry-proto collector/trace/v1, googleapis google/rpc/status.proto and code.proto.
 */
import { CentspanError } from "@centspan/base";

export const ENCODINGS = { protobuf: "application/x-protobuf", json: "application/json" } as const;
export type Encoding = keyof typeof ENCODINGS;

/** The encoding that a content type names, parameters ignored. */
export function readEncoding(contentType: string | undefined): Encoding | null {
  const mediaType = (contentType ?? "").split(";")[0]?.trim().toLowerCase();
  if (mediaType === ENCODINGS.protobuf) return "protobuf";
  return mediaType === ENCODINGS.json ? "json" : null;
}

export function requireEncoding(contentType: string | undefined): Encoding {
  const encoding = readEncoding(contentType);
  if (encoding) return encoding;
  throw new CentspanError("unsupported_media_type", `content-type: must be ${Object.values(ENCODINGS).join(" or ")}`, {
    field: "content-type",
  });
}

/** ExportTraceServiceResponse; empty when every span was taken. */
export function writeExportResponse(encoding: Encoding, rejectedSpans: number, errorMessage: string): Buffer {
  const partial = rejectedSpans > 0;
  if (encoding === "json") {
    const message = partial ? { partialSuccess: { rejectedSpans: String(rejectedSpans), errorMessage } } : {};
    return Buffer.from(JSON.stringify(message));
  }
  if (!partial) return Buffer.alloc(0);
  const partialSuccess = Buffer.concat([writeVarintField(1, rejectedSpans), writeBytesField(2, errorMessage)]);
  return writeBytesField(1, partialSuccess);
}

export function writeStatus(encoding: Encoding, error: CentspanError): Buffer {
  const code = toGrpcCode(error.status);
  if (encoding === "json") return Buffer.from(JSON.stringify({ code, message: error.message, details: [] }));
  return Buffer.concat([writeVarintField(1, code), writeBytesField(2, error.message)]);
}

/** google.rpc.Code by HTTP status. */
function toGrpcCode(status: number): number {
  const codes: Partial<Record<number, number>> = { 400: 3, 401: 16, 403: 7, 404: 5, 405: 12, 413: 8, 415: 3, 429: 8 };
  return codes[status] ?? (status === 500 ? 13 : 14);
}

function writeVarint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
  return bytes;
}

const writeVarintField = (field: number, value: number): Buffer =>
  Buffer.from([...writeVarint(field * 8), ...writeVarint(value)]);

function writeBytesField(field: number, value: string | Buffer): Buffer {
  const bytes = typeof value === "string" ? Buffer.from(value) : value;
  return Buffer.concat([Buffer.from([...writeVarint(field * 8 + 2), ...writeVarint(bytes.length)]), bytes]);
}
