/** What the parts of the client share. */
import { z } from "zod";

/** Lists as they come: rows, and where the next ones begin. */
export const listOf = <T extends z.ZodType>(row: T) =>
  z.object({ data: z.array(row), nextCursor: z.string().nullable() });

export type Query = Record<string, string | undefined>;
export type Get = <T extends z.ZodType>(schema: T, path: string, query?: Query) => Promise<z.output<T>>;
export type Write = <T extends z.ZodType>(
  schema: T,
  method: "POST" | "PUT" | "DELETE",
  path: string,
  body?: unknown,
) => Promise<z.output<T>>;
