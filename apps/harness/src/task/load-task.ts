/**
 * The bundled repair tasks as data: reads and checks `tasks/<id>/task.json`.
 * Must not: decide an outcome, or copy or run anything of a task.
 */
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { CentspanError } from "@centspan/base";
import { z } from "zod";

const taskSchema = z.object({
  id: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "must be kebab-case"),
  title: z.string().min(1),
  type: z.enum(["bug", "edge-case", "performance", "feature", "security"]),
  repository: z.string().min(1),
  prompt: z.string().min(1),
});

export type Task = z.infer<typeof taskSchema> & {
  /** Where all of it lies. */
  dir: string;
  /** The package as it was handed out; nothing ever writes here. */
  filesDir: string;
};

/** All tasks of a folder, in the order of their ids. */
export async function loadTasks(tasksDir: string): Promise<Task[]> {
  const entries = await readdir(tasksDir, { withFileTypes: true });
  const ids = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(ids.sort().map((id) => readTask(join(tasksDir, id))));
}

export function findTask(tasks: readonly Task[], id: string): Task {
  const task = tasks.find((candidate) => candidate.id === id);
  if (task) return task;
  throw new CentspanError("not_found", `task: there is no "${id}"; \`harness tasks\` lists them`, { field: "task" });
}

/** The task of a folder of its own, named as its id. */
export async function readTask(dir: string): Promise<Task> {
  const id = basename(dir);
  const file = join(dir, "task.json");
  const refuse = (why: string, cause?: unknown) => new CentspanError("invalid_file", `${file}: ${why}`, { cause });
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    throw refuse("is missing or is not JSON", error);
  }
  const parsed = taskSchema.safeParse(value);
  if (!parsed.success) throw refuse(z.prettifyError(parsed.error).replaceAll("\n", "; "));
  if (parsed.data.id !== id) throw refuse(`id: is "${parsed.data.id}", but the folder is "${id}"`);
  return { ...parsed.data, dir, filesDir: join(dir, "files") };
}
