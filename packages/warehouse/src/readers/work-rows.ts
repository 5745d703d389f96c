/**
 * What questions about tasks add up: rows of days that are summed up already, and of the calls of all other times. Both have the
 * same columns, so a question does not know which it reads. Sessions that shared a piece of work, or changed from one to another
 * (work_stretches), count as these pieces, call by call: their calls are read themselves.
 */
import type { CallFilter, TimeRange } from "@centspan/model";
import { allOf, and, type Conditions, whereEquals, whereInRanges } from "../conditions.ts";
import type { Connection, QueryParams } from "../connection.ts";
import type { CostDay } from "../rows/cost-day-row.ts";
import { WORK_DIMENSIONS } from "../schema.ts";
import { ALL_TIME, askWithDays, listGaps, whereOnDays } from "./fresh-days.ts";

/** Which row has the first call, as one number: of one instant it is any, but always the same. */
export const FIRST = "bitShiftLeft(toUInt128(toUnixTimestamp64Nano(at)), 64) + first_call";
/** What the first call of a row says. */
export const FIRST_SAYS = ["trace_id", ...WORK_DIMENSIONS];
export const WORK_SUMS = ["calls", "unpriced_calls", "spend_usd", "simulated_usd"];

const NOTHING_USD = "toDecimal128(0, 12)";

/** A row for each call. */
export const selectCallWork = (where: Conditions): string =>
  `SELECT task, run_id, session_id, at, cityHash64(call_id) AS first_call, ${FIRST_SAYS.join(", ")},
     [trace_id] AS trace_ids, toUInt64(1) AS calls, toUInt64(isNull(cost_usd)) AS unpriced_calls,
     ifNull(cost_usd, ${NOTHING_USD}) AS spend_usd, if(provenance = 'simulated', spend_usd, ${NOTHING_USD}) AS simulated_usd
   FROM calls FINAL WHERE workspace = {workspace:String}${and(where)}`;

const selectDays = (where: Conditions): string =>
  `SELECT task, run_id, session_id, at, first_call, ${FIRST_SAYS.join(", ")}, trace_ids, ${WORK_SUMS.join(", ")}
   FROM daily_work WHERE workspace = {workspace:String}${and(where)}`;

const IS_STRETCHED = "task IN (SELECT task FROM work_stretches FINAL WHERE workspace = {workspace:String})";

/** Rows as those of the piece of work that each was of at its instant. */
export const selectPieces = (rows: string): string =>
  `SELECT own.* EXCEPT (task), if(work != '', work, own.task) AS task
   FROM (${rows}) AS own
   ASOF LEFT JOIN (
     SELECT task, from_at, work FROM work_stretches FINAL WHERE workspace = {workspace:String}
   ) AS stretch ON own.task = stretch.task AND own.at >= stretch.from_at`;

type OfNoTask = { filter: CallFilter; fits: (day: TimeRange) => boolean };

type WorkQuestion = {
  /** Whether there are `work_stretches`. */
  hasStretches: boolean;
  /** Which calls of no task are there, too, and of which days their sums will do; tasks are whole. None where it is not given. */
  ofNoTask?: OfNoTask;
};

/** Answers by `ask`, which is given the rows as SQL of a subselect, and their parameters. */
export const readWork = <Answer>(
  connection: Connection,
  workspace: string,
  { hasStretches, ofNoTask }: WorkQuestion,
  ask: (rows: string, params: QueryParams) => Promise<Answer>,
): Promise<Answer> =>
  askWithDays(connection, workspace, { range: ALL_TIME, fits: () => true }, (days) => {
    const parts = [
      ...listTaskParts(days, hasStretches),
      ...(ofNoTask === undefined ? [] : listOtherParts(days, ofNoTask)),
    ];
    const rows = parts.map(({ sql }) => sql).join(" UNION ALL ");
    const params = Object.assign({ workspace }, ...parts.map((part) => part.params));
    return ask(hasStretches ? selectPieces(rows) : rows, params);
  });

type Part = { sql: string; params: QueryParams };

/** A part that nothing can be in is left out: with FINAL the store reads all calls before it sees that none is asked for. */
function listTaskParts(days: readonly CostDay[], hasStretches: boolean): Part[] {
  const gaps = whereInRanges(listGaps(ALL_TIME, days), "at");
  const ofDays = whereOnDays(days, "day_at");
  const isOpen = hasStretches ? [`(${gaps.sql.join(" AND ")} OR ${IS_STRETCHED})`] : gaps.sql;
  const isPlain = hasStretches ? [`NOT ${IS_STRETCHED}`] : [];
  const calls = { sql: selectCallWork({ sql: ["task != ''", ...isOpen], params: {} }), params: gaps.params };
  const sums = selectDays({ sql: ["task != ''", ...ofDays.sql, ...isPlain], params: {} });
  return days.length === 0 ? [calls] : [calls, { sql: sums, params: ofDays.params }];
}

function listOtherParts(days: readonly CostDay[], { filter, fits }: OfNoTask): Part[] {
  const range = filter.range ?? ALL_TIME;
  const within = days.filter((day) => range.fromNs <= day.fromNs && day.toNs <= range.toNs && fits(day));
  const gaps = listGaps(range, within);
  const isAsked = allOf({ sql: ["task = ''"], params: {} }, whereEquals(filter));
  const ofCalls = allOf(isAsked, whereInRanges(gaps, "at", "other_"));
  const ofDays = allOf(isAsked, whereOnDays(within, "day_at", "other_"));
  return [
    ...(gaps.length === 0 ? [] : [{ sql: selectCallWork(ofCalls), params: ofCalls.params }]),
    ...(within.length === 0 ? [] : [{ sql: selectDays(ofDays), params: ofDays.params }]),
  ];
}
