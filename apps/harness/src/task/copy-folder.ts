/** Copies of folders that an agent wrote in. Links stay as they are: made absolute, they would lead back to the original. */
import { cp, lstat } from "node:fs/promises";

/** `to` must not exist, or be a folder that may be added to. */
export const copyFolder = (from: string, to: string): Promise<void> =>
  cp(from, to, { recursive: true, verbatimSymlinks: true, filter: isCopied });

/** Sockets and pipes that the agent's programs left can't be copied. */
async function isCopied(path: string): Promise<boolean> {
  const info = await lstat(path);
  return info.isFile() || info.isDirectory() || info.isSymbolicLink();
}
