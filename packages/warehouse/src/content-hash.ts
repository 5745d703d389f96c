/** A 64-bit hash of what a record says, the same for the same content whatever the order of its keys. */
import { createHash } from "node:crypto";

/** Unsigned, in decimal: the text form of a UInt64. */
export function hashContent(content: unknown): string {
  return createHash("sha256").update(writeCanonical(content)).digest().readBigUInt64BE().toString();
}

/** JSON with sorted keys and integers of any length as text. By hand, as JSON.stringify with a replacer takes five times as long. */
export function writeCanonical(content: unknown): string {
  if (typeof content === "bigint") return `"${content}"`;
  if (typeof content !== "object" || content === null) return JSON.stringify(content) ?? "null";
  if (Array.isArray(content)) return `[${content.map(writeCanonical).join()}]`;
  if ("toJSON" in content && typeof content.toJSON === "function") return writeCanonical(content.toJSON());
  let members = "";
  for (const [name, member] of Object.entries(content).sort(byName)) {
    if (member === undefined) continue;
    members += `${members === "" ? "" : ","}${JSON.stringify(name)}:${writeCanonical(member)}`;
  }
  return `{${members}}`;
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);
