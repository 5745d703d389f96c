/**
 * What a period is billed: charge lines of the calls posted in it, and the corrections that were. A call is posted when
 * it happened, or, where its month was closed before it came, in the month that was open then.
 */
import type { Decimal } from "@centspan/base";
import type { Meter, Provenance } from "./call.ts";
import type { TimeRange } from "./filters.ts";

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

/** What was used of one meter in one stretch of time, whenever it was billed. */
export type UsageCell = {
  startNs: bigint;
  provider: string;
  team: string;
  keyId: string;
  key: string;
  model: string;
  meter: Meter;
  quantity: number;
  costUsd: Decimal;
  /** Of the quantity, what has no price. */
  unpricedQuantity: number;
};

export type BillingReader = {
  /** What is posted in the range, by team; "" for what has none. */
  sumTeams(workspace: string, range: TimeRange): Promise<TeamSum[]>;
  /** Calls posted in the range whose cost is not known. */
  countUnknownCosts(workspace: string, range: TimeRange): Promise<{ unpricedCalls: number; quarantinedCalls: number }>;
  /** When the first call was posted; null where there is none. */
  readFirstPostedNs(workspace: string): Promise<bigint | null>;
  /** What is posted in the range, by day of the zone, in the order of days. A few at a time. */
  listCharges(workspace: string, range: TimeRange, timeZone: string): AsyncIterable<Charge[]>;
  /** What was used in the range, by stretches of that many seconds, which divide a day of UTC. */
  sumUsage(workspace: string, range: TimeRange, stretchS: number): Promise<UsageCell[]>;
};
