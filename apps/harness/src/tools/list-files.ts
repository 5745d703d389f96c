import { z } from "zod";
import { explainFileErrors } from "../sandbox/file-error.ts";
import { resolveInside } from "../sandbox/resolve-path.ts";
import { walkFiles } from "../sandbox/walk-files.ts";
import { defineTool } from "./tool.ts";

const MAX_FILES = 5_000;

export default defineTool({
  name: "list_files",
  description: "Lists the files of the package, or of one of its folders, one path a line.",
  arguments: z.strictObject({ path: z.string().optional().describe("Folder to list, relative to the package.") }),
  readOnly: true,
  async run({ path = "." }, { root, output }) {
    const directory = await resolveInside(root, path);
    const files = await explainFileErrors(path, () => walkFiles(root, directory, MAX_FILES + 1));
    const lines = files.length > MAX_FILES ? [...files.slice(0, MAX_FILES), "(more files are not listed)"] : files;
    return { output: output.write(lines.length === 0 ? "(no files)" : lines.join("\n")) };
  },
});
