/**
 * The working copy as it was before a call that may change it, so that a call which a kill cut off can be made again from
 * where it began. Copies too large for that have none; there the model is told that it was cut off.
 */
import { lstat, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { copyFolder } from "./copy-folder.ts";
import { fileExists, removeFolder } from "./working-copy.ts";

export type Checkpoint = {
  take(): Promise<void>;
  /** False where there is none. */
  restore(): Promise<boolean>;
};

/** Beyond these a copy before each call would take longer than most calls. */
const MAX_FILES = 5_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** `kept` is where the copy goes. Whether there are any is settled once, by what the working copy holds at first. */
export async function openCheckpoint(workingCopy: string, kept: string): Promise<Checkpoint> {
  // A kill can fall into the moment at which it is put back.
  const isSmall = !(await fileExists(workingCopy)) || (await fits(workingCopy));
  const draft = `${kept}.new`;
  return {
    async take() {
      if (!isSmall) return;
      await removeFolder(draft);
      await copyFolder(workingCopy, draft);
      await removeFolder(kept);
      await rename(draft, kept);
    },
    async restore() {
      if (!(await fileExists(kept))) return false;
      await removeFolder(draft);
      await copyFolder(kept, draft);
      await removeFolder(workingCopy);
      await rename(draft, workingCopy);
      return true;
    },
  };
}

async function fits(folder: string): Promise<boolean> {
  let files = 0;
  let bytes = 0;
  const pending = [folder];
  for (let current = pending.pop(); current !== undefined; current = pending.pop()) {
    for (const entry of await readdir(current, { withFileTypes: true })) {
      const path = join(current, entry.name);
      if (entry.isDirectory()) pending.push(path);
      files += 1;
      bytes += (await lstat(path)).size;
      if (files > MAX_FILES || bytes > MAX_BYTES) return false;
    }
  }
  return true;
}
