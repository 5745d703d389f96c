/**
 * Time that goes on by itself: when everybody waits, it is the earliest instant that anybody waits for. What an engine does by it
 * is the same at each run and on each machine, and takes as long as the computing does.
 * Invariant: instants come in order, those of the same instant in the order in which they were asked for; whoever was woken has
 * done all that follows without waiting before the next is.
 */
import type { EngineTime } from "./pace.ts";

type Waiter = { atNs: bigint; wake(): void };

export function createVirtualTime(originNs: bigint): EngineTime {
  let nowNs = originNs;
  const waiting: Waiter[] = [];
  let isTurning = false;

  const turn = (): void => {
    isTurning = false;
    const next = waiting.shift();
    if (next === undefined) return;
    if (next.atNs > nowNs) nowNs = next.atNs;
    next.wake();
    schedule();
  };
  /** After all that is under way, which has no other to wait for than the ones in the list. */
  const schedule = (): void => {
    if (isTurning || waiting.length === 0) return;
    isTurning = true;
    setImmediate(turn);
  };
  const wait = (atNs: bigint): { reached: Promise<void>; forget(): void } => {
    let waiter: Waiter = { atNs, wake: () => undefined };
    const reached = new Promise<void>((resolve) => {
      waiter = { atNs, wake: resolve };
    });
    const after = waiting.findIndex((other) => other.atNs > atNs);
    waiting.splice(after < 0 ? waiting.length : after, 0, waiter);
    schedule();
    return {
      reached,
      forget() {
        const at = waiting.indexOf(waiter);
        if (at >= 0) waiting.splice(at, 1);
      },
    };
  };
  return {
    nowNs: () => nowNs,
    createPace: () => ({
      reach: (scheduleNs) => wait(scheduleNs).reached,
      async rest(untilNs, woken) {
        if (untilNs === null) return woken;
        const { reached, forget } = wait(untilNs);
        await Promise.race([woken, reached]);
        forget();
      },
    }),
  };
}
