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
  for (const { name, label } of membersOf(content)) {
    const member: unknown = Reflect.get(content, name);
    if (member !== undefined) members += `${members === "" ? "" : ","}${label}${writeCanonical(member)}`;
  }
  return `{${members}}`;
}

type Member = { name: string; label: string };

/** Records of one kind have the same names: they are sorted once. */
const membersByNames = new Map<string, readonly Member[]>();
const MOST_KINDS = 1000;

function membersOf(content: object): readonly Member[] {
  const names = Object.keys(content);
  const key = JSON.stringify(names);
  const known = membersByNames.get(key);
  if (known) return known;
  const members = names.sort().map((name) => ({ name, label: `${JSON.stringify(name)}:` }));
  if (membersByNames.size >= MOST_KINDS) membersByNames.clear();
  membersByNames.set(key, members);
  return members;
}
