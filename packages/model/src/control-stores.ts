/**
 * The ports of the control plane (Postgres): keys, organisations, agreed prices, retention, progress of jobs.
 * Everything is within one workspace; a workspace always comes from a credential, never from a payload.
 * Operating errors are CentspanError("store_unavailable").
 */
import type { KeyRules } from "./key-rules.ts";
import type { PriceTerms } from "./price.ts";
import type { Signal } from "./signal.ts";

export type KeyKind = "gateway" | "ingest" | "api";

/** A key without its secret. `hint` is its last four characters. */
export type Key = {
  keyId: string;
  workspace: string;
  name: string;
  kind: KeyKind;
  team: string | null;
  hint: string;
  createdAt: Date;
  revokedAt: Date | null;
  rules: KeyRules;
};

/** What a presented secret stands for. Only an `orgWide` api key may name another workspace of its organisation. */
export type Principal = {
  keyId: string;
  keyName: string;
  kind: KeyKind;
  workspace: string;
  org: string;
  orgWide: boolean;
  team: string | null;
  rules: KeyRules;
};

export type Team = { id: string; name: string; department: string };
export type WorkspaceInfo = { id: string; name: string; createdAt: Date };

export type KeyStore = {
  /** Null for an unknown or revoked secret. */
  findPrincipal(secret: string): Promise<Principal | null>;
  listKeys(workspace: string): Promise<Key[]>;
  /** The only time the secret is seen. A name is unique within a workspace: `conflict` otherwise. */
  createKey(key: {
    workspace: string;
    name: string;
    kind: KeyKind;
    team: string | null;
    orgWide?: boolean;
    rules?: KeyRules;
  }): Promise<Key & { secret: string }>;
  /** In place of those it had. Throws `not_found`. */
  setKeyRules(workspace: string, keyId: string, rules: KeyRules): Promise<Key>;
  revokeKey(workspace: string, keyId: string): Promise<void>;
};

export type OrgStore = {
  ensureWorkspace(org: string, workspace: { id: string; name: string }): Promise<void>;
  listWorkspaces(org: string): Promise<WorkspaceInfo[]>;
  ensureTeam(workspace: string, team: Team): Promise<void>;
  listTeams(workspace: string): Promise<Team[]>;
};

/** What a workspace agreed on with providers, on top of the list prices. Entries are added, and never edited. */
export type PriceTermsStore = {
  readPriceTerms(workspace: string): Promise<PriceTerms>;
  /**
   * Adds what is not there yet, all of it or nothing: one with a contract's id and other content is a `conflict`. `check`
   * is given all terms as they would be, and throws where they contradict each other.
   */
  addPriceTerms(workspace: string, terms: PriceTerms, actor: string, check: (all: PriceTerms) => void): Promise<void>;
  /** The contract no longer holds from then on. `not_found`, or `conflict` where it has an end already. */
  endContract(workspace: string, id: string, to: string, actor: string): Promise<void>;
};

/** Durable progress of background jobs, and how fresh their results are. */
export type JobStore = {
  readJob(job: string): Promise<{ watermarkNs: bigint; updatedAt: Date } | null>;
  writeJob(job: string, watermarkNs: bigint): Promise<void>;
};

/** How long a workspace keeps a signal. */
export type Retention = { workspace: string; signal: Signal; days: number };

/** In the control plane. Without an entry a signal is kept for ever. */
export type RetentionPolicies = {
  listRetention(): Promise<Retention[]>;
  /** `days` null takes the entry away. */
  setRetention(workspace: string, signal: Signal, days: number | null): Promise<void>;
};
