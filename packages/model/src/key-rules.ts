/**
 * What a gateway key may do and how its requests are treated. All of it is optional: an empty set of rules changes nothing.
 */
import { z } from "zod";
import { egressRulesSchema } from "./egress-rules.ts";

const count = z.int().positive();

export const ROLES = ["plan", "execute", "verify"] as const;
/** `interactive`: a person waits. `batch`: a job that may take its time. */
export const PRIORITIES = ["interactive", "batch"] as const;
/** `cancel`: who leaves stops what is generated for him. `drain`: it is read to its end, so that its usage is known. */
export const DISCONNECT_POLICIES = ["cancel", "drain"] as const;
/** `beside`: output flows while checks run, and is cut off if one refuses. `hold`: output waits for all checks. */
export const SAFETY_POLICIES = ["beside", "hold"] as const;
export type SafetyPolicy = (typeof SAFETY_POLICIES)[number];

/** Another model, or effort, for a part of the work; the first rule that matches counts. */
const modelRouteSchema = z
  .strictObject({
    role: z.enum(ROLES).optional(),
    taskType: z.string().min(1).max(200).optional(),
    model: z.string().min(1).max(200).optional(),
    effort: z.string().min(1).max(32).optional(),
  })
  .refine(({ role, taskType }) => role !== undefined || taskType !== undefined, "must name a role or a taskType")
  .refine(({ model, effort }) => model !== undefined || effort !== undefined, "must name a model or an effort");

export const keyRulesSchema = z.strictObject({
  /** Models it may ask for; a `*` stands for any text. */
  models: z.array(z.string().min(1).max(200)).min(1).max(100).optional(),
  requestsPerMinute: count.max(1_000_000).optional(),
  /** Of prompts and answers together, as they were reported. */
  tokensPerMinute: count.max(1_000_000_000).optional(),
  /** Of one answer. A request that sets no limit gets this one; one that sets a higher is refused. */
  maxOutputTokens: count.max(10_000_000).optional(),
  priority: z.enum(PRIORITIES).optional(),
  safety: z.enum(SAFETY_POLICIES).optional(),
  onDisconnect: z.enum(DISCONNECT_POLICIES).optional(),
  routes: z.array(modelRouteSchema).max(50).optional(),
  /** What is changed in its requests so that a prompt cache serves more of them; nothing when absent. */
  cache: z
    .strictObject({
      /** Marks to cache up to, where the API takes them and the client set none. */
      breakpoints: z.boolean().optional(),
      /** Tools in the order of their names, whatever order they came in. */
      stableTools: z.boolean().optional(),
    })
    .optional(),
  /** Prompts and answers are recorded on the calls' spans, without the secrets that are recognised in them. */
  content: z.boolean().optional(),
  /** Of api keys: whether an agent may file, apply and verify recommendations with it over MCP. Accepting is for people. */
  mcp: z.strictObject({ write: z.boolean() }).optional(),
  /** What may be reached through the gateway as a proxy; nothing when absent. */
  egress: egressRulesSchema.optional(),
});
export type KeyRules = z.infer<typeof keyRulesSchema>;

/**
 * A model's name against a pattern in which `*` stands for any text. Each part is looked for once, from where the one
 * before it ended: a name of any length, sent by anybody, costs no more than reading it.
 */
export function matchesModel(pattern: string, model: string): boolean {
  const star = pattern.indexOf("*");
  if (star < 0) return model === pattern;
  // Most of many patterns fail here, before anything is taken apart.
  if (!model.startsWith(pattern.slice(0, star))) return false;
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop() ?? "";
  if (!model.endsWith(last)) return false;
  let at = first.length;
  for (const part of others) {
    const found = model.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at + last.length <= model.length;
}
