/**
 * Who may do what: the one table. A person has a role in a workspace; a key has a kind, and narrower scopes where it was given
 * some. Both come down to permissions, and whatever can be asked for names the one that it needs. Pure.
 * Invariant: nobody gives a key more than they have themselves (`findExcess`).
 * Add one: a row of PERMISSIONS, and the roles and kinds that have it.
 */
import { z } from "zod";
import type { KeyRules } from "./key-rules.ts";

export const PERMISSIONS = [
  /** Costs, runs, outcomes, waste, prices, budgets, recommendations: all that is read, but for what follows. */
  "figures.read",
  /** Prompts, answers, tools' input and output, bodies of log records. */
  "content.read",
  "audit.read",
  /** What CI, code hosts and people report. */
  "outcomes.write",
  /** What counts as an outcome: links, rules, evaluation sets, links by which people approve. */
  "outcomes.curate",
  "simulations.run",
  "recommendations.write",
  "recommendations.decide",
  "budgets.write",
  /** Contracts, exchange rates, commitments, what an hour of review costs. */
  "prices.write",
  /** Months: whose calendar, closing, comparing with invoices. */
  "periods.write",
  "keys.write",
  /** Teams, retention, what is recorded of content. */
  "settings.write",
  "members.manage",
  /** All rows of a workspace, with their content. */
  "workspace.export",
  "workspace.delete",
  /** Answers of models, through a gateway. */
  "calls.make",
  "telemetry.send",
  /** Telemetry whose word on calls is stronger than anybody's. */
  "telemetry.vouch",
] as const;
export type Permission = (typeof PERMISSIONS)[number];
export const permissionSchema = z.enum(PERMISSIONS);

export const MEMBER_ROLES = ["owner", "finance", "engineer", "viewer"] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

export const PERMISSIONS_OF_ROLE: Readonly<Record<MemberRole, readonly Permission[]>> = {
  owner: PERMISSIONS,
  finance: ["figures.read", "audit.read", "budgets.write", "prices.write", "periods.write"],
  engineer: [
    "figures.read",
    "content.read",
    "outcomes.write",
    "outcomes.curate",
    "simulations.run",
    "recommendations.write",
    "recommendations.decide",
    "keys.write",
  ],
  viewer: ["figures.read"],
};

/**
 * What a key may do: ask a gateway for answers; send telemetry, as a client or as one of the operator's own gateways, whose
 * word on calls is stronger than anybody's; read and change through the Trace API.
 */
export const KEY_KINDS = ["gateway", "ingest", "gateway-ingest", "api"] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** Of services that take requests of their own: people don't make them, but give keys that do. */
const NEEDED_TO_GIVE: Partial<Record<Permission, Permission>> = {
  "calls.make": "keys.write",
  "telemetry.send": "keys.write",
  "telemetry.vouch": "settings.write",
};
const OF_PEOPLE: readonly Permission[] = ["members.manage", "workspace.delete"];
const PEOPLES = PERMISSIONS.filter((permission) => NEEDED_TO_GIVE[permission] === undefined);

export const PERMISSIONS_OF_KIND: Readonly<Record<KeyKind | "person", readonly Permission[]>> = {
  gateway: ["calls.make"],
  ingest: ["telemetry.send", "outcomes.write"],
  "gateway-ingest": ["telemetry.send", "telemetry.vouch"],
  api: [...PEOPLES.filter((permission) => !OF_PEOPLE.includes(permission)), "telemetry.send"],
  person: PEOPLES,
};

/** `scopes` null: all that its kind may. Of people they are those of the role. */
export type Grant = { kind: KeyKind | "person"; scopes: readonly Permission[] | null };

export const may = ({ kind, scopes }: Grant, permission: Permission): boolean =>
  PERMISSIONS_OF_KIND[kind].includes(permission) && (scopes === null || scopes.includes(permission));

export const listPermissions = (grant: Grant): Permission[] =>
  PERMISSIONS.filter((permission) => may(grant, permission));

export type GivenKey = { kind: KeyKind; scopes: readonly Permission[] | null; rules: KeyRules };

/** What of a key its giver may not give: permissions it lacks, and to have prompts recorded, which is a setting. */
export function findExcess(giver: Grant, { kind, scopes, rules }: GivenKey): Permission[] {
  const needed = listPermissions({ kind, scopes }).map((permission) => NEEDED_TO_GIVE[permission] ?? permission);
  if (rules.content === true) needed.push("settings.write");
  return PERMISSIONS.filter((permission) => needed.includes(permission) && !may(giver, permission));
}
