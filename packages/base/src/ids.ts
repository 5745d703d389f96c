/**
 * Identifiers: content-derived ids that make repeated work idempotent, and hex checks for trace context.
 * Must not: create secrets (that is the control plane's).
 */
import { createHash, randomBytes } from "node:crypto";

/** A stable id from parts: same parts, same id. Parts are length-prefixed, so no two lists collide by concatenation. */
export function deriveId(prefix: string, ...parts: string[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return `${prefix}_${hash.digest("hex").slice(0, 32)}`;
}

/** A random id for things that happen once, such as runs. Sortable by time to the millisecond. */
export function createId(prefix: string): string {
  return `${prefix}_${Date.now().toString(16).padStart(12, "0")}${randomBytes(8).toString("hex")}`;
}

/** Trace ids have 16 bytes, span ids 8; all zeros is not an id (W3C Trace Context). Returns lower-case hex or null. */
export function normaliseHexId(text: string, bytes: 8 | 16): string | null {
  const hex = text.toLowerCase();
  return hex.length === bytes * 2 && /^[0-9a-f]+$/.test(hex) && !/^0+$/.test(hex) ? hex : null;
}
