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
type Kind = { names: readonly string[]; members: readonly Member[] };

/** Records of one kind have the same names: they are sorted once. By their number, since few kinds have the same. */
const kindsByLength = new Map<number, Kind[]>();
const MOST_OF_A_LENGTH = 8;

function membersOf(content: object): readonly Member[] {
  const names = Object.keys(content);
  const kinds = kindsByLength.get(names.length) ?? [];
  const known = kinds.find((kind) => names.every((name, index) => name === kind.names[index]));
  if (known) return known.members;
  const members = names.toSorted().map((name) => ({ name, label: `${JSON.stringify(name)}:` }));
  kindsByLength.set(names.length, [{ names, members }, ...kinds].slice(0, MOST_OF_A_LENGTH));
  return members;
}
