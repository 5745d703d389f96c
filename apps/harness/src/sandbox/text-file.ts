/**
 * A file's text for a tool. Looks at what the file is before it opens it: a pipe would block for ever, a dump would not
 * fit into memory. `resolveInside` has said where the file is.
 */
import { isUtf8 } from "node:buffer";
import { readFile, stat } from "node:fs/promises";
import { CentspanError } from "@centspan/base";

const MAX_BYTES = 4 * 1024 * 1024;

/** Reads `file`, which the model called `path`. Only UTF-8 comes back unchanged, so nothing else may be edited. */
export async function readText(file: string, path: string): Promise<string> {
  const info = await stat(file);
  if (info.isDirectory()) throw refuse(path, "is a folder");
  if (!info.isFile()) throw refuse(path, "is not a file");
  if (info.size > MAX_BYTES) throw refuse(path, `is larger than ${MAX_BYTES} bytes`);
  const bytes = await readFile(file);
  if (bytes.includes(0) || !isUtf8(bytes)) throw refuse(path, "is not a text file in UTF-8");
  return bytes.toString("utf8");
}

const refuse = (path: string, why: string) =>
  new CentspanError("invalid_request", `path: ${JSON.stringify(path)} ${why}`, { field: "path" });
