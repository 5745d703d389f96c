/** The harness's settings, from the environment; keys are never on a command line. */
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { CentspanError } from "@centspan/base";
import { readConfig } from "@centspan/service";
import { z } from "zod";

const teamKeysSchema = z.record(z.string(), z.string().min(1));

const teamKeys = z.string().transform((text, context) => {
  try {
    return teamKeysSchema.parse(JSON.parse(text));
  } catch {
    context.addIssue({ code: "custom", message: "must be a JSON object of team names and keys" });
    return z.NEVER;
  }
});

/** As OpenTelemetry has it: `name=value` by commas, percent-encoded. */
const resourceAttributes = z.string().transform((text, context) => {
  try {
    const pairs = text.split(",").flatMap((pair) => {
      const at = pair.indexOf("=");
      return at < 1 ? [] : [[pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())] as const];
    });
    return Object.fromEntries(pairs);
  } catch {
    context.addIssue({ code: "custom", message: "must be name=value, by commas, percent-encoded" });
    return z.NEVER;
  }
});

const settingsSchema = z
  .object({
    CENTSPAN_GATEWAY_URL: z.url().default("http://127.0.0.1:4000"),
    CENTSPAN_GATEWAY_KEY: z.string().min(1).optional(),
    CENTSPAN_TEAM_KEYS: teamKeys.optional(),
    CENTSPAN_OTLP_URL: z.url().optional(),
    /** Empty where the collector takes spans without a credential (loopback, one user). */
    CENTSPAN_INGEST_KEY: z.string().default(""),
    CENTSPAN_API_URL: z.url().optional(),
    CENTSPAN_API_KEY: z.string().min(1).optional(),
    CENTSPAN_WORK_DIR: z.string().min(1).default(join(tmpdir(), "centspan-harness")),
    OTEL_RESOURCE_ATTRIBUTES: resourceAttributes.default({}),
    PATH: z.string().default("/usr/local/bin:/usr/bin:/bin"),
  })
  .refine((value) => value.CENTSPAN_API_URL === undefined || value.CENTSPAN_API_KEY !== undefined, {
    path: ["CENTSPAN_API_KEY"],
    message: "is needed with CENTSPAN_API_URL",
  });

export type Settings = z.infer<typeof settingsSchema>;

export function readSettings(env: Record<string, string | undefined>): Settings {
  return readConfig(settingsSchema, env);
}

/** The key that pays for a team's runs; without a team, the one gateway key. */
export function gatewayKeyOf(settings: Settings, team?: string): string {
  const key = (team === undefined ? undefined : settings.CENTSPAN_TEAM_KEYS?.[team]) ?? settings.CENTSPAN_GATEWAY_KEY;
  if (key !== undefined) return key;
  const names = team === undefined ? "CENTSPAN_GATEWAY_KEY" : `CENTSPAN_TEAM_KEYS["${team}"] or CENTSPAN_GATEWAY_KEY`;
  throw new CentspanError("unauthenticated", `environment: ${names} is needed to call models`);
}

/** Programs run with the Node that runs us, whatever else is installed. */
export const searchPathOf = (settings: Settings): string => `${dirname(process.execPath)}:${settings.PATH}`;
