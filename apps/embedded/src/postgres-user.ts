/**
 * Who PostgreSQL runs as: itself refuses root, so a root process uses (and if need be creates) the user `postgres`.
 * Where that user may not enter a folder on the way to the data or the programs (a checkout under /root, a private
 * temporary folder), it runs with the one capability that lets it pass.
 */
import { execFile } from "node:child_process";
import { chownSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { CentspanError } from "@centspan/base";

const exec = promisify(execFile);

export type PostgresUser = { uid: number; gid: number };

/** How to start a program of PostgreSQL's: as whom, and through which command. Empty where we are not root. */
export type RunAs = { user?: PostgresUser; through: string[] };

/** `paths` are what the user must be able to reach. */
export async function chooseRunAs(paths: readonly string[]): Promise<RunAs> {
  if (process.getuid?.() !== 0) return { through: [] };
  const user = (await lookUp()) ?? (await createUser());
  if (paths.every((path) => canReach(path, user))) return { user, through: [] };
  const identity = [`--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups"];
  const through = ["setpriv", ...identity, "--inh-caps=+dac_override", "--ambient-caps=+dac_override"];
  try {
    await exec(through[0] ?? "", [...through.slice(1), "true"]);
    return { user, through };
  } catch (cause) {
    throw new CentspanError(
      "forbidden",
      `PostgreSQL runs as the user postgres, who may not enter a folder on the way to ${paths.join(" or ")}. Choose another --data, or don't run as root.`,
      { field: "--data", cause },
    );
  }
}

/** A program and its arguments as spawn takes them: `setpriv` changes the user itself, else spawn does. */
export function asPostgres(runAs: RunAs, program: string, args: readonly string[]) {
  const [command = program, ...before] = [...runAs.through, program];
  const identity = runAs.user !== undefined && runAs.through.length === 0 ? runAs.user : {};
  return { command, args: [...before, ...args], identity };
}

/** Gives `path` to that user. */
export function handOver(path: string, { user }: RunAs): void {
  if (user !== undefined) chownSync(path, user.uid, user.gid);
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
