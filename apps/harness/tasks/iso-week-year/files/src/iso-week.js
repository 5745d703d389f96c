/** ISO 8601 week arithmetic in UTC. Weeks start on Monday. */

export const DAY_MS = 86_400_000;

/** ISO weekday: Monday 1 … Sunday 7. */
export function isoWeekday(date) {
  return date.getUTCDay() || 7;
}

/** `{ year, week }` of a date. */
export function isoWeek(date) {
  const midnightMs = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
  const thursdayMs = midnightMs + (4 - isoWeekday(date)) * DAY_MS;
  const year = date.getUTCFullYear();
  const yearStartMs = Date.UTC(year, 0, 1);
  const week = Math.ceil(((thursdayMs - yearStartMs) / DAY_MS + 1) / 7);
  return { year, week };
}

/** Monday 00:00 UTC of an ISO week. January 4th is always in week 1. */
export function weekStart(year, week) {
  const january4 = new Date(Date.UTC(year, 0, 4));
  const firstMondayMs = january4.getTime() - (isoWeekday(january4) - 1) * DAY_MS;
  return new Date(firstMondayMs + (week - 1) * 7 * DAY_MS);
}
