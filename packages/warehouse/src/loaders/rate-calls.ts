/**
 * A rating run: all calls of a range priced again by a table, in statements over sets, some days of them at a time. Only what
 * changes is written: the same table a second time writes nothing, and a run that fails half-way is finished by its
 * repetition. What closed months have billed stays, and is counted where it would differ, unless its correction is asked for;
 * what was in no bill for want of a price is billed in the open month. Nobody else writes meanwhile, so nothing that came
 * since is put back.
 */
import { type Books, METERS, type RatingResult, type RatingRun, type TimeRange } from "@centspan/model";
import { splitByCount } from "../chunks.ts";
import { and, whereInRange } from "../conditions.ts";
import { COPY_DEADLINE_MS, type Connection } from "../connection.ts";
import { readCount } from "../counts.ts";
import { instantParam, nanoseconds } from "../instants.ts";
import { selectRated } from "../rating/price-sql.ts";
import { boundOf } from "../readers/stretches.ts";
import { columnOf } from "../rows/call-row.ts";
import { CALLS, DAY_OF_CALL } from "../schema.ts";
import { correctPrices } from "./insert-corrections.ts";
import { markRange } from "./mark-days.ts";
import type { Revisions } from "./revisions.ts";
import { postLate } from "./stored-calls.ts";

/** Days to a statement, unless one has more: its rows are one block, and so one part for each day. */
const CALLS_AT_ONCE = 500_000;
/**
 * A statement reads the calls of a day in their order with one thread, so they need not be sorted to be written; another
 * statement keeps the other processor busy.
 */
const STATEMENTS_AT_ONCE = 2;
const CORRECTED_AT_ONCE = 10_000;
const SETTINGS = {
  max_threads: "1",
  max_insert_threads: "1",
  min_insert_block_size_rows: CALLS_AT_ONCE.toString(),
  min_insert_block_size_bytes: "0",
  optimize_on_insert: "0",
};

export function rateCalls(
  connection: Connection,
  { revisions, books }: { revisions: Revisions; books: Books },
  workspace: string,
  run: RatingRun,
): Promise<RatingResult> {
  return books.whileAlone(workspace, async (closedToNs) => {
    const revisionNs = revisions.next([await readLastRevision(connection, workspace)]);
    const lateNs = postLate(revisions.nowNs(), closedToNs);
    const params = {
      workspace,
      revision: revisionNs.toString(),
      ratingRunId: run.ratingRunId,
      closedToNs: closedToNs.toString(),
      lateNs: lateNs.toString(),
    };
    await markRange(connection, revisions, workspace, run.range);
    const posting = { workspace, postedAtNs: lateNs, revision: revisionNs.toString(), keepsPrices: false };
    let [closedCalls, correctedCalls] = [0, 0];
    const rateDays = async ({ days, range }: SomeDays): Promise<void> => {
      const rate = (columns: readonly string[], isClosed: string) =>
        selectRated({ table: run.table, range }, columns, { sql: [ON_DAYS, isClosed], params: { ...params, days } });
      const open = rate(COLUMNS, `NOT (${IS_CLOSED})`);
      await connection.runInsert(insertChanged(open.sql), {
        params: open.params,
        settings: SETTINGS,
        deadlineMs: COPY_DEADLINE_MS,
      });
      if (range.fromNs >= closedToNs) return;
      const closed = rate(["call_id"], IS_CLOSED);
      if (run.correct === undefined) {
        const [counted] = await connection.query<{ calls: string }>(
          `SELECT count() AS calls FROM (${closed.sql}) WHERE is_changed AND NOT ${IS_CORRECTED}`,
          closed.params,
        );
        closedCalls += readCount(counted?.calls ?? "0");
        return;
      }
      const rows = await connection.query<{ call_id: string }>(
        `SELECT call_id FROM (${closed.sql}) WHERE is_changed OR ${IS_CORRECTED}`,
        closed.params,
      );
      const ids = rows.map(({ call_id }) => call_id);
      for (const some of splitByCount(ids, CORRECTED_AT_ONCE))
        correctedCalls += await correctPrices(connection, posting, some, run.correct);
    };
    await rateEach(await listDays(connection, workspace, run.range), rateDays);
    // One row for each, as nobody else has the revision.
    const [written] = await connection.query<{ calls: string }>(
      "SELECT count() AS calls FROM calls WHERE workspace = {workspace:String} AND revision = {revision:UInt64}",
      params,
    );
    return { changedCalls: readCount(written?.calls ?? "0"), closedCalls, correctedCalls };
  });
}

/** Whatever becomes of one, none runs any more when this is over. */
async function rateEach(chunks: readonly SomeDays[], rate: (chunk: SomeDays) => Promise<void>): Promise<void> {
  const left = chunks.values();
  const work = async (): Promise<void> => {
    for (const chunk of left) await rate(chunk);
  };
  const ends = await Promise.allSettled(Array.from({ length: STATEMENTS_AT_ONCE }, work));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

const ON_DAYS = `${DAY_OF_CALL} IN {days:Array(Date)}`;

const IS_CORRECTED = "(call_id IN (SELECT call_id FROM corrections WHERE workspace = {workspace:String}))";
/** As `isClosed` has it of a call that is stored. */
const IS_CLOSED = `posted_at < ${instantParam("closedToNs")} AND (notEmpty(lines) OR ${IS_CORRECTED})`;

async function readLastRevision(connection: Connection, workspace: string): Promise<bigint> {
  const [row] = await connection.query<{ last: string }>(
    "SELECT max(revision) AS last FROM calls WHERE workspace = {workspace:String}",
    { workspace },
  );
  return BigInt(row?.last ?? 0);
}

/** The range is of all calls of the days: for a condition on days alone FINAL would read every day there is. */
type SomeDays = { days: string[]; range: TimeRange };

async function listDays(connection: Connection, workspace: string, range: TimeRange): Promise<SomeDays[]> {
  const within = whereInRange({ range }, "at");
  const rows = await connection.query<{ day: string; calls: string; first_ns: string; last_ns: string }>(
    `SELECT ${DAY_OF_CALL} AS day, count() AS calls, ${nanoseconds("min(at)")} AS first_ns, ${nanoseconds("max(at)")} AS last_ns
     FROM calls
     WHERE workspace = {workspace:String}${and(within)}
     GROUP BY day
     ORDER BY day`,
    { ...within.params, workspace },
  );
  const chunks: SomeDays[] = [];
  let room = 0;
  for (const { day, calls, first_ns, last_ns } of rows) {
    const own = { fromNs: BigInt(first_ns), toNs: BigInt(last_ns) + 1n };
    const last = chunks.at(-1);
    room -= readCount(calls);
    if (last !== undefined && room >= 0) {
      last.days.push(day);
      last.range = boundOf([last.range, own]) ?? own;
    } else {
      chunks.push({ days: [day], range: own });
      room = CALLS_AT_ONCE - readCount(calls);
    }
  }
  return chunks;
}

/** In the order of their names. A call that has no price any more loses the lines that it had. */
const LINES = METERS.toSorted().map(
  (meter) => `(
     toLowCardinality('${meter}'), ${columnOf(meter)}, unit_${meter}, if(list_${meter} < 0, NULL, list_${meter}), ${columnOf(meter)} * unit_${meter}
   )`,
);
const NEW_LINES = `arrayFilter(line -> is_priced AND line.2 > 0, [${LINES.join(", ")}])`;

/** What the row says anew; 0 is no hash of a content, so the next derivation of the call compares as different. */
const CHANGED: Readonly<Record<string, string>> = {
  posted_at: `if(posted_at < ${instantParam("closedToNs")} AND (isNotNull(new_cost) OR isNotNull(cost_usd)), ${instantParam("lateNs")}, posted_at)`,
  cost_status: "new_status",
  cost_usd: "new_cost",
  price_entry_id: "new_price_id",
  provenance: "new_provenance",
  rating_run_id: "if(new_price_id = '', '', {ratingRunId:String})",
  lines: NEW_LINES,
  content_hash: "0",
  revision: "{revision:UInt64}",
};

const COLUMNS = CALLS.columns.map(({ name }) => name);
const insertChanged = (rated: string): string =>
  `INSERT INTO calls (${COLUMNS.join(", ")})
   SELECT ${COLUMNS.map((name) => CHANGED[name] ?? name).join(", ")}
   FROM (${rated})
   WHERE is_changed`;
