/**
 * What a call costs on this machine: processor time of this process for each, learned while it has enough to do. At rest
 * what a process does for itself would count as the cost of a few calls.
 */
import { performance } from "node:perf_hooks";

export type CallCost = {
  /** Another call has ended. */
  called(): void;
  /** Learns from what was done since it last did. */
  learn(): void;
  /** Microseconds a call, an average that forgets; null before there was enough to do. */
  cpuUs(): number | null;
};

/** Since the process began. */
type Usage = { cpuUs: number; busyMs: number; idleMs: number };

const LEAST_CALLS = 50;
const LEAST_BUSY = 0.1;
/** Of what is new in the average. */
const WEIGHT = 0.2;

export function createCallCost(readUsage: () => Usage = readOwnUsage): CallCost {
  let calls = 0;
  let before = readUsage();
  let average: number | null = null;
  return {
    called() {
      calls += 1;
    },
    learn() {
      const now = readUsage();
      const busyMs = now.busyMs - before.busyMs;
      const wallMs = busyMs + now.idleMs - before.idleMs;
      if (calls >= LEAST_CALLS && busyMs >= LEAST_BUSY * wallMs) {
        const observed = (now.cpuUs - before.cpuUs) / calls;
        average = average === null ? observed : average + (observed - average) * WEIGHT;
      }
      calls = 0;
      before = now;
    },
    cpuUs: () => average,
  };
}

function readOwnUsage(): Usage {
  const { user, system } = process.cpuUsage();
  const { active, idle } = performance.eventLoopUtilization();
  return { cpuUs: user + system, busyMs: active, idleMs: idle };
}
