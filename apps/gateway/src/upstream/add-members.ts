/**
 * Adds top-level members to a JSON body. The client's bytes stay as they are where that is possible: appended members
 * cost a copy, not a re-serialization, and numbers keep the digits they came with.
 */
export function addMembers(bytes: Buffer, json: unknown, additions: Record<string, unknown>): Buffer {
  const names = Object.keys(additions);
  if (names.length === 0) return bytes;
  const object = Object(json);
  // Some readers refuse a member that occurs twice.
  if (names.some((name) => Object.hasOwn(object, name)))
    return Buffer.from(JSON.stringify({ ...object, ...additions }));
  const end = bytes.lastIndexOf("}");
  const members = JSON.stringify(additions).slice(1);
  return Buffer.concat([bytes.subarray(0, end), Buffer.from(`,${members}`)]);
}
