/**
 * Brings what a unit changed into the lead's copy, file by file: what it was allowed to change, where nobody else changed
 * the same meanwhile.
 * Invariant: all of it or nothing; made again after a kill, it comes to the same.
 */
import { cp, lstat, readFile, readlink, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import picomatch from "picomatch";
import { resolveInside } from "../sandbox/resolve-path.ts";
import { walkFiles } from "../sandbox/walk-files.ts";

const MAX_FILES = 100_000;

/** What a file is, so that two can be compared; null where there is none. */
async function readState(file: string): Promise<string | null> {
  try {
    const info = await lstat(file);
    if (info.isSymbolicLink()) return `link ${await readlink(file)}`;
    return info.isFile() ? `file ${(await readFile(file)).toString("base64")}` : "other";
  } catch {
    return null;
  }
}

/** Paths that differ between two folders, in their order. */
export async function listChanges(before: string, after: string): Promise<string[]> {
  const paths = new Set([
    ...(await walkFiles(before, before, MAX_FILES)),
    ...(await walkFiles(after, after, MAX_FILES)),
  ]);
  const changed: string[] = [];
  for (const path of [...paths].sort()) {
    if ((await readState(join(before, path))) !== (await readState(join(after, path)))) changed.push(path);
  }
  return changed;
}

/** `outside` was changed, but not its to change. */
export type Merge = { merged: string[]; outside: string[]; conflicts: string[] };

export async function mergeChanges(
  folders: { base: string; from: string; into: string },
  allowed: readonly string[],
): Promise<Merge> {
  const { base, from, into } = folders;
  const changed = await listChanges(base, from);
  const isAllowed = picomatch([...allowed], { dot: true });
  const mine = changed.filter((path) => isAllowed(path));
  const outside = changed.filter((path) => !isAllowed(path));
  const conflicts: string[] = [];
  for (const path of mine) {
    const [was, is, wanted] = await Promise.all([base, into, from].map((folder) => readState(join(folder, path))));
    if (is !== was && is !== wanted) conflicts.push(path);
  }
  if (conflicts.length > 0) return { merged: [], outside, conflicts };
  for (const path of mine) {
    // A folder of the lead's may be a link to somewhere else.
    const target = join(await resolveInside(into, dirname(path)), basename(path));
    await rm(target, { force: true });
    const isThere = (await readState(join(from, path))) !== null;
    if (isThere) await cp(join(from, path), target, { verbatimSymlinks: true });
  }
  return { merged: mine, outside, conflicts };
}
