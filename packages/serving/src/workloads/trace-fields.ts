/** Typed fields of one JSON line of a trace: each wrong one is refused with its line and name. */
import { refuseLine, type TraceLine } from "./trace-lines.ts";

export type TraceFields = {
  readonly line: number;
  get(name: string): unknown;
  /** A whole number of at least `least`. */
  integer(name: string, least: number): number;
  /** Seconds or milliseconds of at least 0, as whole nanoseconds. */
  instantNs(name: string, unitNs: number): number;
  /** Like `instantNs`; null or absent is null. */
  optionalNs(name: string, unitNs: number): number | null;
  text(name: string): string;
  list(name: string): unknown[];
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function parseFields({ text, number: line }: TraceLine): TraceFields {
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch (cause) {
    throw refuseLine(line, "line", `is no JSON: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  if (!isRecord(record)) throw refuseLine(line, "line", "is no JSON object");
  const fields = record;
  const instantNs = (name: string, unitNs: number): number => {
    const value = fields[name];
    if (typeof value !== "number" || !(value >= 0))
      throw refuseLine(line, name, `must be a time of 0 or more, not ${show(value)}`);
    const ns = Math.round(value * unitNs);
    if (!Number.isSafeInteger(ns)) throw refuseLine(line, name, `${value} is beyond what nanoseconds can count`);
    return ns;
  };
  return {
    line,
    get: (name) => fields[name],
    integer(name, least) {
      const value = fields[name];
      if (typeof value === "number" && Number.isSafeInteger(value) && value >= least) return value;
      throw refuseLine(line, name, `must be a whole number of at least ${least}, not ${show(value)}`);
    },
    instantNs,
    optionalNs: (name, unitNs) =>
      fields[name] === null || fields[name] === undefined ? null : instantNs(name, unitNs),
    text(name) {
      const value = fields[name];
      if (typeof value === "string") return value;
      throw refuseLine(line, name, `must be a string, not ${show(value)}`);
    },
    list(name) {
      const value = fields[name];
      if (Array.isArray(value)) return value;
      throw refuseLine(line, name, `must be a list, not ${show(value)}`);
    },
  };
}

/** A value as an error shows it, short. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
