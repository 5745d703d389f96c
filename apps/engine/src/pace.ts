/**
 * How an engine's schedule meets time. On the wall clock timers are no finer than a millisecond and steps may be far shorter,
 * so it sleeps only when the schedule is a millisecond or more ahead, and otherwise just gives the process's other work a turn.
 */
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Clock } from "@centspan/base";

/** How long may be computed before other work gets a turn. */
const TURN_NS = 2_000_000n;

export type Pace = {
  /** Resolves about when the instant has come. */
  reach(scheduleNs: bigint): Promise<void>;
  /** Until then or, without an instant, until woken; earlier when woken. */
  rest(untilNs: bigint | null, woken: Promise<void>): Promise<void>;
};

export type EngineTime = Clock & { createPace(): Pace };

export const createWallTime = (clock: Clock): EngineTime => ({
  nowNs: clock.nowNs,
  createPace: () => createPace(clock),
});

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
    async rest(untilNs, woken) {
      if (untilNs === null) await woken;
      else await Promise.race([woken, setTimeout(Math.ceil(Number(untilNs - clock.nowNs()) / 1e6))]);
    },
  };
}
