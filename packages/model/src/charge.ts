/**
 * What a period is billed: charge lines of the calls posted in it, and the corrections that were. A call is posted when
 * it happened, or, where its month was closed before it came, in the month that was open then.
 */
import type { Decimal } from "@centspan/base";
import type { Meter, Provenance } from "./call.ts";
import type { TimeRange } from "./filters.ts";
import type { ContractScope } from "./price.ts";

/** Charge lines of one day that differ in nothing but their call: same credential, model, meter and price. */
export type Charge = {
  /** YYYY-MM-DD when it was used, in the zone that was asked for. */
  day: string;
  keyId: string;
  key: string;
  team: string;
  provider: string;
  model: string;
  serviceTier: string;
  region: string;
  meter: Meter;
  priceEntryId: string;
  /** USD for a single unit. */
  unitPriceUsd: Decimal;
  listUnitPriceUsd: Decimal | null;
  provenance: Provenance;
  /** Whether it was used before the period that it is billed in. */
  isCorrection: boolean;
  /** Units; below 0 where a correction takes back more than it adds. */
  quantity: number;
  costUsd: Decimal;
};

export type TeamSum = { team: string; lines: number; exactUsd: Decimal };

/** Whose tokens are counted: those of the models, and of the keys or teams where the scope is not the organisation. */
export type TokenFilter = {
  provider: string;
  models: readonly string[];
  scope: ContractScope;
  scopeIds: readonly string[];
};

/** Whose usage is told apart, beside provider and meter. */
export const USAGE_NAMES = ["team", "key", "model"] as const;
export type UsageName = (typeof USAGE_NAMES)[number];

export type UsageQuestion = {
  range: TimeRange;
  providers: readonly string[];
  by: readonly UsageName[];
  /** How long cells are: days of a zone, or quarters of an hour, with which the days of every zone begin. */
  cells: { daysOf: string } | "quarters";
  /** Nothing but these, where they are given. */
  only?: readonly Readonly<Record<UsageName, string>>[];
};

/** What was used of one meter in one stretch of time, whenever it was billed. Names that are not told apart are "". */
export type UsageCell = Record<UsageName, string> & {
  startNs: bigint;
  provider: string;
  meter: Meter;
  quantity: number;
  costUsd: Decimal;
  /** Of the cost, what came after its month was closed. */
  laterUsd: Decimal;
  /** Of the quantity, what has no price. */
  unpricedQuantity: number;
};

/** Calls whose usage contradicts itself, and is in no cell. Names that are not told apart are "". */
export type QuarantinedCalls = Record<UsageName, string> & {
  /** YYYY-MM-DD, of UTC. */
  day: string;
  provider: string;
  calls: number;
};

export type BillingReader = {
  /**
   * Whoever has a workspace's books alone may still find statements at work whose process died. Resolves when there are
   * none; `store_unavailable` where that takes too long.
   */
  waitForWriters(workspace: string): Promise<void>;
  /** What is posted in the range, by team; "" for what has none. */
  sumTeams(workspace: string, range: TimeRange): Promise<TeamSum[]>;
  /** Calls posted in the range whose cost is not known. */
  countUnknownCosts(workspace: string, range: TimeRange): Promise<{ unpricedCalls: number; quarantinedCalls: number }>;
  /** When the first call was posted, those in quarantine left out; null where there is none. */
  readFirstPostedNs(workspace: string): Promise<bigint | null>;
  /** When anything was posted first from then on, be it a call of any kind or a correction; null where nothing was. */
  readNextPostedNs(workspace: string, fromNs: bigint): Promise<bigint | null>;
  /** What is posted in the range, by day of the zone, in the order of days. A few at a time. */
  listCharges(workspace: string, range: TimeRange, timeZone: string): AsyncIterable<Charge[]>;
  /** Tokens of each minute of the range in which there are any, as they are posted in it, with the minute's day in the zone. */
  listMinuteTokens(
    workspace: string,
    range: TimeRange,
    timeZone: string,
    filter: TokenFilter,
  ): Promise<{ day: string; tokens: number }[]>;
  /** What was used, in order of time. Throws `invalid_request` where that is more than can be compared at once. */
  sumUsage(workspace: string, question: UsageQuestion): Promise<UsageCell[]>;
  countQuarantined(
    workspace: string,
    question: Pick<UsageQuestion, "range" | "providers" | "by">,
  ): Promise<QuarantinedCalls[]>;
};
