/** What calls can be grouped by, as SQL over the columns of `calls`. */
import { CentspanError, normaliseTimeZone } from "@centspan/base";
import type { CostGroup, OutcomeGroup } from "@centspan/model";

/** An instant in its zone, with the offset: 2026-11-29T17:00:00+09:00. */
const inZone = (instant: string): string =>
  `replaceRegexpOne(formatDateTime(${instant}, '%Y-%m-%dT%H:%i:%S%z', {timeZone:String}), '(\\\\d\\\\d)$', ':\\\\1')`;

export const GROUP_COLUMNS: Record<Exclude<CostGroup | OutcomeGroup, "meter">, string> = {
  key: "key",
  team: "team",
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

export function requireTimeZone(zone: string): string {
  const known = normaliseTimeZone(zone);
  if (known !== null) return known;
  throw new CentspanError("invalid_request", `timeZone: ${JSON.stringify(zone)} is not an IANA time zone`, {
    field: "timeZone",
  });
}
