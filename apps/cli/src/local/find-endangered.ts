/** Which histories their agent is about to delete, by its default or by what the person set. Reads settings, nothing else. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FoundHistories } from "./find-histories.ts";

const DAY_MS = 86_400_000;
const SOON_DAYS = 7;

export type Endangered = {
  agent: string;
  keptForDays: number;
  /** The setting that says otherwise, by name; null where there is none. */
  setting: string | null;
  files: number;
  bytes: number;
  /** Days of which the newest line of a file is, the oldest first: what goes within a week. */
  days: string[];
};

export function findEndangered({ files, places }: FoundHistories, nowMs: number, timeZone: string): Endangered[] {
  const dayOf = new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" });
  const found = new Map<string, Endangered>();
  for (const { format, folder } of places) {
    const keptForDays = readDays(folder, format.keptForSetting) ?? format.keptForDays;
    if (keptForDays === null) continue;
    const endsMs = nowMs - (keptForDays - SOON_DAYS) * DAY_MS;
    const own = files.filter(({ place, modifiedMs }) => place === folder && modifiedMs < endsMs);
    if (own.length === 0) continue;
    const before = found.get(format.id);
    found.set(format.id, {
      agent: format.agent,
      keptForDays,
      setting: format.keptForSetting?.member ?? null,
      files: (before?.files ?? 0) + own.length,
      bytes: own.reduce((sum, { bytes }) => sum + bytes, before?.bytes ?? 0),
      days: [...new Set([...(before?.days ?? []), ...own.map(({ modifiedMs }) => dayOf.format(modifiedMs))])].sort(),
    });
  }
  return [...found.values()];
}

/** Null where nobody set a number. */
function readDays(folder: string, setting: { file: string; member: string } | undefined): number | null {
  if (setting === undefined) return null;
  try {
    const settings: unknown = JSON.parse(readFileSync(join(folder, setting.file), "utf8"));
    const days: unknown = Object(settings)[setting.member];
    return typeof days === "number" && days >= 0 ? days : null;
  } catch {
    return null;
  }
}
