/** A run's own copy of a task's package: the only place the agent's tools may touch. */
import { cp, mkdir, realpath, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Task } from "./load-task.ts";

/** Copies the package to a folder that must not exist yet; returns its real path. */
export async function createWorkingCopy(task: Task, directory: string): Promise<string> {
  await mkdir(dirname(directory), { recursive: true });
  await cp(task.filesDir, directory, { recursive: true, errorOnExist: true, force: false });
  return realpath(directory);
}

export const removeFolder = (directory: string): Promise<void> => rm(directory, { recursive: true, force: true });
