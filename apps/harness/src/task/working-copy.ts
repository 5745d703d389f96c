/** A run's own copy of a task's package: the only place the agent's tools may touch. */
import { cp, lstat, mkdir, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Task } from "./load-task.ts";

/** Copies the package to a folder that must not exist yet. */
export async function createWorkingCopy(task: Task, directory: string): Promise<void> {
  await mkdir(dirname(directory), { recursive: true });
  await cp(task.filesDir, directory, { recursive: true, errorOnExist: true, force: false });
}

export const removeFolder = (directory: string): Promise<void> => rm(directory, { recursive: true, force: true });

export const fileExists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
