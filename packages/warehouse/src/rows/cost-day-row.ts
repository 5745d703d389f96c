/** Days of a workspace between TypeScript and the columns of `cost_days`. */
import type { TimeRange } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { writeInstant } from "../instants.ts";

/** `fresh`: `daily_costs` has its sums, under its revision. */
export type CostDay = TimeRange & { timeZone: string; state: "stale" | "fresh" | "deleted"; revision: bigint };

export const isFresh = ({ state }: CostDay): boolean => state === "fresh";
export const isLive = ({ state }: CostDay): boolean => state !== "deleted";

export type CostDayRow = {
  time_zone: string;
  from_ns: string;
  to_ns: string;
  fresh: 0 | 1;
  gone: 0 | 1;
  last_revision: string;
};

export const fromCostDayRow = (row: CostDayRow): CostDay => ({
  timeZone: row.time_zone,
  fromNs: BigInt(row.from_ns),
  toNs: BigInt(row.to_ns),
  state: row.gone ? "deleted" : row.fresh ? "fresh" : "stale",
  revision: BigInt(row.last_revision),
});

export const insertCostDays = (connection: Connection, workspace: string, days: readonly CostDay[]): Promise<void> =>
  connection.insert(
    "cost_days",
    days.map((day) => ({
      workspace,
      time_zone: day.timeZone,
      from_at: writeInstant(day.fromNs, "fromNs"),
      to_at: writeInstant(day.toNs, "toNs"),
      is_fresh: Number(isFresh(day)),
      revision: day.revision.toString(),
      deleted: Number(!isLive(day)),
    })),
  );
