/**
 * What can change while a run goes on (approval policy, date): never part of the instructions, but told at the end of the
 * context when it changes, so that the prefix stays.
 */
import { developerMessage, type MessageItem } from "./messages.ts";

export type Surroundings = Readonly<Record<string, string>>;

/** What has to be told; null when all of it was. */
export function describeChanges(told: Surroundings, now: Surroundings): MessageItem | null {
  const changed = Object.entries(now).filter(([name, value]) => told[name] !== value);
  if (changed.length === 0) return null;
  return developerMessage(["From now on:", ...changed.map(([name, value]) => `- ${name}: ${value}`)].join("\n"));
}
