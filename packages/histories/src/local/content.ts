/** What of content may be told: its size and a hash. The hash is salted with the session, so that it is no dictionary's. */
import { hash as hashOnce } from "node:crypto";

export const sizeOf = (text: string): number => Buffer.byteLength(text);

export const hashOf = (salt: string, text: string): string =>
  hashOnce("sha256", `${salt}\n${text}`, "hex").slice(0, 16);

/** The same arguments give the same text, in whatever order an agent wrote them. */
export function toCanonicalText(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

export const toNs = (ms: number): bigint => BigInt(ms) * 1_000_000n;
