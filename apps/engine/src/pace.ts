/**
 * Keeps an ideal schedule on the wall clock. Timers are no finer than a millisecond and steps may be far shorter, so it
 * sleeps only when the schedule is a millisecond or more ahead, and otherwise just gives the process's other work a turn.
 */
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Clock } from "@centspan/base";

/** How long may be computed before other work gets a turn. */
const TURN_NS = 2_000_000n;

export type Pace = { reach(scheduleNs: bigint): Promise<void> };

export function createPace(clock: Clock): Pace {
  let yieldedNs = clock.nowNs();
  return {
    async reach(scheduleNs) {
      const nowNs = clock.nowNs();
      const aheadMs = Number(scheduleNs - nowNs) / 1_000_000;
      if (aheadMs >= 1) await setTimeout(aheadMs);
      else if (nowNs - yieldedNs >= TURN_NS) await setImmediate();
      else return;
      yieldedNs = clock.nowNs();
    },
  };
}
