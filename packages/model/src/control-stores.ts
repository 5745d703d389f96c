/**
 * The ports of the control plane (Postgres): keys, organisations, agreed prices, retention, progress of jobs.
 * Everything is within one workspace; a workspace always comes from a credential, never from a payload.
 * Operating errors are CentspanError("store_unavailable").
 */
import type { Grant, KeyKind, Permission } from "./access.ts";
import type { Commitment } from "./commitment.ts";
import type { KeyRules } from "./key-rules.ts";
import type { ExchangeRate, PriceTerms } from "./price.ts";
import type { Signal } from "./signal.ts";
import type { UsageUnit } from "./signal-stores.ts";

/** A key without its secret. `hint` is its last four characters. */
export type Key = {
  keyId: string;
  workspace: string;
  name: string;
  kind: KeyKind;
  /** Null: all that its kind may. */
  scopes: readonly Permission[] | null;
  team: string | null;
  hint: string;
  createdAt: Date;
  revokedAt: Date | null;
  rules: KeyRules;
};

/**
 * What a presented secret stands for; of a person who signed in, `keyId` and `keyName` are their id and e-mail address. Only an
 * `orgWide` api key may name another workspace of its organisation.
 */
export type Principal = Grant & {
  keyId: string;
  keyName: string;
  workspace: string;
  org: string;
  orgWide: boolean;
  team: string | null;
  rules: KeyRules;
};

/** As the audit log names who did something: names may be given anew, and ids tell nobody anything. */
export const nameActor = ({ keyName, keyId }: Pick<Principal, "keyName" | "keyId">): string => `${keyName} (${keyId})`;

export type Team = { id: string; name: string; department: string };
export type WorkspaceInfo = { id: string; name: string; createdAt: Date };

type KeyInput = {
  workspace: string;
  name: string;
  kind: KeyKind;
  scopes?: readonly Permission[] | null;
  team: string | null;
  orgWide?: boolean;
  rules?: KeyRules;
};

/** Changes are in the audit log, with their actor. */
export type KeyStore = {
  /** Null for an unknown or revoked secret. */
  findPrincipal(secret: string): Promise<Principal | null>;
  /** Of a live key, by its id: whom deliveries signed with its webhook secret come from. */
  findSigner(keyId: string): Promise<{ principal: Principal; webhookSecret: string } | null>;
  listKeys(workspace: string): Promise<Key[]>;
  /** The only time the secret is seen. A name is unique within a workspace: `conflict` otherwise. */
  createKey(key: KeyInput, actor: string): Promise<Key & { secret: string }>;
  /** In place of those it had. Throws `not_found`. */
  setKeyRules(workspace: string, keyId: string, rules: KeyRules, actor: string): Promise<Key>;
  revokeKey(workspace: string, keyId: string, actor: string): Promise<void>;
};

export type OrgStore = {
  ensureWorkspace(org: string, workspace: { id: string; name: string }): Promise<void>;
  listWorkspaces(org: string): Promise<WorkspaceInfo[]>;
  ensureTeam(workspace: string, team: Team): Promise<void>;
  /** The same as a change by somebody, for the audit log. */
  saveTeam(workspace: string, team: Team, actor: string): Promise<void>;
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
  /** In place of the one of its currency and day. `not_found`. */
  correctExchangeRate(workspace: string, rate: ExchangeRate, actor: string): Promise<void>;
};

/** Seats, credits and capacity that a workspace pays for, whatever it uses. Entries are added, and never edited. */
export type CommitmentStore = {
  listCommitments(workspace: string): Promise<Commitment[]>;
  /**
   * Adds what is not there yet, all of it or nothing: one with another's id and other content is a `conflict`. No month
   * closes meanwhile. `check` is given all commitments as they would be, those that are new and up to when months are closed.
   */
  addCommitments(
    workspace: string,
    commitments: readonly Commitment[],
    actor: string,
    check: (all: readonly Commitment[], added: readonly Commitment[], closedToNs: bigint) => void,
  ): Promise<void>;
  /** It no longer holds from that day on. `not_found`, or `conflict` where it has an end already. */
  endCommitment(
    workspace: string,
    id: string,
    to: string,
    actor: string,
    check: (ended: Commitment, closedToNs: bigint) => void,
  ): Promise<void>;
  /** As if it had never been there. `not_found`. */
  removeCommitment(
    workspace: string,
    id: string,
    actor: string,
    check: (removed: Commitment, closedToNs: bigint) => void,
  ): Promise<void>;
};

/** Durable progress of background jobs, and how fresh their results are. */
/** Somebody waits for figures of what was received before: the worker rests no more until it has looked again. */
export const WISH_JOB = "figures-wished";

export type JobStore = {
  readJob(job: string): Promise<{ watermarkNs: bigint; updatedAt: Date } | null>;
  writeJob(job: string, watermarkNs: bigint): Promise<void>;
};

/** What of the feed could not be rated, and is tried again. `message` tells why, `attempts` how often. */
export type UnratedUnit = {
  workspace: string;
  unit: UsageUnit;
  message: string;
  attempts: number;
  /** When the newest of it was received. */
  receivedAtNs: bigint;
  failedAt: Date;
};

/** In the control plane, until they are rated: the months that they may belong to are not known. */
export type UnratedUnits = {
  /** Of a workspace, or of all; those that failed last come first. */
  listUnratedUnits(workspace?: string): Promise<UnratedUnit[]>;
  keepUnratedUnit(failed: Omit<UnratedUnit, "attempts" | "failedAt">): Promise<void>;
  forgetUnratedUnit(workspace: string, unit: UsageUnit): Promise<void>;
};

/** How long a workspace keeps a signal. */
export type Retention = { workspace: string; signal: Signal; days: number };

/** In the control plane. Without an entry a signal is kept for ever. */
export type RetentionPolicies = {
  listRetention(): Promise<Retention[]>;
  /** `days` null takes the entry away. */
  setRetention(workspace: string, signal: Signal, days: number | null, actor: string): Promise<void>;
};

/** What a call costs in processor time, on one generation of processor. */
export type GenerationCost = { cpuModel: string; cpuUsPerCall: number };

/** Gateways that share a control plane, whosever traffic they serve. */
export type GatewayCosts = {
  /** Tells what is known of one (null is nothing yet); returns what those that were heard lately have told, by generation. */
  shareGatewayCost(own: { gateway: string; cpuModel: string; cpuUsPerCall: number | null }): Promise<GenerationCost[]>;
};
