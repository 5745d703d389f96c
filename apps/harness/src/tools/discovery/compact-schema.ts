/**
 * A tool's parameters with what a model needs and no more: first what only validators read goes, then, while it is longer
 * than the budget, descriptions, then the inside of deep objects.
 * Invariant: the result accepts whatever the schema accepts; the same schema gives the same bytes, however its members
 * were ordered.
 */
import { isRecord, sortMembers } from "../stable-json.ts";

type Schema = Record<string, unknown>;

export const SCHEMA_BUDGET_BYTES = 5_000;
/** What says nothing to a model that the rest does not say. */
const NOISE = new Set([
  "$schema",
  "$id",
  "$comment",
  "title",
  "default",
  "examples",
  "example",
  "pattern",
  "deprecated",
]);
/** Members whose own members are named by the schema's author, so that none of them is a keyword. */
const NAMED = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

export function compactSchema(schema: Schema, budgetBytes = SCHEMA_BUDGET_BYTES): Schema {
  const plain = dropUnreachable(mapSchema(schema, dropNoise));
  if (fits(plain, budgetBytes)) return plain;
  const bare = mapSchema(plain, ({ description: _, ...rest }) => rest);
  for (let depth = deepest(bare); depth > 0; depth--) {
    const collapsed = dropUnreachable(collapse(bare, depth));
    if (fits(collapsed, budgetBytes)) return collapsed;
  }
  return { type: "object" };
}

const fits = (schema: Schema, budgetBytes: number): boolean => Buffer.byteLength(JSON.stringify(schema)) <= budgetBytes;

function dropNoise({ const: constant, ...schema }: Schema): Schema {
  const kept = Object.entries(schema).filter(([name]) => !NOISE.has(name));
  return Object.fromEntries(constant === undefined ? kept : [...kept, ["enum", [constant]]]);
}

/** Applies `change` to the schema and to each schema in it; members come out sorted. */
function mapSchema(schema: Schema, change: (schema: Schema) => Schema): Schema {
  const mapMember = ([name, value]: [string, unknown]): [string, unknown] => {
    if (NAMED.has(name) && isRecord(value)) return [name, mapValues(value, (inner) => mapValue(inner, change))];
    // Values to compare with, not schemas.
    if (name === "enum" || name === "required") return [name, value];
    return [name, mapValue(value, change)];
  };
  const changed = Object.fromEntries(Object.entries(change(schema)).map(mapMember));
  const sorted = sortMembers(changed);
  return isRecord(sorted) ? sorted : changed;
}

function mapValue(value: unknown, change: (schema: Schema) => Schema): unknown {
  if (Array.isArray(value)) return value.map((inner) => mapValue(inner, change));
  return isRecord(value) ? mapSchema(value, change) : value;
}

const mapValues = (record: Schema, map: (value: unknown) => unknown): Schema =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));

/** Leaves out definitions that nothing refers to. */
function dropUnreachable(schema: Schema): Schema {
  const definitions = ["$defs", "definitions"];
  const { $defs: _, definitions: __, ...rest } = schema;
  const reached = new Set<string>();
  const follow = (value: unknown): void => {
    if (Array.isArray(value)) for (const inner of value) follow(inner);
    if (!isRecord(value)) return;
    for (const inner of Object.values(value)) follow(inner);
    if (typeof value.$ref !== "string" || reached.has(value.$ref)) return;
    reached.add(value.$ref);
    const [, group = "", name = ""] = /^#\/(\$defs|definitions)\/([^/]+)/.exec(value.$ref) ?? [];
    const named = schema[group];
    if (isRecord(named)) follow(named[name]);
  };
  follow(rest);
  const kept = definitions.flatMap((group): [string, unknown][] => {
    const named = schema[group];
    if (!isRecord(named)) return [];
    const used = Object.entries(named).filter(([name]) =>
      [...reached].some((ref) => `${ref}/`.startsWith(`#/${group}/${name}/`)),
    );
    return used.length === 0 ? [] : [[group, Object.fromEntries(used)]];
  });
  return Object.fromEntries([...kept, ...Object.entries(rest)]);
}

/** Objects and lists below `depth` say only what they are. */
function collapse(value: Schema, depth: number): Schema {
  if (depth === 0) return value.type === undefined ? {} : { type: value.type };
  const collapseValue = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(collapseValue);
    return isRecord(inner) ? collapse(inner, depth - 1) : inner;
  };
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (NAMED.has(name) && isRecord(inner)) return [name, mapValues(inner, collapseValue)];
      return [name, name === "enum" || name === "required" ? inner : collapseValue(inner)];
    }),
  );
}

function deepest(value: unknown): number {
  const inside = Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [];
  return inside.reduce((most: number, inner) => Math.max(most, deepest(inner) + (isRecord(inner) ? 1 : 0)), 0);
}
