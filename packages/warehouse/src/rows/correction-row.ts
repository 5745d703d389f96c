/**
 * What was billed of a call, as lines that say whose they are, and the rows of `corrections` that turn one such bill into
 * another: everything before is taken back, everything after is charged. Bills that say the same need no rows.
 */
import { parseDecimal } from "@centspan/base";
import type { ChargeLine, Meter, Provenance, RatedCall } from "@centspan/model";
import { writeCanonical } from "../content-hash.ts";
import { readCount } from "../counts.ts";
import { nanoseconds, writeInstant } from "../instants.ts";
import { byMeter, writeAmount } from "./call-row.ts";

export type BilledLine = ChargeLine &
  Pick<RatedCall, "atNs" | "keyId" | "key" | "team" | "provider" | "model" | "serviceTier" | "region" | "provenance">;

/** `number` counts the changes since its month was closed. */
export type Bill = { number: number; lines: readonly BilledLine[] };

export function toBill(number: number, call: RatedCall): Bill {
  const { atNs, keyId, key, team, provider, model, serviceTier, region, provenance } = call;
  const identity = { atNs, keyId, key, team, provider, model, serviceTier, region, provenance };
  return { number, lines: call.lines.map((line) => ({ ...line, ...identity })) };
}

export type Posting = { workspace: string; postedAtNs: bigint; revision: string };

/** `after` null takes all of it back. */
export function toCorrectionRows(posting: Posting, callId: string, before: Bill, after: RatedCall | null) {
  const lines = after === null ? [] : toBill(0, after).lines;
  if (says(before.lines) === says(lines)) return [];
  const number = before.number + 1;
  return [
    ...before.lines.map((line) => toRow(posting, { callId, number, kind: "reversal" }, negate(line))),
    ...lines.map((line) => toRow(posting, { callId, number, kind: "charge" }, line)),
  ];
}

/** Neither the instant nor the run that rated it is billed. */
const says = (lines: readonly BilledLine[]): string =>
  writeCanonical(lines.map(({ ratingRunId: _run, atNs: _at, ...line }) => line).sort(byMeter));

const MINUS_ONE = parseDecimal("-1");
const negate = (line: BilledLine): BilledLine => ({
  ...line,
  quantity: -line.quantity,
  costUsd: line.costUsd.times(MINUS_ONE),
});

const toRow = (
  { workspace, postedAtNs, revision }: Posting,
  { callId, number, kind }: { callId: string; number: number; kind: "reversal" | "charge" },
  line: BilledLine,
) => ({
  workspace,
  call_id: callId,
  number,
  kind,
  meter: line.meter,
  at: writeInstant(line.atNs, "atNs"),
  posted_at: writeInstant(postedAtNs, "postedAtNs"),
  key_id: line.keyId,
  key: line.key,
  team: line.team,
  provider: line.provider,
  model: line.model,
  service_tier: line.serviceTier,
  region: line.region,
  provenance: line.provenance,
  quantity: line.quantity,
  unit_price_usd: writeAmount(line.unitPriceUsd),
  cost_usd: writeAmount(line.costUsd),
  list_unit_price_usd: line.listUnitPriceUsd === null ? null : writeAmount(line.listUnitPriceUsd),
  price_entry_id: line.priceEntryId,
  rating_run_id: line.ratingRunId,
  revision,
});

/** Over the columns of `corrections`, for `CorrectionRow`. */
export const CORRECTION_COLUMNS = `call_id, number, kind, meter, ${nanoseconds("at")} AS at_ns, key_id, key, team, provider,
  model, service_tier, region, provenance, quantity, unit_price_usd, cost_usd, list_unit_price_usd, price_entry_id,
  rating_run_id`;

export type CorrectionRow = {
  call_id: string;
  number: number;
  kind: "reversal" | "charge";
  meter: Meter;
  at_ns: string;
  key_id: string;
  key: string;
  team: string;
  provider: string;
  model: string;
  service_tier: string;
  region: string;
  provenance: Provenance;
  quantity: string;
  unit_price_usd: string;
  cost_usd: string;
  list_unit_price_usd: string | null;
  price_entry_id: string;
  rating_run_id: string;
};

export const fromCorrectionRow = (row: CorrectionRow): BilledLine => ({
  atNs: BigInt(row.at_ns),
  keyId: row.key_id,
  key: row.key,
  team: row.team,
  provider: row.provider,
  model: row.model,
  serviceTier: row.service_tier,
  region: row.region,
  provenance: row.provenance,
  meter: row.meter,
  quantity: readCount(row.quantity),
  unitPriceUsd: parseDecimal(row.unit_price_usd),
  listUnitPriceUsd: row.list_unit_price_usd === null ? null : parseDecimal(row.list_unit_price_usd),
  costUsd: parseDecimal(row.cost_usd),
  priceEntryId: row.price_entry_id,
  ratingRunId: row.rating_run_id,
});
