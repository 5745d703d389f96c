/**
 * What questions about spend add up: rows of days that are summed up already, and of the calls of all other times. Both
 * have the same columns, so a question does not know which it reads. The answer is that of the calls, to the last digit.
 */
import { type CallFilter, METERS, type TimeRange } from "@centspan/model";
import { allOf, and, type Conditions, listFilterColumns, whereEquals, whereInRanges } from "../conditions.ts";
import type { Connection, QueryParams } from "../connection.ts";
import { BUCKET_COLUMNS, columnOf } from "../rows/call-row.ts";
import type { CostDay } from "../rows/cost-day-row.ts";
import { COST_DIMENSIONS } from "../schema.ts";
import { ALL_TIME, askWithDays, listGaps, whereOnDays } from "./fresh-days.ts";

/** A row stands for calls as a whole, or for a meter that calls used. */
export type Grain = "calls" | "meters";
/** Names and what they are, as SQL over the columns of a call. */
export type SpendColumns = Readonly<Record<string, string>>;

/** What every row has, to be summed. `charged_usd` is null where nothing is charged, and unknown rather than nothing. */
export const SPEND_SUMS: Readonly<Record<Grain, readonly string[]>> = {
  calls: ["calls", "requests", ...Object.values(BUCKET_COLUMNS), "charged_usd"],
  meters: ["calls", "requests", "quantity", "charged_quantity", "charged_usd"],
};

/** The columns, `meter` where rows are of one, and what is summed. */
export const selectCallSpend = (grain: Grain, columns: SpendColumns, where: Conditions): string =>
  grain === "calls"
    ? `SELECT ${[...named(columns), "1 AS calls", "requests", ...Object.values(BUCKET_COLUMNS)].join(", ")},
         cost_usd AS charged_usd
       FROM calls FINAL WHERE workspace = {workspace:String}${and(where)}`
    : selectMeterSpend(columns, where);

const named = (columns: SpendColumns): string[] => Object.entries(columns).map(([name, sql]) => `${sql} AS ${name}`);

/**
 * Calls that used and were charged the same meters are added up before each meter has its row: there are few such kinds.
 * Every line is of a meter that was used; a meter without one was used and not charged.
 */
const selectMeterSpend = (columns: SpendColumns, where: Conditions): string =>
  `SELECT ${Object.keys(columns).join(", ")}, meter, calls, requests, quantity,
     line_quantities[indexOf(line_meters, meter)] AS charged_quantity,
     line_costs::Array(Nullable(Decimal(38, 12)))[indexOf(line_meters, meter)] AS charged_usd
   FROM (
     SELECT *, arrayJoin(arrayFilter(pair -> pair.2 > 0, [${USED_METERS}])) AS used, used.1 AS meter, used.2 AS quantity
     FROM (
       SELECT ${named(columns).join(", ")}, (${ARE_USED}) AS are_used, lines.meter AS line_meters, count() AS calls,
         ${METERS.map((meter) => `sum(call.${columnOf(meter)}) AS ${columnOf(meter)}`).join(", ")},
         sum(call.requests) AS requests, sumForEach(lines.quantity) AS line_quantities, sumForEach(lines.cost_usd) AS line_costs
       FROM calls AS call FINAL
       WHERE workspace = {workspace:String}${and(where)}
       GROUP BY ALL
     )
   )`;

const USED_METERS = METERS.map((meter) => `('${meter}', ${columnOf(meter)})`).join(", ");
const ARE_USED = METERS.map((meter) => `call.${columnOf(meter)} > 0`).join(", ");

type SpendQuestion = {
  grain: Grain;
  columns: SpendColumns;
  filter: CallFilter;
  /** Whether a day's sums tell what is asked of its calls; null where none do. */
  fits: ((day: TimeRange) => boolean) | null;
};

/** Answers by `ask`, which is given the rows as SQL of a subselect, and their parameters. */
export async function readSpend<Answer>(
  connection: Connection,
  workspace: string,
  { grain, columns, filter, fits }: SpendQuestion,
  ask: (rows: string, params: QueryParams) => Promise<Answer>,
): Promise<Answer> {
  const range = filter.range ?? ALL_TIME;
  const equals = whereEquals(filter);
  const askWith = (days: readonly CostDay[]): Promise<Answer> => {
    const ofCalls = allOf(equals, whereInRanges(listGaps(range, days), "at"));
    const ofDays = allOf(equals, whereOnDays(days, "at"));
    const isOfMeter = grain === "meters";
    // Added up here, so that the store can take the sums that it keeps by fewer columns.
    const sums = `SELECT ${[
      ...named(columns),
      ...(isOfMeter ? ["meter"] : []),
      ...SPEND_SUMS[grain].map((column) => `sum(${column}) AS ${column}`),
    ].join(", ")}
      FROM daily_costs
      WHERE workspace = {workspace:String} AND meter ${isOfMeter ? "!=" : "="} ''${and(ofDays)}
      GROUP BY ALL`;
    const rows = [selectCallSpend(grain, columns, ofCalls), ...(days.length > 0 ? [sums] : [])];
    return ask(rows.join(" UNION ALL "), { ...ofCalls.params, ...ofDays.params, workspace });
  };
  return fits === null || !isKeptByDay(filter)
    ? askWith([])
    : askWithDays(connection, workspace, { range, fits }, askWith);
}

const KEPT_BY_DAY: ReadonlySet<string> = new Set(COST_DIMENSIONS);
const isKeptByDay = (filter: CallFilter): boolean =>
  listFilterColumns(filter).every((column) => KEPT_BY_DAY.has(column));
