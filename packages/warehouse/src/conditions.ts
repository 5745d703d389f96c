/** Filters as SQL conditions over named parameters. Values never become part of a statement's text. */
import type { AttributeFilter, CallFilter, PageRequest, TimeRange } from "@centspan/model";
import { splitByBytes } from "./chunks.ts";
import type { QueryParams } from "./connection.ts";
import { readCursor } from "./cursor.ts";
import { instantParam } from "./instants.ts";

export type Conditions = { sql: string[]; params: QueryParams };

export const NO_CONDITION: Conditions = { sql: [], params: {} };

/** Columns that a filter compares for equality. */
export const FILTER_COLUMNS = {
  key: "key",
  keyId: "key_id",
  team: "team",
  task: "task",
  model: "model",
  taskType: "task_type",
  repository: "repository",
  runId: "run_id",
  traceId: "trace_id",
} as const satisfies Record<Exclude<keyof CallFilter, "range">, string>;
type FilterName = keyof typeof FILTER_COLUMNS;

const FILTER_NAMES: readonly FilterName[] = [
  "key",
  "keyId",
  "team",
  "task",
  "model",
  "taskType",
  "repository",
  "runId",
  "traceId",
];

/** One condition for each member of the filter that is set; `column` says where a name's value is found. */
export function whereEquals(
  filter: CallFilter,
  column: (name: FilterName) => string = (name) => FILTER_COLUMNS[name],
): Conditions {
  const set = FILTER_NAMES.filter((name) => filter[name] !== undefined);
  return {
    sql: set.map((name) => `${column(name)} = {${name}:String}`),
    params: Object.fromEntries(set.map((name) => [name, filter[name]])),
  };
}

/** One condition for each column whose value is given. */
export function whereColumns(values: Readonly<Record<string, string | undefined>>): Conditions {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return { sql: given.map(([column]) => `${column} = {${column}:String}`), params: Object.fromEntries(given) };
}

/** One of these values, however many: a field of a request has a bound, so they are in as many as they need. */
export function whereIn(name: string, column: string, values: readonly string[]): Conditions {
  const chunks = splitByBytes(values).map((chunk, index) => [`${name}${index}`, chunk] as const);
  const isIn = chunks.map(([field]) => `${column} IN {${field}:Array(String)}`);
  return { sql: [isIn.length === 0 ? "false" : `(${isIn.join(" OR ")})`], params: Object.fromEntries(chunks) };
}

export function whereAttribute(attribute: AttributeFilter | undefined): Conditions {
  if (attribute === undefined) return NO_CONDITION;
  return {
    // Asked of the keys too: there a skip index helps, and an absent attribute would read as an empty one.
    sql: [
      "mapContains(attributes, {attributeKey:String})",
      "attributes[{attributeKey:String}] = {attributeValue:String}",
    ],
    params: { attributeKey: attribute.key, attributeValue: attribute.value },
  };
}

export function whereInRange(filter: { range?: TimeRange }, column: string): Conditions {
  if (filter.range === undefined) return NO_CONDITION;
  const { fromNs, toNs } = filter.range;
  return {
    sql: [`${column} >= ${instantParam("fromNs")}`, `${column} < ${instantParam("toNs")}`],
    params: { fromNs: fromNs.toString(), toNs: toNs.toString() },
  };
}

/** Rows behind the cursor of a list sorted by (column, id), both descending. */
export function whereBehindCursor(page: PageRequest, column: string, idColumn: string): Conditions {
  if (page.cursor === null) return NO_CONDITION;
  const { atNs, id } = readCursor(page.cursor);
  return {
    sql: [`(${column}, ${idColumn}) < (${instantParam("cursorNs")}, {cursorId:String})`],
    params: { cursorNs: atNs.toString(), cursorId: id },
  };
}

export function allOf(...parts: Conditions[]): Conditions {
  return { sql: parts.flatMap(({ sql }) => sql), params: Object.assign({}, ...parts.map(({ params }) => params)) };
}

/** ` AND a AND b`, to follow a condition that is always there. */
export const and = ({ sql }: Conditions): string => sql.map((condition) => ` AND ${condition}`).join("");
