/** OTLP's two encodings as HTTP names them. */
import { CentspanError } from "@centspan/base";
import type { Encoding } from "@centspan/ingest";

export const MEDIA_TYPES: Record<Encoding, string> = {
  protobuf: "application/x-protobuf",
  json: "application/json",
};

/** The encoding that a content type names, parameters ignored. */
export function readEncoding(contentType: string | undefined): Encoding | null {
  const mediaType = (contentType ?? "").split(";")[0]?.trim().toLowerCase();
  if (mediaType === MEDIA_TYPES.protobuf) return "protobuf";
  return mediaType === MEDIA_TYPES.json ? "json" : null;
}

export function requireEncoding(contentType: string | undefined): Encoding {
  const encoding = readEncoding(contentType);
  if (encoding) return encoding;
  throw new CentspanError(
    "unsupported_media_type",
    `content-type: must be ${Object.values(MEDIA_TYPES).join(" or ")}`,
    { field: "content-type" },
  );
}
