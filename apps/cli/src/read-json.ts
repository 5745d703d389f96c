import { readFileSync } from "node:fs";
import { CentspanError } from "@centspan/base";
import type { z } from "zod";

/** What the file says; names the file, and entry and field of everything wrong with it. */
export function readJson<T extends z.ZodType>(file: string, schema: T): z.output<T> {
  const refuse = (why: string, cause?: unknown): never => {
    throw new CentspanError("invalid_file", `${file}: ${why}; nothing was imported`, { cause });
  };
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    return refuse("is no JSON that can be read", cause);
  }
  const said = schema.safeParse(json);
  if (!said.success)
    return refuse(said.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
  return said.data;
}
