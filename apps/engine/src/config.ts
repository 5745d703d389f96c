/** The engine's settings, all from the environment. */
import { listenSchema, portSchema } from "@centspan/service";
import { z } from "zod";

const count = z.coerce.number().int().positive();
/** Separated by commas. */
const numbers = (least: number, most: number) =>
  z
    .string()
    .transform((text) =>
      text
        .split(",")
        .filter((each) => each !== "")
        .map(Number),
    )
    .refine((all) => all.every((each) => each >= least && each <= most), `must be numbers from ${least} to ${most}`);

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
  /** Of the first replica; others are numbered on from it. */
  CENTSPAN_REPLICA_ID: z.string().min(1).default("engine-0"),
  /** Replicas that prefill and decode; or, with both of the next two, none. */
  CENTSPAN_REPLICAS: count.max(64).default(1),
  CENTSPAN_PREFILL_REPLICAS: z.coerce.number().int().min(0).max(64).default(0),
  CENTSPAN_DECODE_REPLICAS: z.coerce.number().int().min(0).max(64).default(0),
  /** Speed of each replica, separated by commas: 0.8 takes a quarter longer. 1 for those that are not named. */
  CENTSPAN_REPLICA_SPEEDS: numbers(0.01, 100).default([]),
  /** Tokens to propose with a draft model in each step; `auto` what gives most at the batch of the moment. */
  CENTSPAN_DRAFT_TOKENS: z.union([z.literal("auto"), z.coerce.number().int().min(0).max(16)]).default(0),
  /** How likely each position is accepted, separated by commas, in place of what the draft models' own are taken for. */
  CENTSPAN_DRAFT_ACCEPTANCE: numbers(0, 1).optional(),
  CENTSPAN_ROUTER: z.string().min(1).default("prefix-affinity"),
  CENTSPAN_KV_POLICY: z.string().default("lru-leaf"),
  /** What an 80 GB H100 holds beside an 8B model: 52 GB at 128 KiB a token. */
  CENTSPAN_KV_BLOCKS: count.default(6_144),
  /** Wall-clock seconds for which blocks are kept that nobody asks for; until there is no room when absent. */
  CENTSPAN_KV_RETENTION_S: z.coerce.number().positive().optional(),
  CENTSPAN_MAX_SEQUENCES: count.default(64),
  CENTSPAN_TOKEN_BUDGET: count.default(2_048),
  CENTSPAN_CONTEXT_TOKENS: count.default(131_072),
});
export type EngineConfig = z.infer<typeof configSchema>;
