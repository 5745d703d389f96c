/**
 * Who PostgreSQL runs as: itself refuses root, so a root process uses (and if need be creates) the user `postgres`.
 * Where that user may not enter a folder on the way to the data or the programs (a checkout under /root, a private
 * temporary folder), it runs in a user namespace: outside it is still root, who owns the files; inside it is `postgres`.
 */
import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { CentspanError } from "@centspan/base";

const exec = promisify(execFile);

export type PostgresUser = { uid: number; gid: number };

/** How to start a program of PostgreSQL's: as whom, who owns its files, and through which command. Not root: as we are. */
export type RunAs = { spawnAs?: PostgresUser; owner?: PostgresUser; through: string[] };

const ROOT: PostgresUser = { uid: 0, gid: 0 };

/** `paths` are what the user must be able to reach. */
export async function chooseRunAs(paths: readonly string[]): Promise<RunAs> {
  if (process.getuid?.() !== 0) return { through: [] };
  const user = (await lookUp()) ?? (await createUser());
  if (paths.every((path) => canReach(path, user))) return { spawnAs: user, owner: user, through: [] };
  const through = ["unshare", "--user", `--map-user=${user.uid}`, `--map-group=${user.gid}`];
  try {
    await exec("unshare", [...through.slice(1), "true"]);
    return { owner: ROOT, through };
  } catch (cause) {
    throw new CentspanError(
      "forbidden",
      `PostgreSQL runs as the user postgres, who may not enter a folder on the way to ${paths.join(" or ")}. Use folders that every user may enter (also with --data), or don't run as root.`,
      { field: "--data", cause },
    );
  }
}

/** A program and its arguments as spawn takes them. */
export function asPostgres(runAs: RunAs, program: string, args: readonly string[]) {
  const [command = program, ...before] = [...runAs.through, program];
  return { command, args: [...before, ...args], identity: runAs.spawnAs ?? {} };
}

/** Gives `path`, and what is in it, to whom PostgreSQL's files belong; it may have run the other way before. */
export async function handOver(path: string, { owner }: RunAs): Promise<void> {
  if (owner !== undefined && statSync(path).uid !== owner.uid)
    await exec("chown", ["-R", `${owner.uid}:${owner.gid}`, path]);
}

function canReach(path: string, user: PostgresUser): boolean {
  for (let dir = path; dir !== dirname(dir); dir = dirname(dir)) {
    const { mode, uid } = statSync(dir);
    if ((mode & 0o001) === 0 && uid !== user.uid) return false;
  }
  return true;
}

async function createUser(): Promise<PostgresUser> {
  try {
    await exec("useradd", ["--system", "--user-group", "--no-create-home", "postgres"]);
  } catch (cause) {
    const message = "PostgreSQL refuses to run as root, and the user postgres can't be created.";
    throw new CentspanError("forbidden", message, { cause });
  }
  const user = await lookUp();
  if (user === undefined) throw new CentspanError("forbidden", "The user postgres was created but is not there.");
  return user;
}

async function lookUp(): Promise<PostgresUser | undefined> {
  try {
    const [uid, gid] = await Promise.all([exec("id", ["-u", "postgres"]), exec("id", ["-g", "postgres"])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}
