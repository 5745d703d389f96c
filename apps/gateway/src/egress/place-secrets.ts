/**
 * Secrets in place of their placeholders, in headers of requests to the hosts that may know them.
 * Must not: put a secret into an error; put one in place of what another secret contains.
 */
import { CentspanError } from "@centspan/base";
import { allowsHost, type EgressSecret, type EgressTarget } from "@centspan/model";
import type { Placed } from "./hide-secrets.ts";

export type Headers = Record<string, string | string[]>;

/** With them, what was put where. `readSecret` gives the value of a variable in the gateway's environment. */
export function placeSecrets(
  headers: Headers,
  target: EgressTarget,
  secrets: readonly EgressSecret[],
  readSecret: (variable: string) => string | undefined,
): { headers: Headers; placed: Placed } {
  const known = secrets.filter(({ hosts }) => allowsHost(hosts, target));
  if (known.length === 0) return { headers, placed: new Map() };
  const variables = new Map(known.map(({ placeholder, variable }) => [placeholder, variable]));
  const placed = new Map<string, string>();
  const replace = (text: string): string =>
    text.replace(anyOf([...variables.keys()]), (placeholder) => {
      const secret = readValue(variables.get(placeholder) ?? "", readSecret);
      placed.set(secret, placeholder);
      return secret;
    });
  const replaced = Object.entries(headers).map(([name, value]) => [
    name,
    typeof value === "string" ? replace(value) : value.map(replace),
  ]);
  return { headers: Object.fromEntries(replaced), placed };
}

/** A placeholder that another begins with gives way to the longer one. */
function anyOf(placeholders: string[]): RegExp {
  const longestFirst = placeholders.sort((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map((text) => text.replaceAll(".", "\\.")).join("|"), "g");
}

function readValue(variable: string, readSecret: (variable: string) => string | undefined): string {
  const value = readSecret(variable);
  if (value === undefined || value === "") throw refuse(`the gateway has no variable ${variable}`);
  if (/[^\t\x20-\x7e]/.test(value)) throw refuse(`${variable} holds what can't stand in a header`);
  return value;
}

const refuse = (what: string): CentspanError =>
  new CentspanError("egress_refused", `egress.secrets: ${what}`, { field: "egress.secrets" });
