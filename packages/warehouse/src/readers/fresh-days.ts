/**
 * Days whose calls are summed up, for questions that read their sums in place of the calls. What is answered is true of the calls:
 * days that are written to while the question is asked are found out, and it is asked again.
 */
import type { TimeRange } from "@centspan/model";
import type { Conditions } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { instantParam, LAST_NS } from "../instants.ts";
import { type CostDay, isFresh } from "../rows/cost-day-row.ts";
import { listCostDays } from "./list-cost-days.ts";

export const ALL_TIME: TimeRange = { fromNs: 0n, toNs: LAST_NS + 1n };

const MOST_TRIES = 3;

/** Asks with the days of the range that are fresh and fit, and with none where they don't stay so. */
export async function askWithDays<Answer>(
  connection: Connection,
  workspace: string,
  { range, fits }: { range: TimeRange; fits: (day: TimeRange) => boolean },
  ask: (days: readonly CostDay[]) => Promise<Answer>,
): Promise<Answer> {
  const listFresh = async () =>
    (await listCostDays(connection, workspace, range)).filter(
      (day) => isFresh(day) && day.fromNs >= range.fromNs && day.toNs <= range.toNs && fits(day),
    );
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const days = await listFresh();
    const answer = await ask(days);
    const still = new Set((days.length > 0 ? await listFresh() : []).map(({ revision }) => revision));
    if (days.every(({ revision }) => still.has(revision))) return answer;
  }
  return ask([]);
}

/** What the days, which are in order and don't overlap, leave of the range. */
export function listGaps({ fromNs, toNs }: TimeRange, days: readonly TimeRange[]): TimeRange[] {
  const starts = [fromNs, ...days.map((day) => day.toNs)];
  const ends = [...days.map((day) => day.fromNs), toNs];
  return starts
    .map((start, index) => ({ fromNs: start, toNs: ends[index] ?? toNs }))
    .filter((gap) => gap.fromNs < gap.toNs);
}

/** The revision tells the day; the range of the column is for the table's key. `name` is of its parameters. */
export function whereOnDays(days: readonly CostDay[], column: string, name = ""): Conditions {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return { sql: ["false"], params: {} };
  return {
    sql: [
      `${column} BETWEEN ${instantParam(`${name}firstDay`)} AND ${instantParam(`${name}lastDay`)}`,
      `revision IN {${name}revisions:Array(UInt64)}`,
    ],
    params: {
      [`${name}firstDay`]: first.fromNs.toString(),
      [`${name}lastDay`]: last.fromNs.toString(),
      [`${name}revisions`]: days.map(({ revision }) => revision),
    },
  };
}
