/** How full the windows of a plan's limits were, of those that histories tell. */
import type { LimitWindow } from "./seen-work.ts";

export type LimitSummary = {
  format: string;
  window: string;
  windows: number;
  medianPercent: number;
  /** Of what the windows that were opened would have let through. */
  idlePercent: number;
  reached: number;
};

export function summariseLimits(limits: Readonly<Record<string, LimitWindow>>): LimitSummary[] {
  const groups = new Map<string, LimitWindow[]>();
  for (const limit of Object.values(limits)) {
    const name = `${limit.format} ${limit.window} ${limit.windowMinutes}`;
    groups.set(name, [...(groups.get(name) ?? []), limit]);
  }
  return [...groups.values()].map((windows) => {
    const used = windows.map(({ usedPercent }) => usedPercent).sort((a, b) => a - b);
    const [first] = windows;
    return {
      format: first?.format ?? "",
      window: nameWindow(first),
      windows: windows.length,
      medianPercent: used[Math.floor(used.length / 2)] ?? 0,
      idlePercent: 100 - used.reduce((sum, percent) => sum + Math.min(percent, 100), 0) / used.length,
      reached: used.filter((percent) => percent >= 100).length,
    };
  });
}

function nameWindow(limit: LimitWindow | undefined): string {
  if (limit === undefined) return "";
  const hours = limit.windowMinutes / 60;
  const length = hours >= 48 ? `${(hours / 24).toFixed(0)} days` : `${hours.toFixed(0)} h`;
  return limit.windowMinutes > 0 ? length : limit.window;
}
