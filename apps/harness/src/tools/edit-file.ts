import { mkdir, writeFile } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { CentspanError } from "@centspan/base";
import { z } from "zod";
import { explainFileErrors } from "../sandbox/file-error.ts";
import { resolveInside } from "../sandbox/resolve-path.ts";
import { readText } from "../sandbox/text-file.ts";
import { defineTool } from "./tool.ts";

export default defineTool({
  name: "edit_file",
  description:
    "Replaces `old`, which must occur exactly once in the file, by `new`. With an empty `old` it creates a new file.",
  arguments: z.strictObject({
    path: z.string().min(1).describe("File to change, relative to the package."),
    old: z.string().describe("Text to replace, exactly as it stands in the file; empty to create the file."),
    new: z.string().describe("Text to put in its place."),
  }),
  readOnly: false,
  subject: async ({ path }, { root }) => ({ kind: "path", text: relative(root, await resolveInside(root, path)) }),
  async run({ path, old, new: replacement }, { root, output }) {
    const file = await resolveInside(root, path);
    const done = await explainFileErrors(path, () =>
      old === "" ? createFile(file, path, replacement) : replaceOnce(file, path, old, replacement),
    );
    return { output: output.write(done) };
  },
});

const refuse = (field: string, why: string) => new CentspanError("invalid_request", `${field}: ${why}`, { field });

async function createFile(file: string, path: string, text: string): Promise<string> {
  await mkdir(dirname(file), { recursive: true });
  try {
    await writeFile(file, text, { flag: "wx" });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") {
      throw refuse("old", `is empty, but ${JSON.stringify(path)} exists already`);
    }
    throw error;
  }
  return `created ${path}`;
}

async function replaceOnce(file: string, path: string, old: string, replacement: string): Promise<string> {
  const text = await readText(file, path);
  const at = text.indexOf(old);
  if (at < 0) throw refuse("old", `does not occur in ${JSON.stringify(path)}`);
  if (text.indexOf(old, at + 1) >= 0) throw refuse("old", `occurs more than once in ${JSON.stringify(path)}`);
  await writeFile(file, text.slice(0, at) + replacement + text.slice(at + old.length));
  return `edited ${path} at line ${text.slice(0, at).split("\n").length}`;
}
