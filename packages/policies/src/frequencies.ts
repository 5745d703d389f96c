/** How often keys were asked for lately: exact counts that are halved after every `period` of them, zeros forgotten. */
import type { KvBlockId } from "@centspan/model";

export type Frequencies = { add(key: KvBlockId): void; count(key: KvBlockId): number };

export function createFrequencies(period: number): Frequencies {
  const counts = new Map<KvBlockId, number>();
  let added = 0;
  return {
    add(key) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      added += 1;
      if (added < period) return;
      added = 0;
      for (const [known, count] of counts) {
        if (count < 2) counts.delete(known);
        else counts.set(known, count >> 1);
      }
    },
    count: (key) => counts.get(key) ?? 0,
  };
}
