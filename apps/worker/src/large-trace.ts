/**
 * The rating of one large trace, by steps between which others are rated: its reading goes on beside them, its calls are
 * stored part by part. What came since its reading is news, and its next turn's.
 */
import { callAttributes } from "@centspan/attribution";
import type { Usage } from "@centspan/model";
import type { PlannedUnit } from "./plan-units.ts";
import { type RatingContext, storeByParts } from "./rate-together.ts";

export type LargeTrace = {
  planned: PlannedUnit;
  /** Resolves with what it did, without waiting for the reading; rejects where that or the storing fails. */
  step(): Promise<{ did: "nothing" | "part" | "all"; calls: number }>;
  records(): number;
  tookMs(): number;
};

export function startLargeTrace(context: RatingContext, planned: PlannedUnit): LargeTrace {
  const startedAtMs = performance.now();
  let usages: Usage[] | null = null;
  let failure: { error: unknown } | null = null;
  let parts: AsyncGenerator<number> | null = null;
  context.feed.readUsage(context.workspace, [planned.unit], callAttributes).then(
    (read) => {
      usages = read;
    },
    (error: unknown) => {
      failure = { error };
    },
  );
  let records = 0;
  return {
    planned,
    async step() {
      if (failure) throw failure.error;
      if (usages) {
        records = usages.reduce((sum, { spans, logs }) => sum + spans.length + logs.length, 0);
        parts = storeByParts(context, usages);
        usages = null;
      }
      if (!parts) return { did: "nothing", calls: 0 };
      const { done, value } = await parts.next();
      return done ? { did: "all", calls: 0 } : { did: "part", calls: value };
    },
    records: () => records,
    tookMs: () => performance.now() - startedAtMs,
  };
}
