/** Filters as SQL conditions over named parameters. Values never become part of a statement's text. */
import { type AttributeFilter, CALL_FILTERS, type CallFilter, type PageRequest, type TimeRange } from "@centspan/model";
import { splitByBytes } from "./chunks.ts";
import type { QueryParams } from "./connection.ts";
import { readCursor } from "./cursor.ts";
import { instantParam } from "./instants.ts";
import { DAY_OF_CALL } from "./schema.ts";

export type Conditions = { sql: string[]; params: QueryParams };

export const NO_CONDITION: Conditions = { sql: [], params: {} };

/** Columns that a filter compares for equality. */
export const FILTER_COLUMNS = {
  key: "key",
  keyId: "key_id",
  team: "team",
  task: "task",
  provider: "provider",
  model: "model",
  taskType: "task_type",
  repository: "repository",
  runId: "run_id",
  traceId: "trace_id",
} as const satisfies Record<Exclude<keyof CallFilter, "range">, string>;
type FilterName = keyof typeof FILTER_COLUMNS;

/** The columns that the filter compares. */
export const listFilterColumns = (filter: CallFilter): string[] =>
  CALL_FILTERS.filter((name) => filter[name] !== undefined).map((name) => FILTER_COLUMNS[name]);

/** One condition for each member of the filter that is set; `column` says where a name's value is found. */
export function whereEquals(
  filter: CallFilter,
  column: (name: FilterName) => string = (name) => FILTER_COLUMNS[name],
): Conditions {
  const set = CALL_FILTERS.filter((name) => filter[name] !== undefined);
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

/**
 * Calls with these ids, and the deleted rows that they left, on the days that have any. FINAL leaves out days for a
 * condition on the time alone.
 */
export function whereCallIds(ids: readonly string[]): Conditions {
  const named = whereIn("callIds", "call_id", ids);
  const ofTimes = (sql: string) => `(SELECT ${sql} FROM call_times WHERE workspace = {workspace:String}${and(named)})`;
  return {
    sql: [
      ...named.sql,
      `${DAY_OF_CALL} IN ${ofTimes(DAY_OF_CALL)}`,
      `at BETWEEN ${ofTimes("min(at)")} AND ${ofTimes("max(at)")}`,
    ],
    params: named.params,
  };
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

/**
 * In any of the ranges. The last nanosecond of each is told, as the one after it may be past what the store holds. `name` is of
 * its parameters.
 */
export function whereInRanges(ranges: readonly TimeRange[], column: string, name = ""): Conditions {
  const [from, last] = [`${name}from`, `${name}last`];
  const within = ranges.map((_, n) => `${column} BETWEEN ${instantParam(from + n)} AND ${instantParam(last + n)}`);
  const bounds = ranges.flatMap(({ fromNs, toNs }, n) => [
    [from + n, fromNs.toString()],
    [last + n, (toNs - 1n).toString()],
  ]);
  return { sql: [within.length === 0 ? "false" : `(${within.join(" OR ")})`], params: Object.fromEntries(bounds) };
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
