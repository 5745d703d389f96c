import { lstat, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { CentspanError } from "@centspan/base";
import { z } from "zod";
import { errorCode, explainFileErrors } from "../sandbox/file-error.ts";
import { resolveInside } from "../sandbox/resolve-path.ts";
import { walkFiles } from "../sandbox/walk-files.ts";
import { defineTool } from "./tool.ts";

const MAX_FILES = 5_000;
const MAX_FILE_BYTES = 1024 * 1024;
/** All files together, since their lines are held while they are searched. */
const MAX_TOTAL_BYTES = 16 * 1024 * 1024;
const MAX_MATCHES = 500;
const TIME_LIMIT_MS = 1_000;

type Line = { path: string; number: number; text: string };

export default defineTool({
  name: "search",
  description: "Finds the lines that match a JavaScript regular expression, as path:line: text.",
  arguments: z.strictObject({
    pattern: z.string().min(1).describe("Regular expression, without slashes or flags."),
    path: z.string().optional().describe("File or folder to search, relative to the package; all of it when absent."),
  }),
  readOnly: true,
  async run({ pattern, path = "." }, { root, output }) {
    const expression = compile(pattern);
    const place = await resolveInside(root, path);
    const { lines, isWhole } = await explainFileErrors(path, async () => readLines(await filesAt(root, place, path)));
    const matches = matchLines(expression, lines);
    const shown = matches.slice(0, MAX_MATCHES).map((line) => `${line.path}:${line.number}: ${line.text}`);
    if (matches.length > MAX_MATCHES) shown.push(`(${matches.length - MAX_MATCHES} more matches are not shown)`);
    if (!isWhole) shown.push(`(only the first ${MAX_TOTAL_BYTES} bytes of files were searched; name a folder)`);
    return { output: output.write(shown.length === 0 ? "(no matches)" : shown.join("\n")) };
  },
});

const refuse = (why: string, cause?: unknown) =>
  new CentspanError("invalid_request", `pattern: ${why}`, { field: "pattern", cause });

function compile(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : String(error), error);
  }
}

type Found = { path: string; file: string };

async function filesAt(root: string, place: string, path: string): Promise<Found[]> {
  if ((await stat(place)).isFile()) return [{ path, file: place }];
  const paths = await walkFiles(root, place, MAX_FILES);
  return paths.map((found) => ({ path: found, file: join(root, found) }));
}

/** Lines of the files in their order, as far as the limit goes. */
async function readLines(files: Found[]): Promise<{ lines: Line[]; isWhole: boolean }> {
  const lines: Line[] = [];
  let total = 0;
  for (const { path, file } of files) {
    const text = await readSmallText(file);
    total += text.length;
    if (total > MAX_TOTAL_BYTES) return { lines, isWhole: false };
    for (const [index, line] of text.split("\n").entries()) lines.push({ path, number: index + 1, text: line });
  }
  return { lines, isWhole: true };
}

/** The text of a plain file of moderate size, else nothing: links, binaries and dumps are not searched. */
async function readSmallText(file: string): Promise<string> {
  const info = await lstat(file);
  if (!info.isFile() || info.size > MAX_FILE_BYTES) return "";
  const bytes = await readFile(file);
  return bytes.includes(0) ? "" : bytes.toString("utf8");
}

/** A pattern can take exponential time; a script's time limit also stops a regular expression in it. */
function matchLines(expression: RegExp, lines: Line[]): Line[] {
  const matches: Line[] = [];
  const scope = { expression, lines, matches };
  try {
    runInNewContext("for (const line of lines) if (expression.test(line.text)) matches.push(line)", scope, {
      timeout: TIME_LIMIT_MS,
    });
  } catch (error) {
    if (errorCode(error) !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    throw refuse(`took longer than ${TIME_LIMIT_MS} ms; use a simpler one`, error);
  }
  return matches;
}
