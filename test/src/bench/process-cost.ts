/** What a process takes, from /proc: CPU time and resident memory, sampled while it works. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const MEBIBYTE = 1024 ** 2;
const SAMPLE_EVERY_MS = 250;
let ticksPerSecond: number | undefined;

/** User and system time of all threads so far. */
export function readCpuUs(pid: number): number {
  ticksPerSecond ??= Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field is the program's name, and may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1e6;
}

export const readRssMb = (pid: number): number =>
  (Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024) / MEBIBYTE;

/** Resident memory over a run: its greatest value, and medians of its second and its last tenth. */
export type MemoryCourse = { maxMb: number; startMb: number; endMb: number };

export function watchMemory(pid: number): { stop(): MemoryCourse } {
  const samples = [readRssMb(pid)];
  const timer = setInterval(() => samples.push(readRssMb(pid)), SAMPLE_EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      samples.push(readRssMb(pid));
      const tenth = Math.max(1, Math.floor(samples.length / 10));
      return {
        maxMb: Math.max(...samples),
        startMb: median(samples.slice(tenth, tenth * 2)) ?? samples[0] ?? 0,
        endMb: median(samples.slice(-tenth)) ?? 0,
      };
    },
  };
}

const median = (values: number[]): number | undefined => values.toSorted((a, b) => a - b)[values.length >> 1];

/** The most that a process ever had, of one that may end at any time. */
export function watchPeakMb(pid: number): { stop(): number } {
  let peakMb = 0;
  const sample = (): void => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      peakMb = Math.max(peakMb, (Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024) / MEBIBYTE);
    } catch {
      // It has ended.
    }
  };
  const timer = setInterval(sample, SAMPLE_EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      return peakMb;
    },
  };
}
