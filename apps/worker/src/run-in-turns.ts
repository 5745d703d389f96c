/** Runs long work a slice at a time, and lets everything else of this process have its turn between. */
import { setImmediate } from "node:timers/promises";
import type { Sliced } from "@centspan/attribution";

const TURN_MS = 20;

export async function runInTurns<Result>(work: Sliced<Result>): Promise<Result> {
  let startedAtMs = performance.now();
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    if (performance.now() - startedAtMs < TURN_MS) continue;
    await setImmediate();
    startedAtMs = performance.now();
  }
}
