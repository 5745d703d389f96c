/** A span's attributes in groups by the start of their names, known groups first, each sorted: nothing is left out. */

export type AttributeGroup = { prefix: string; entries: { name: string; value: string }[] };

const KNOWN = ["centspan", "gen_ai", "http", "error"];

const prefixOf = (name: string): string => name.split(".", 1)[0] ?? name;

export function groupAttributes(attributes: Record<string, string>): AttributeGroup[] {
  const groups = new Map<string, AttributeGroup>();
  for (const name of Object.keys(attributes).sort()) {
    const prefix = prefixOf(name);
    const group = groups.get(prefix) ?? { prefix, entries: [] };
    group.entries.push({ name, value: attributes[name] ?? "" });
    groups.set(prefix, group);
  }
  const rank = (prefix: string): number => (KNOWN.includes(prefix) ? KNOWN.indexOf(prefix) : KNOWN.length);
  return [...groups.values()].sort((a, b) => rank(a.prefix) - rank(b.prefix) || (a.prefix < b.prefix ? -1 : 1));
}
