import { CentspanError } from "@centspan/base";
import { z } from "zod";
import { explainFileErrors } from "../sandbox/file-error.ts";
import { resolveInside } from "../sandbox/resolve-path.ts";
import { readText } from "../sandbox/text-file.ts";
import { defineTool } from "./tool.ts";

export default defineTool({
  name: "read_file",
  description: "Reads a text file, or the lines from `start` to `end` of it (both included, counted from 1).",
  arguments: z.strictObject({
    path: z.string().describe("File to read, relative to the package."),
    start: z.int().min(1).optional().describe("First line; 1 when absent."),
    end: z.int().min(1).optional().describe("Last line; the end of the file when absent."),
  }),
  readOnly: true,
  async run({ path, start = 1, end }, { root, output }) {
    const text = await explainFileErrors(path, async () => readText(await resolveInside(root, path), path));
    const lines = text.replace(/\n$/, "").split("\n");
    if (end !== undefined && end < start) throw refuse("end", `is ${end}, before start (${start})`);
    if (start > lines.length) throw refuse("start", `is ${start}, but the file has ${lines.length} lines`);
    const numbered = lines.slice(start - 1, end).map((line, index) => `${String(start + index).padStart(5)}  ${line}`);
    return { output: output.write(numbered.join("\n")) };
  },
});

const refuse = (field: string, why: string) => new CentspanError("invalid_request", `${field}: ${why}`, { field });
