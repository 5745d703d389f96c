/**
 * Sums up the days that are over and not fresh, a few at a time, each few while nobody writes calls of the workspace. What
 * dies half-way leaves sums under a revision that no day has, and the repetition gives them another.
 */
import { dayOf, nextDay, startOfDayNs } from "@centspan/base";
import type { Books } from "@centspan/model";
import { splitByCount } from "../chunks.ts";
import { type Conditions, whereInRanges } from "../conditions.ts";
import { COPY_DEADLINE_MS, type Connection } from "../connection.ts";
import { readCount } from "../counts.ts";
import { instantParam, limitInstant } from "../instants.ts";
import { ALL_TIME } from "../readers/fresh-days.ts";
import { isWritten } from "../readers/is-written.ts";
import { listCostDays } from "../readers/list-cost-days.ts";
import { type Grain, SPEND_SUMS, selectCallSpend } from "../readers/spend-rows.ts";
import { FIRST, FIRST_SAYS, selectCallWork, WORK_SUMS } from "../readers/work-rows.ts";
import { type CostDay, insertCostDays, isFresh, isLive } from "../rows/cost-day-row.ts";
import { COST_DIMENSIONS } from "../schema.ts";
import { markDays } from "./mark-days.ts";
import type { Revisions } from "./revisions.ts";

/** Statements that writers wait for no longer than for one of their own, and few where much is to be done. */
const DAYS_AT_ONCE = 7;
const GRAINS: readonly Grain[] = ["calls", "meters"];

type Stores = { revisions: Revisions; books: Books };
type WorkspaceRow = { workspace: string; time_zones: string[]; stale: string };

export async function refreshDailyCosts(
  connection: Connection,
  { revisions, books }: Stores,
  nowNs: bigint,
  readTimeZone: (workspace: string) => Promise<string | null>,
): Promise<number> {
  const workspaces = await connection.query<WorkspaceRow>(
    `SELECT workspace, groupUniqArray(time_zone) AS time_zones, countIf(NOT is_fresh AND to_at <= ${instantParam("nowNs")}) AS stale
     FROM cost_days FINAL
     GROUP BY workspace`,
    { nowNs: nowNs.toString() },
  );
  let refreshed = 0;
  for (const { workspace, time_zones, stale } of workspaces) {
    const timeZone = await readTimeZone(workspace);
    if (timeZone === null) continue;
    if (readCount(stale) === 0 && time_zones.every((zone) => zone === timeZone)) continue;
    const days = await books.whileAlone(workspace, () => adoptTimeZone(connection, revisions, workspace, timeZone));
    const over = days.filter(({ toNs }) => toNs <= nowNs);
    for (const some of splitByCount(over, DAYS_AT_ONCE)) {
      try {
        refreshed += await books.whileAlone(workspace, () => sumUpDays(connection, revisions, workspace, some));
      } catch (error) {
        // Whoever lost the books may not have been alone to the end.
        await markDays(
          connection,
          revisions,
          workspace,
          some.map(({ fromNs }) => fromNs),
        );
        throw error;
      }
    }
  }
  return refreshed;
}

/** Days of another zone make way for those of this one that they touch. Resolves with those that are not fresh, in order. */
async function adoptTimeZone(
  connection: Connection,
  revisions: Revisions,
  workspace: string,
  timeZone: string,
): Promise<CostDay[]> {
  const known = await listCostDays(connection, workspace, ALL_TIME);
  const revision = revisions.next(known.map((day) => day.revision));
  const own = new Map(known.filter((day) => isLive(day) && day.timeZone === timeZone).map((day) => [day.fromNs, day]));
  const foreign = known.filter((day) => isLive(day) && day.timeZone !== timeZone);
  const touched = foreign.flatMap(({ fromNs, toNs }) => listDays(timeZone, fromNs, toNs));
  const added = touched
    .filter(({ fromNs }) => !own.has(fromNs))
    .map((range): CostDay => ({ ...range, timeZone, state: "stale", revision }));
  for (const day of added) own.set(day.fromNs, day);
  const gone = foreign.map((day): CostDay => ({ ...day, state: "deleted", revision }));
  await insertCostDays(connection, workspace, [...gone, ...added]);
  return [...own.values()].filter((day) => !isFresh(day)).sort((a, b) => (a.fromNs < b.fromNs ? -1 : 1));
}

function listDays(timeZone: string, fromNs: bigint, toNs: bigint) {
  const days: { fromNs: bigint; toNs: bigint }[] = [];
  const last = dayOf(timeZone, toNs - 1n);
  for (let day = dayOf(timeZone, fromNs); day <= last; day = nextDay(day)) {
    const [start, end] = [startOfDayNs(timeZone, day), startOfDayNs(timeZone, nextDay(day))];
    days.push({ fromNs: limitInstant(start), toNs: limitInstant(end) });
  }
  return days;
}

/**
 * Those of the days that are still there and not fresh; resolves with how many. A writer that died may have left a
 * statement that still runs: then none are, this time.
 */
async function sumUpDays(
  connection: Connection,
  revisions: Revisions,
  workspace: string,
  wanted: readonly CostDay[],
): Promise<number> {
  const [first, last] = [wanted[0], wanted.at(-1)];
  if (first === undefined || last === undefined || (await isWritten(connection, workspace))) return 0;
  const known = await listCostDays(connection, workspace, { fromNs: first.fromNs, toNs: last.toNs });
  const starts = new Set(wanted.map(({ fromNs }) => fromNs));
  const [newest] = await connection.query<{ revision: string }>(
    "SELECT max(revision) AS revision FROM daily_costs WHERE workspace = {workspace:String}",
    { workspace },
  );
  revisions.next([BigInt(newest?.revision ?? 0), ...known.map(({ revision }) => revision)]);
  const days = known
    .filter((day) => day.timeZone === first.timeZone && day.state === "stale" && starts.has(day.fromNs))
    .map((day): CostDay => ({ ...day, state: "fresh", revision: revisions.next([]) }));
  for (const grain of GRAINS) await insertSums(connection, workspace, grain, days);
  await insertWork(connection, workspace, days);
  await insertCostDays(connection, workspace, days);
  return days.length;
}

function insertSums(connection: Connection, workspace: string, grain: Grain, days: readonly CostDay[]): Promise<void> {
  const dimensions = Object.fromEntries(COST_DIMENSIONS.map((name) => [name, name]));
  const sums = SPEND_SUMS[grain];
  return insertOfDays(
    connection,
    workspace,
    days,
    (within) => `INSERT INTO daily_costs (at, ${OF_DAY}, meter, ${[...COST_DIMENSIONS, ...sums].join(", ")})
      ${WITH_STARTS}
      SELECT ${SELECT_DAY}, ${grain === "meters" ? "meter" : "''"}, ${COST_DIMENSIONS.join(", ")},
        ${sums.map((column) => `sum(${column})`).join(", ")}
      FROM (${selectCallSpend(grain, { day: DAY, ...dimensions }, within)})
      GROUP BY ALL`,
  );
}

/** Calls of no task are told apart by all that a question may group or choose them by. */
const insertWork = (connection: Connection, workspace: string, days: readonly CostDay[]): Promise<void> =>
  insertOfDays(
    connection,
    workspace,
    days,
    (
      within,
    ) => `INSERT INTO daily_work (day_at, ${OF_DAY}, task, run_id, session_id, at, first_call, ${FIRST_SAYS.join(", ")},
        trace_ids, ${WORK_SUMS.join(", ")})
      ${WITH_STARTS}
      SELECT ${SELECT_DAY}, task, run_id, session_id, min(at), argMin(first_call, ${FIRST}),
        ${FIRST_SAYS.map((column) => `argMin(${column}, ${FIRST})`).join(", ")},
        groupUniqArrayArray(trace_ids), ${WORK_SUMS.map((column) => `sum(${column})`).join(", ")}
      FROM (SELECT *, ${DAY} AS day FROM (${selectCallWork(within)}))
      GROUP BY day, task, run_id, session_id, ${FIRST_SAYS.map((column) => `if(task = '', ${column}, '')`).join(", ")}`,
  );

const OF_DAY = "workspace, revision";
const WITH_STARTS = "WITH arrayMap(ns -> fromUnixTimestamp64Nano(ns, 'UTC'), {starts:Array(Int64)}) AS starts";
/** Which of the days it is, by their order. */
const DAY = "arrayCount(start -> at >= start, starts)";
const SELECT_DAY = "starts[day], {workspace:String}, {revisions:Array(UInt64)}[day]";

async function insertOfDays(
  connection: Connection,
  workspace: string,
  days: readonly CostDay[],
  write: (within: Conditions) => string,
): Promise<void> {
  if (days.length === 0) return;
  const within = whereInRanges(days, "at");
  await connection.runInsert(write(within), {
    params: {
      ...within.params,
      workspace,
      starts: days.map(({ fromNs }) => fromNs),
      revisions: days.map(({ revision }) => revision),
    },
    settings: { optimize_on_insert: "0" },
    deadlineMs: COPY_DEADLINE_MS,
  });
}
