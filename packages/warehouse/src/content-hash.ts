/** A 64-bit hash of what a record says, the same for the same content whatever the order of its keys. */
import { createHash } from "node:crypto";

/** Unsigned, in decimal: the text form of a UInt64. */
export function hashContent(content: unknown): string {
  return createHash("sha256").update(writeCanonical(content)).digest().readBigUInt64BE().toString();
}

function writeCanonical(content: unknown): string {
  return JSON.stringify(content, (_key, value: unknown) => {
    if (typeof value === "bigint") return value.toString();
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
