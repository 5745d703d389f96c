/** What calls can be grouped by, as SQL over the columns of `calls`. */
import { CentspanError, dayOf, normaliseTimeZone } from "@centspan/base";
import type { CostGroup, OutcomeGroup, TimeRange } from "@centspan/model";

/** An instant in its zone, with the offset: 2026-11-29T17:00:00+09:00. */
const inZone = (instant: string): string =>
  `replaceRegexpOne(formatDateTime(${instant}, '%Y-%m-%dT%H:%i:%S%z', {timeZone:String}), '(\\\\d\\\\d)$', ':\\\\1')`;

export const GROUP_COLUMNS: Record<Exclude<CostGroup | OutcomeGroup, "meter">, string> = {
  key: "key",
  team: "team",
  provider: "provider",
  model: "model",
  effort: "effort",
  task: "task",
  taskType: "task_type",
  repository: "repository",
  role: "role",
  harnessVersion: "harness_version",
  day: "toString(toDate(at, {timeZone:String}))",
  hour: inZone("toStartOfHour(at, {timeZone:String})"),
  minute: inZone("toStartOfMinute(at, {timeZone:String})"),
};

/** Whether what a day comes to says what it comes to by these groups, for a given day; null where it never does. */
export function fitsDays(groups: readonly CostGroup[], timeZone: string): ((day: TimeRange) => boolean) | null {
  if (groups.some((group) => group === "task" || group === "hour" || group === "minute")) return null;
  if (!groups.includes("day")) return () => true;
  return ({ fromNs, toNs }) => dayOf(timeZone, fromNs) === dayOf(timeZone, toNs - 1n);
}

export function requireTimeZone(zone: string): string {
  const known = normaliseTimeZone(zone);
  if (known !== null) return known;
  throw new CentspanError("invalid_request", `timeZone: ${JSON.stringify(zone)} is not an IANA time zone`, {
    field: "timeZone",
  });
}
