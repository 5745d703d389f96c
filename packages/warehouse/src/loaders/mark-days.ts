/**
 * Says that days are not fresh any more, before calls of them are written: from then on readers ask the calls themselves.
 * Whoever marks has the books open until the calls are written, so no day is summed up in between.
 */
import type { TimeRange } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { limitInstant } from "../instants.ts";
import { listCostDays } from "../readers/list-cost-days.ts";
import { type CostDay, insertCostDays, isFresh, isLive } from "../rows/cost-day-row.ts";
import type { Revisions } from "./revisions.ts";

const DAY_NS = 86_400_000_000_000n;

/** Of calls at these instants. What no day holds is marked by days of UTC; which day it is, is found when it is summed up. */
export async function markDays(
  connection: Connection,
  revisions: Revisions,
  workspace: string,
  instantsNs: Iterable<bigint>,
): Promise<void> {
  const instants = [...new Set(instantsNs)].sort((a, b) => (a < b ? -1 : 1));
  const [first, last] = [instants[0], instants.at(-1)];
  if (first === undefined || last === undefined) return;
  const known = await listCostDays(connection, workspace, { fromNs: first, toNs: last + 1n });
  const days = known.filter(isLive);
  const holds = ({ fromNs, toNs }: CostDay, atNs: bigint): boolean => fromNs <= atNs && atNs < toNs;
  const touched = days.filter((day) => isFresh(day) && instants.some((atNs) => holds(day, atNs)));
  const unheard = instants.filter((atNs) => !days.some((day) => holds(day, atNs)));
  const starts = [...new Set(unheard.map((atNs) => atNs - (atNs % DAY_NS)))];
  const change = { state: "stale", revision: revisions.next(known.map(({ revision }) => revision)) } as const;
  await insertCostDays(connection, workspace, [
    ...touched.map((day) => ({ ...day, ...change })),
    ...starts.map((fromNs) => ({ timeZone: "UTC", fromNs, toNs: limitInstant(fromNs + DAY_NS), ...change })),
  ]);
}

/** Of whatever calls the range has. */
export async function markRange(
  connection: Connection,
  revisions: Revisions,
  workspace: string,
  range: TimeRange,
): Promise<void> {
  const days = await listCostDays(connection, workspace, range);
  const revision = revisions.next(days.map((day) => day.revision));
  const stale = days.filter(isFresh).map((day) => ({ ...day, state: "stale", revision }) as const);
  await insertCostDays(connection, workspace, stale);
}
