/**
 * Where a path that a model named really is. Invariant: what is returned lies inside the root, with every symbolic link
 * on the way followed, so reading or writing it touches nothing else.
 */
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { CentspanError } from "@centspan/base";
import { errorCode } from "./file-error.ts";

const refuse = (path: string, why: string) =>
  new CentspanError("invalid_request", `path: ${JSON.stringify(path)} ${why}`, { field: "path" });

const isInside = (root: string, path: string): boolean => path === root || path.startsWith(root + sep);

/** `root` must be a real path. The file itself need not exist yet. */
export async function resolveInside(root: string, path: string): Promise<string> {
  if (path.includes("\0")) throw refuse(path, "holds a NUL character");
  if (isAbsolute(path)) throw refuse(path, "must be relative to the package");
  const named = resolve(root, path);
  if (!isInside(root, named)) throw refuse(path, "leaves the package");
  const real = await followLinks(named).catch((error: unknown) => {
    throw refuse(path, `can't be followed (${errorCode(error) ?? "broken link"})`);
  });
  if (!isInside(root, real)) throw refuse(path, "leaves the package through a link");
  return real;
}

async function followLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    // A link to nothing would be created at its target by a write, wherever that is.
    if (await exists(path)) throw new Error("broken link");
    return join(await followLinks(dirname(path)), basename(path));
  }
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
