/** A repair task of a few lines with the format of the bundled ones: `double` adds where it should multiply. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Task } from "../task/load-task.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

export const BROKEN = "export const double = (n) => n + 2;\n";
export const FIXED = "export const double = (n) => n * 2;\n";

const TEST = `import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { double } from "../src/double.js";
const cases = JSON.parse(readFileSync(new URL("../fixtures/cases.json", import.meta.url), "utf8"));
test("two", () => assert.equal(double(2), 4));
test("all cases", () => { for (const [n, twice] of cases) assert.equal(double(n), twice); });
`;

export async function createTinyTask(): Promise<Task> {
  const dir = join(await createTemporaryFolder(), "double");
  const filesDir = join(dir, "files");
  await mkdir(filesDir, { recursive: true });
  for (const folder of ["src", "test", "fixtures"]) await mkdir(join(filesDir, folder));
  await writeFile(join(filesDir, "package.json"), '{ "name": "@acme/double", "type": "module" }\n');
  await writeFile(join(filesDir, "src/double.js"), BROKEN);
  await writeFile(join(filesDir, "fixtures/cases.json"), "[[0, 0], [5, 10]]\n");
  await writeFile(join(filesDir, "test/double.test.js"), TEST);
  const task = {
    id: "double",
    title: "Doubling is wrong",
    type: "bug" as const,
    repository: "acme/double",
    prompt: "double(5) gives 7.",
  };
  await writeFile(join(dir, "task.json"), JSON.stringify(task));
  return { ...task, dir, filesDir };
}
