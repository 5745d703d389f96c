/**
 * Puts the engine's merging behind everything else that it does: merges can wait, inserts and whoever reads can't. They take
 * what others leave, a fifth as much as anybody who wants the same core, and catch up later. Only Linux gives threads a
 * priority of their own. The engine's setting for it (os_threads_nice_value_merge_mutate) asks for CAP_SYS_NICE.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { join } from "node:path";

const THREADS = "/proc/self/task";
const MERGING = "MergeMutate";
const NICENESS = 7;

/** Once the engine has started them. */
export function lowerMerges(): void {
  if (!existsSync(THREADS)) return;
  for (const thread of readdirSync(THREADS)) {
    if (readName(thread) !== MERGING) continue;
    // Started behind others, the engine keeps its merges behind itself.
    setPriority(Number(thread), Math.max(NICENESS, getPriority(Number(thread))));
  }
}

/** Empty of a thread that has ended since. */
function readName(thread: string): string {
  try {
    return readFileSync(join(THREADS, thread, "comm"), "utf8").trim();
  } catch {
    return "";
  }
}
