/** Configuration from the environment, read once at start-up; errors name the variable and what it needs. */
import { CentspanError } from "@centspan/base";
import { z } from "zod";

export const portSchema = z.coerce.number().int().min(0).max(65_535);

/** What every server takes: CENTSPAN_HOST (loopback unless said otherwise) and CENTSPAN_PORT. */
export const listenSchema = z.object({
  CENTSPAN_HOST: z.string().default("127.0.0.1"),
  CENTSPAN_PORT: portSchema,
});

export function readConfig<T extends z.ZodType>(schema: T, env: Record<string, string | undefined>): z.infer<T> {
  const result = schema.safeParse(env);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new CentspanError("invalid_request", `environment: ${lines.join("; ")}`);
}
