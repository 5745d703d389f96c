/**
 * Adds top-level members to a JSON body, in place of those with the same name. The client's bytes stay as they are where that
 * is possible: appended members cost a copy, not a re-serialization, and numbers keep the digits they came with.
 */
import { readMembers, writeMembers } from "../json-members.ts";

export function addMembers(bytes: Buffer, json: unknown, additions: Record<string, unknown>): Buffer {
  const names = Object.keys(additions);
  if (names.length === 0) return bytes;
  const object = Object(json);
  // Some readers refuse a member that occurs twice.
  if (names.some((name) => Object.hasOwn(object, name))) {
    const members = readMembers(bytes.toString());
    for (const [name, value] of Object.entries(additions)) members.set(name, JSON.stringify(value));
    return Buffer.from(writeMembers(members));
  }
  const end = bytes.lastIndexOf("}");
  const members = JSON.stringify(additions).slice(1);
  return Buffer.concat([bytes.subarray(0, end), Buffer.from(`,${members}`)]);
}
