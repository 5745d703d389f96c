/**
 * The package that is judged: what the agent left, with everything the task came with beside `src/` put back as it was.
 * So neither edited tests, fixtures nor package.json count, whatever the agent did to them.
 */
import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { copyFolder } from "../task/copy-folder.ts";
import type { Task } from "../task/load-task.ts";
import { fileExists } from "../task/working-copy.ts";

const AGENTS_OWN = "src";

/** Copies to `directory`, which must not exist; returns the task's own test files, relative to it. */
export async function createJudgedCopy(task: Task, workingCopy: string, directory: string): Promise<string[]> {
  await mkdir(directory);
  if (await fileExists(workingCopy)) await copyFolder(workingCopy, directory);
  const entries = (await readdir(task.filesDir)).filter((name) => name !== AGENTS_OWN);
  for (const name of entries) {
    const target = join(directory, name);
    await rm(target, { recursive: true, force: true });
    await cp(join(task.filesDir, name), target, { recursive: true });
  }
  return listTests(join(task.filesDir, "test"));
}

async function listTests(testDir: string): Promise<string[]> {
  const names = await readdir(testDir, { recursive: true });
  return names
    .filter((name) => name.endsWith(".test.js"))
    .sort()
    .map((name) => join("test", name));
}
