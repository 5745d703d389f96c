/** The engine's settings, all from the environment. */
import { listenSchema, portSchema } from "@centspan/service";
import { z } from "zod";

const count = z.coerce.number().int().positive();

export const configSchema = listenSchema.extend({
  CENTSPAN_PORT: portSchema.default(4100),
  CENTSPAN_OTLP_URL: z.url().default("http://127.0.0.1:4318"),
  CENTSPAN_INGEST_KEY: z.string().default(""),
  /** Wall time ÷ model time: 1 is the speed of the modelled machine, 0.02 fifty times as fast. */
  CENTSPAN_TIME_SCALE: z.coerce.number().min(0.0001).max(1_000).default(1),
  /** Trajectory files to replay, separated by commas. */
  CENTSPAN_REPLAY_FILES: z
    .string()
    .default("")
    .transform((files) => files.split(",").filter((file) => file !== "")),
  CENTSPAN_REPLICA_ID: z.string().min(1).default("engine-0"),
  CENTSPAN_KV_POLICY: z.string().default("lru-leaf"),
  /** What an 80 GB H100 holds beside an 8B model: 52 GB at 128 KiB a token. */
  CENTSPAN_KV_BLOCKS: count.default(6_144),
  CENTSPAN_MAX_SEQUENCES: count.default(64),
  CENTSPAN_TOKEN_BUDGET: count.default(2_048),
  CENTSPAN_CONTEXT_TOKENS: count.default(131_072),
});
export type EngineConfig = z.infer<typeof configSchema>;
