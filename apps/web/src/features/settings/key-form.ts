/** A key, and limits of one, as forms have them; numbers that are none are told. Pure. */
import {
  KEY_KINDS,
  type KeyRules,
  keyInputSchema,
  keyRulesSchema,
  PERMISSIONS_OF_KIND,
  type Permission,
} from "@centspan/model";
import { z } from "zod";

export const LIMITS = ["requestsPerMinute", "tokensPerMinute", "maxOutputTokens"] as const;

const readText = (sent: FormData, name: string): string => {
  const value = sent.get(name);
  return typeof value === "string" ? value.trim() : "";
};

/** Rules with what the form says in place of theirs; null where a limit is no whole number above 0. */
export function readLimits(sent: FormData, before: KeyRules): KeyRules | null {
  const { models: _models, requestsPerMinute: _r, tokensPerMinute: _t, maxOutputTokens: _m, ...rest } = before;
  const models = readText(sent, "models")
    .split(/[\s,]+/)
    .filter((part) => part !== "");
  const limits = LIMITS.flatMap((name) => {
    const text = readText(sent, name);
    return text === "" ? [] : [[name, Number(text)] as const];
  });
  const parsed = keyRulesSchema.safeParse({
    ...rest,
    ...(models.length > 0 && { models }),
    ...Object.fromEntries(limits),
  });
  return parsed.success ? parsed.data : null;
}

const kindSchema = z.enum(KEY_KINDS);

/** The key that is asked for, or why it can't be one. */
export function readKey(sent: FormData): z.ZodSafeParseResult<z.output<typeof keyInputSchema>> | null {
  const kind = kindSchema.safeParse(sent.get("kind"));
  const rules = readLimits(sent, {});
  if (rules === null) return null;
  const scopes = sent.getAll("scopes");
  const team = readText(sent, "team");
  return keyInputSchema.safeParse({
    name: readText(sent, "name"),
    kind: kind.data,
    ...(team !== "" && { team }),
    ...(kind.data === "api" && scopes.length > 0 && { scopes }),
    ...(kind.data === "gateway" && { rules }),
  });
}

/** What may be given to an api key by whoever has `mine`. */
export const listScopes = (mine: (permission: Permission) => boolean): Permission[] =>
  PERMISSIONS_OF_KIND.api.filter((permission) => permission === "telemetry.send" || mine(permission));
