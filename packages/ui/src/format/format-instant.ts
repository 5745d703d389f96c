/**
 * Instants as text, always in a stated zone (UTC), so that server and browser agree.
 * Instants of the API are ISO 8601 with up to nanoseconds; they are read into bigint, never through Date alone.
 */

export type Language = "en" | "ko";

const INSTANT = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?Z$/;

/** Nanoseconds since 1970 of "2026-11-29T18:06:24.123456789Z". */
export function parseInstantNs(text: string): bigint {
  const match = INSTANT.exec(text);
  if (match === null) throw new RangeError(`not an ISO 8601 instant in UTC: ${JSON.stringify(text)}`);
  const ms = Date.parse(`${match[1]}T${match[2]}Z`);
  if (Number.isNaN(ms)) throw new RangeError(`no such instant: ${JSON.stringify(text)}`);
  return BigInt(ms) * 1_000_000n + BigInt((match[3] ?? "").padEnd(9, "0"));
}

const toDate = (instantNs: bigint): Date => new Date(Number(instantNs / 1_000_000n));

const LOCALES: Record<Language, string> = { en: "en-GB", ko: "ko-KR" };

const format = (instantNs: bigint, language: Language, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(LOCALES[language], { ...options, timeZone: "UTC" }).format(toDate(instantNs));

export const yearOf = (instantNs: bigint): number => toDate(instantNs).getUTCFullYear();

/** "29 Nov 2026" */
export const formatDate = (instantNs: bigint, language: Language): string =>
  format(instantNs, language, { day: "numeric", month: "short", year: "numeric" });

/** "November 2026" of "2026-11" */
export const formatMonth = (month: string, language: Language): string =>
  format(BigInt(Date.parse(`${month}-01`)) * 1_000_000n, language, { month: "long", year: "numeric" });

/** "29 Nov" */
export const formatDay = (instantNs: bigint, language: Language): string =>
  format(instantNs, language, { day: "numeric", month: "short" });

/** "18:06" */
export const formatMinute = (instantNs: bigint): string => toDate(instantNs).toISOString().slice(11, 16);

/** "18:06:24" */
export const formatSecond = (instantNs: bigint): string => toDate(instantNs).toISOString().slice(11, 19);

/** "18:06:24.123456": to the microsecond, as a span's start is read. */
export function formatPrecise(instantNs: bigint): string {
  const micros = ((instantNs / 1_000n) % 1_000_000n).toString().padStart(6, "0");
  return `${formatSecond(instantNs)}.${micros}`;
}

/** "29 Nov 2026, 18:06" */
export const formatDateMinute = (instantNs: bigint, language: Language): string =>
  `${formatDate(instantNs, language)}, ${formatMinute(instantNs)}`;

/** "29 Nov 2026, 18:06:24 – 18:07:10"; the day is repeated when it changes. */
export function formatInstantRange(fromNs: bigint, toNs: bigint, language: Language): string {
  const day = formatDate(fromNs, language);
  const sameDay = day === formatDate(toNs, language);
  const end = `${sameDay ? "" : `${formatDate(toNs, language)}, `}${formatSecond(toNs)}`;
  return `${day}, ${formatSecond(fromNs)} – ${end}`;
}
