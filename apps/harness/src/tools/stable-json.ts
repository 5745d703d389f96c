/** JSON text that depends on the value alone, not on the order in which its members were written. */
export const stableJson = (value: unknown): string => JSON.stringify(sortMembers(value));

export function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (!isRecord(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sortMembers(value[name])]));
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
