/** Which MCP servers there are, in the form that agents share: a program to start, or an address. */
import { readFile } from "node:fs/promises";
import { CentspanError } from "@centspan/base";
import { z } from "zod";

const nameSchema = z.string().regex(/^[A-Za-z0-9_-]{1,32}$/, "must be 1 to 32 letters, digits, _ and -");

const serverSpecSchema = z.union([
  z.strictObject({
    command: z.string().min(1),
    args: z.array(z.string()).default([]),
    env: z.record(z.string(), z.string()).default({}),
  }),
  z.strictObject({ url: z.url(), headers: z.record(z.string(), z.string()).default({}) }),
]);
export type ServerSpec = z.infer<typeof serverSpecSchema>;

export const serverSpecsSchema = z.record(nameSchema, serverSpecSchema);
export type ServerSpecs = z.infer<typeof serverSpecsSchema>;

const fileSchema = z.looseObject({ mcpServers: serverSpecsSchema });

/** A file such as `.mcp.json`. */
export async function readServerSpecs(file: string): Promise<ServerSpecs> {
  try {
    return fileSchema.parse(JSON.parse(await readFile(file, "utf8"))).mcpServers;
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause);
    throw new CentspanError("invalid_file", `${file}: ${why}`, { cause });
  }
}
