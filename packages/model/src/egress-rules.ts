/**
 * Which hosts the holder of a gateway key may reach through it, and which secrets are put in on the way.
 * A host is a name, an address, or `*.` and a name for all that is below it; with a port, or else for 80 and 443.
 * Names and addresses are compared in the one form that the URL standard gives them.
 */
import { z } from "zod";

/** The name in lower case without a dot at its end, or the address without brackets. */
export type EgressTarget = { host: string; port: number };
type HostRule = { host: string; port: number | null; below: boolean };

const USUAL_PORTS: readonly number[] = [80, 443];
const MAX_NAME_CHARS = 253;
const AUTHORITY = /^(\[[\da-f:.]+\]|[^\s:@/?#%\\[\]]+)(?::(\d{1,5}))?$/i;

/** `host:port` as it stands in requests and rules; null for what is none. */
export function readHostPort(text: string): { host: string; port: number | null } | null {
  const [, name, digits] = AUTHORITY.exec(text) ?? [];
  if (name === undefined || !URL.canParse(`http://${name}/`)) return null;
  const host = new URL(`http://${name}/`).hostname.replace(/^\[|\]$|\.$/g, "");
  const port = digits === undefined ? null : Number(digits);
  const isPort = port === null || (port >= 1 && port <= 65_535);
  return isPort && host !== "" && host.length <= MAX_NAME_CHARS ? { host, port } : null;
}

const isAddress = (host: string): boolean => host.includes(":") || /^\d+(\.\d+){3}$/.test(host);

/** Whether somebody who writes this host means a certain machine, wherever that is, and not a name that may point anywhere. */
export const isExplicitHost = (host: string): boolean => host === "localhost" || isAddress(host);

function readHostRule(text: string): HostRule | null {
  const below = text.startsWith("*.");
  const read = readHostPort(below ? text.slice("*.".length) : text);
  if (read === null || read.host.includes("*") || (below && isAddress(read.host))) return null;
  return { ...read, below };
}

/** `hosts` are patterns that were accepted by the schema. */
export function allowsHost(hosts: readonly string[], { host, port }: EgressTarget): boolean {
  return hosts.some((text) => {
    const rule = readHostRule(text);
    if (rule === null) return false;
    const isHost = rule.below ? host.endsWith(`.${rule.host}`) && !isAddress(host) : host === rule.host;
    return isHost && (rule.port === null ? USUAL_PORTS.includes(port) : rule.port === port);
  });
}

const hostsSchema = z
  .array(
    z
      .string()
      .max(300)
      .refine(
        (text) => readHostRule(text) !== null,
        "must be a host such as api.example.com, *.example.com or 10.0.0.5:8080",
      ),
  )
  .min(1)
  .max(200);

/** Rules are set by people who don't run the gateway: no other variable of its environment may leave it. */
export const EGRESS_VARIABLE = /^EGRESS_[A-Z0-9_]{1,100}$/;

const egressSecretSchema = z.strictObject({
  /** What stands in a request's header where the secret belongs. */
  placeholder: z.string().regex(/^[\w.-]{4,100}$/, "must be 4 to 100 letters, digits, dots, dashes or underscores"),
  /** Of the gateway's environment. */
  variable: z.string().regex(EGRESS_VARIABLE, "must begin with EGRESS_, in capitals"),
  /** Who is told the secret. */
  hosts: hostsSchema,
});
export type EgressSecret = z.infer<typeof egressSecretSchema>;

export const egressRulesSchema = z.strictObject({
  hosts: hostsSchema,
  secrets: z.array(egressSecretSchema).max(50).optional(),
});
export type EgressRules = z.infer<typeof egressRulesSchema>;
