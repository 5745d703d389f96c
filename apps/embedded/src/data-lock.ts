/**
 * One process per data directory. The lock is a file that names its holder: pid and, where /proc has it, the start time
 * of that pid, so that a number reused after a crash or a reboot is not taken for the holder.
 * It appears complete or not at all (hard link), and a dead holder's lock is taken over. It is never taken away: the
 * engine still works on its files while the process exits, and only the end of the process ends that.
 */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { CentspanError } from "@centspan/base";

/** A holder that was just asked to stop is waited for; one that stays is the error. */
const WAIT_LIMIT_MS = 5000;
const POLL_MS = 50;

export async function acquireDataLock(dataDir: string): Promise<void> {
  const path = join(dataDir, "centspan.lock");
  const mine = `${path}.${process.pid}`;
  const deadline = Date.now() + WAIT_LIMIT_MS;
  writeFileSync(mine, describeProcess(process.pid), { mode: 0o600 });
  try {
    while (!tryLink(mine, path)) {
      const holder = livingHolder(path);
      if (holder === undefined) setAsideStaleLock(path);
      else if (Date.now() < deadline) await delay(POLL_MS);
      else {
        const message = `The data directory ${dataDir} is in use by process ${holder}. Stop that process, or choose another --data.`;
        throw new CentspanError("conflict", message, { field: "--data" });
      }
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

function livingHolder(path: string): number | undefined {
  const content = readIfThere(path);
  const pid = Number(content?.split(" ")[0]);
  return pid > 0 && describeProcess(pid) === content ? pid : undefined;
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

function setAsideStaleLock(path: string): void {
  const content = readIfThere(path);
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return;
    throw error;
  }
  // Somebody may have replaced the stale lock between the look and the rename: then it goes back.
  if (readIfThere(aside) !== content) tryLink(aside, path);
  rmSync(aside, { force: true });
}

/** "pid start-time" of a living process, "pid gone" of a dead one. */
function describeProcess(pid: number): string {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!hasCode(error, "EPERM")) return `${pid} gone`;
  }
  const stat = readIfThere(`/proc/${pid}/stat`);
  // Field 22, counted after the command name, which may hold blanks and parentheses.
  const startTime = stat
    ?.slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .at(19);
  return `${pid} ${startTime ?? "alive"}`;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
