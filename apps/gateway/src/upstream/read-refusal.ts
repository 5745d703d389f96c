/** What an upstream's answer says of why it refuses, in whichever shape. */
import { z } from "zod";

const refusalSchema = z.union([
  z.looseObject({ error: z.looseObject({ message: z.string() }) }).transform(({ error }) => error.message),
  z.looseObject({ error: z.string() }).transform(({ error }) => error),
  // vLLM's older ones, and those of its web framework.
  z.looseObject({ message: z.string() }).transform(({ message }) => message),
  z.looseObject({ detail: z.string() }).transform(({ detail }) => detail),
]);

export const readRefusal = (json: unknown, statusCode: number): string =>
  refusalSchema.safeParse(json).data ?? `the model server answered ${statusCode}`;
