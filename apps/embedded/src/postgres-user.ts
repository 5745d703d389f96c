/** Who PostgreSQL runs as: itself refuses root, so a root process uses (and if need be creates) the user `postgres`. */
import { execFile } from "node:child_process";
import { chmodSync, chownSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { CentspanError } from "@centspan/base";

const exec = promisify(execFile);

export type RunAs = { uid: number; gid: number } | undefined;

export async function postgresUser(): Promise<RunAs> {
  if (process.getuid?.() !== 0) return undefined;
  const found = await lookUp();
  if (found) return found;
  try {
    await exec("useradd", ["--system", "--user-group", "--no-create-home", "postgres"]);
  } catch (cause) {
    throw new CentspanError("forbidden", "PostgreSQL refuses to run as root, and the user postgres can't be created.", {
      cause,
    });
  }
  return lookUp();
}

/** Gives `path` to that user, who must also be able to reach it. */
export function handOver(path: string, user: RunAs): void {
  if (!user) return;
  chownSync(path, user.uid, user.gid);
}

export function assertReachable(path: string, user: RunAs): void {
  if (!user) return;
  chmodSync(path, statSync(path).mode | 0o011);
  for (let dir = dirname(path); dir !== dirname(dir); dir = dirname(dir)) {
    if (statSync(dir).mode & 0o001 || statSync(dir).uid === user.uid) continue;
    throw new CentspanError(
      "forbidden",
      `PostgreSQL runs as the user postgres, who may not enter ${dir}. Choose another --data, or don't run as root.`,
      { field: "--data" },
    );
  }
}

async function lookUp(): Promise<RunAs> {
  try {
    const [uid, gid] = await Promise.all([exec("id", ["-u", "postgres"]), exec("id", ["-g", "postgres"])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}
