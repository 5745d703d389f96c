/**
 * What is paid for a time or in advance, whatever is used: seats of a plan, prepaid credits, provisioned throughput, GPUs of
 * one's own. Usage that a commitment covers costs its share of what was paid, and not its price by the token; what nobody
 * used is a share of its own. Entries are never edited: another agreement is another one. How they are spread, and what
 * they must satisfy beyond their shape, is packages/pricing's matter (`spreadCommitments`, `validateCommitments`).
 */
import type { Decimal } from "@centspan/base";
import { z } from "zod";
import type { Provenance } from "./call.ts";
import { currency, model, name, price, SCOPES } from "./price-values.ts";

export const COMMITMENT_KINDS = ["provisioned", "gpus", "seats", "credits"] as const;
export type CommitmentKind = (typeof COMMITMENT_KINDS)[number];

/** Days follow the calendar of the workspace, as its months do. */
const day = z.string().refine(isDay, "is not a day such as 2026-10-01");
const amount = price.regex(/[1-9]/, "must be above 0");
const count = z.int().min(1).max(1_000_000);

const commonShape = {
  id: name,
  provider: name,
  /** As in a contract; `*` alone is every model of the provider. */
  model: z.union([model, z.literal("*")]),
  scope: z.enum(SCOPES),
  /** Ids of the keys, or teams, whose usage it covers; none for the whole organisation. */
  scopeIds: z.array(name).max(1000).readonly(),
  /** USD where it says nothing. */
  currency: currency.exactOptional(),
  from: day,
  /** The document it stands in. */
  source: name,
};
/** The first day on which it does not hold. */
const end = { to: day.exactOptional() };

export const commitmentSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("seats"), ...commonShape, ...end, plan: name, seats: count, perSeatMonth: amount }),
  /** Bought on its first day; expired on `to`. */
  z.strictObject({ kind: z.literal("credits"), ...commonShape, to: day, amount }),
  z.strictObject({
    kind: z.literal("provisioned"),
    ...commonShape,
    ...end,
    units: count,
    perUnit: amount,
    per: z.enum(["hour", "month"]),
    /** Of one unit. */
    tokensPerMinute: z.int().min(1).max(1_000_000_000),
  }),
  /** For models that a contract prices by the GPU-hour; `basis` says where its seconds come from. */
  z.strictObject({
    kind: z.literal("gpus"),
    ...commonShape,
    ...end,
    gpus: count,
    perGpuHour: amount,
    basis: z.enum(["measured", "simulated"]),
  }),
]);
export type Commitment = z.infer<typeof commitmentSchema>;
export const commitmentsSchema = z.array(commitmentSchema).max(1000).readonly();

/**
 * `used`: the share of covered usage. `unused`: what was paid for and nobody used. `prepaid`: what was paid now and is for
 * later, below 0 where what was paid before is used or expires.
 */
export const COMMITMENT_STATUSES = ["used", "unused", "prepaid"] as const;

/** What a commitment comes to for a team in a period. Those of a commitment add up to what was paid for it in the period. */
export type CommitmentLine = {
  commitment: string;
  team: string;
  status: (typeof COMMITMENT_STATUSES)[number];
  /** What the covered usage would have cost by the token. */
  payPerTokenUsd: Decimal;
  costUsd: Decimal;
  provenance: Provenance;
};

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
