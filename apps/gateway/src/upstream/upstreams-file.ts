/** Which model servers there are: a JSON file, checked once. Keys are named by the environment variable that holds them. */
import { readFileSync } from "node:fs";
import { CentspanError } from "@centspan/base";
import { SAFETY_POLICIES } from "@centspan/model";
import { z } from "zod";

const replicaSchema = z.strictObject({
  url: z.url(),
  region: z.string().min(1).optional(),
  accelerator: z.string().min(1).optional(),
  /** Prompts beyond it go elsewhere. */
  maxContextTokens: z.int().positive().optional(),
});

const upstreamSchema = z
  .strictObject({
    name: z.string().min(1),
    provider: z.string().min(1),
    /** Name of the environment variable that holds the key. */
    keyVariable: z.string().min(1).optional(),
    /** Ids of the protocols that it speaks. */
    protocols: z.array(z.string().min(1)).min(1).optional(),
    /** Models that it serves; a `*` stands for any text. */
    models: z.array(z.string().min(1)).min(1).default(["*"]),
    /** vLLM that was started with `--scheduling-policy priority`; without that it refuses what names a priority. */
    takesPriority: z.boolean().default(false),
    /** In place of the gateway's, for its models. */
    safety: z.enum(SAFETY_POLICIES).optional(),
    replicas: z.array(replicaSchema).min(1),
    router: z
      .strictObject({ id: z.string().min(1), settings: z.record(z.string(), z.number()).optional() })
      .default({ id: "estimated-prefix" }),
  })
  .refine(({ provider, takesPriority }) => !takesPriority || provider === "vllm", {
    path: ["takesPriority"],
    message: "only the provider vllm takes it",
  });

export const upstreamsSchema = z.strictObject({
  /** Replicas in the gateway's own region are preferred. */
  region: z.string().min(1).optional(),
  /** Attempts after the first, each on another replica where there is one. */
  retries: z.int().min(0).max(5).default(2),
  /** In order of preference: of those that serve a model, a later one is asked when the earlier ones fail. */
  upstreams: z.array(upstreamSchema).min(1),
});

export type UpstreamsFile = z.infer<typeof upstreamsSchema>;

export function readUpstreamsFile(path: string): UpstreamsFile {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CentspanError("invalid_file", `CENTSPAN_UPSTREAMS_FILE: ${path} can't be read: ${why}`, { cause });
  }
  const parsed = upstreamsSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.map(String).join(".") ?? "";
  throw new CentspanError("invalid_file", `CENTSPAN_UPSTREAMS_FILE: ${field}: ${issue?.message}`, { field });
}
