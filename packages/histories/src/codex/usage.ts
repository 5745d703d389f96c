/**
 * Usage as Codex writes it: counts inside each other, of one response (`last`), and summed up over the thread (`total`), which
 * is written again and again. A snapshot is told from news by the total; nothing is ever added from it.
 */
import type { HistoryUsage } from "@centspan/model";
import { countAt, isObject, type JsonObject } from "../json-values.ts";

const FIELDS = [
  "input_tokens",
  "cached_input_tokens",
  "cache_write_input_tokens",
  "output_tokens",
  "reasoning_output_tokens",
  "total_tokens",
] as const;

/** In the order of FIELDS; the last is -1 where no total was written. */
export type Counts = number[];

export function readCounts(value: unknown): Counts | null {
  if (!isObject(value)) return null;
  return FIELDS.map((name) => (name === "total_tokens" && value[name] === undefined ? -1 : countAt(value, name)));
}

export function toUsage([
  input = 0,
  cacheRead = 0,
  cacheWrite = 0,
  output = 0,
  reasoning = 0,
  total = -1,
]: Counts): HistoryUsage {
  const counts = { input, cacheRead, cacheWrite, cacheWrite1h: 0, output, reasoning, webSearches: 0 };
  return { ...counts, total: total < 0 ? null : total };
}

export const isSame = (a: Counts | null, b: Counts | null): boolean =>
  a !== null && b !== null && a.every((count, index) => count === b[index]);

/** Filling the window up sets totals without a response. */
export const isEmpty = ([input = 0, , , output = 0]: Counts): boolean => input === 0 && output === 0;

/** What came between two snapshots; null where the later one is less, since then the counting began anew. */
export function differenceOf(later: Counts, earlier: Counts): Counts | null {
  const difference = later.map((count, index) => (count < 0 ? -1 : count - Math.max(0, earlier[index] ?? 0)));
  return difference.some((count, index) => count < 0 && (later[index] ?? 0) >= 0) ? null : difference;
}

/** Limit windows, where the line has them. */
export type LimitWindow = { window: string; usedPercent: number; windowMinutes: number; resetsAtMs: number };

export function readLimits(limits: JsonObject, atMs: number): LimitWindow[] {
  return ["primary", "secondary"].flatMap((window) => {
    const said = limits[window];
    if (!isObject(said) || typeof said.used_percent !== "number") return [];
    const seconds = typeof said.resets_in_seconds === "number" ? atMs + said.resets_in_seconds * 1000 : 0;
    const resetsAtMs = typeof said.resets_at === "number" ? said.resets_at * 1000 : seconds;
    return [{ window, usedPercent: said.used_percent, windowMinutes: countAt(said, "window_minutes"), resetsAtMs }];
  });
}
