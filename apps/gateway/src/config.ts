/** The gateway's settings, from environment variables. */
import { SAFETY_POLICIES } from "@centspan/model";
import { listenSchema, portSchema } from "@centspan/service";
import { z } from "zod";
import { isWebhookSecret } from "./budgets/alerts/post-alert.ts";

/** An empty variable means the same as none. */
const optionalText = z
  .string()
  .optional()
  .transform((text) => (text === "" ? undefined : text));

export const configSchema = listenSchema.extend({
  CENTSPAN_PORT: portSchema.default(4000),
  DATABASE_URL: z.url(),
  /** Where a load balancer is told this gateway's weight; not at all without it. */
  CENTSPAN_AGENT_CHECK_PORT: portSchema.optional(),
  /** Generation of processor, where the operating system gives machines of several the same name. */
  CENTSPAN_CPU_MODEL: optionalText,
  CENTSPAN_OTLP_URL: z.url().default("http://127.0.0.1:4318"),
  /** Not needed where the collector takes spans from this machine without a credential. */
  CENTSPAN_INGEST_KEY: z.string().default(""),
  /** Several upstreams and replicas; then the three that follow count for nothing. */
  CENTSPAN_UPSTREAMS_FILE: optionalText,
  CENTSPAN_UPSTREAM_URL: z.url().default("http://127.0.0.1:4100"),
  CENTSPAN_UPSTREAM_KEY: optionalText,
  CENTSPAN_UPSTREAM_PROVIDER: z.string().min(1).default("centspan"),
  /** Of a key without a policy of its own. */
  CENTSPAN_SAFETY_POLICY: z.enum(SAFETY_POLICIES).default("beside"),
  /** Requests in a minute of a key without a limit of its own; no limit when absent. */
  CENTSPAN_RATE_LIMIT_PER_MINUTE: z.coerce.number().int().positive().optional(),
  /** Signs what budgets' webhooks are told; none are told without it, or at a host that is not named here. */
  CENTSPAN_ALERT_WEBHOOK_SECRET: optionalText.refine(
    (text) => text === undefined || isWebhookSecret(text),
    "must be whsec_ and 24 to 64 bytes in base64",
  ),
  CENTSPAN_ALERT_WEBHOOK_HOSTS: optionalText.transform((text) => text?.split(",").map((host) => host.trim()) ?? []),
  /** smtp://user:password@host:587; without it nobody gets mail. */
  CENTSPAN_SMTP_URL: optionalText,
  CENTSPAN_ALERT_FROM: z.string().min(1).default("Centspan <centspan@localhost>"),
});
export type Config = z.infer<typeof configSchema>;
