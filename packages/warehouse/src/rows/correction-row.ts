/**
 * What was billed of a call, as lines that say whose they are, and the rows of `corrections` that turn one such bill into
 * another: everything before is taken back, everything after is charged. Bills that say the same need no rows. Where what
 * a call costs is not known any more, what was billed stands, and a row without an amount says so until it is known again.
 */
import { parseDecimal } from "@centspan/base";
import { type ChargeLine, costProvenance, type Meter, type Provenance, type RatedCall } from "@centspan/model";
import type { Row } from "../connection.ts";
import { writeCanonical } from "../content-hash.ts";
import { readCount } from "../counts.ts";
import { nanoseconds, writeInstant } from "../instants.ts";
import { byMeter, writeAmount } from "./call-row.ts";

export type BilledLine = ChargeLine &
  Pick<RatedCall, "atNs" | "keyId" | "key" | "team" | "provider" | "model" | "serviceTier" | "region" | "provenance">;

/** `number` counts the changes since its month was closed; `standing` tells whether it is what the call costs. */
export type Bill = { number: number; lines: readonly BilledLine[]; standing: Standing };

type Standing = "known" | "unpriced" | "quarantined";
type AmountKind = "reversal" | "charge";
/** Of `corrections`, the rows that bill something. */
export const HAS_AMOUNT = "kind IN ('reversal', 'charge')";

export function toBill(number: number, call: RatedCall): Bill {
  const { atNs, keyId, key, team, provider, model, serviceTier, region } = call;
  const provenance = costProvenance(call);
  const identity = { atNs, keyId, key, team, provider, model, serviceTier, region, provenance };
  return { number, lines: call.lines.map((line) => ({ ...line, ...identity })), standing: "known" };
}

/** `keepsPrices`: what was used at other prices is no change. */
export type Posting = { workspace: string; postedAtNs: bigint; revision: string; keepsPrices: boolean };

/** What a row makes of the bill before it; rows come in the order of their numbers. */
export function followBill(before: Bill | undefined, row: CorrectionRow): Bill {
  const { kind, number } = row;
  const { lines } = before ?? { lines: [] };
  if (kind !== "reversal" && kind !== "charge") return { number, lines, standing: kind };
  const earlier = before?.number === number ? lines : [];
  return { number, lines: kind === "charge" ? [...earlier, fromCorrectionRow(row)] : earlier, standing: "known" };
}

/** `after` null takes all of it back. */
export function toCorrectionRows(posting: Posting, callId: string, before: Bill, after: RatedCall | null): Row[] {
  const number = before.number + 1;
  const standing = standingOf(after);
  const { lines } = after === null ? { lines: [] } : toBill(number, after);
  const says = posting.keepsPrices ? saysUsed : saysBilled;
  if (standing === "known" && says(before.lines) !== says(lines))
    return [
      ...before.lines.map((line) => toRow(posting, { callId, number, kind: "reversal" }, negate(line))),
      ...lines.map((line) => toRow(posting, { callId, number, kind: "charge" }, line)),
    ];
  return standing === before.standing ? [] : [toIdentity(posting, { callId, number, kind: standing })];
}

function standingOf(after: RatedCall | null): Standing {
  const status = after?.costStatus;
  return status === "unpriced" || status === "quarantined" ? status : "known";
}

/** Neither the instant nor the run that rated it is billed. */
const saysBilled = (lines: readonly BilledLine[]): string =>
  writeCanonical(lines.map(({ ratingRunId: _run, atNs: _at, ...line }) => line).sort(byMeter));

const saysUsed = (lines: readonly BilledLine[]): string =>
  writeCanonical(
    lines
      .map(({ keyId, key, team, provider, model, serviceTier, region, meter, quantity }) => ({
        ...{ keyId, key, team, provider, model, serviceTier, region, meter, quantity },
      }))
      .sort(byMeter),
  );

const MINUS_ONE = parseDecimal("-1");
const negate = (line: BilledLine): BilledLine => ({
  ...line,
  quantity: -line.quantity,
  costUsd: line.costUsd.times(MINUS_ONE),
});

type CorrectionIdentity = { callId: string; number: number; kind: AmountKind | Standing };

const toIdentity = ({ workspace, postedAtNs, revision }: Posting, { callId, number, kind }: CorrectionIdentity) => ({
  workspace,
  call_id: callId,
  number,
  kind,
  posted_at: writeInstant(postedAtNs, "postedAtNs"),
  revision,
});

const toRow = (posting: Posting, identity: CorrectionIdentity, line: BilledLine) => ({
  ...toIdentity(posting, identity),
  meter: line.meter,
  at: writeInstant(line.atNs, "atNs"),
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
});

/** Over the columns of `corrections`, for `CorrectionRow`. */
export const CORRECTION_COLUMNS = `call_id, number, kind, meter, ${nanoseconds("at")} AS at_ns, key_id, key, team, provider,
  model, service_tier, region, provenance, quantity, unit_price_usd, cost_usd, list_unit_price_usd, price_entry_id,
  rating_run_id`;

export type CorrectionRow = {
  call_id: string;
  number: number;
  kind: AmountKind | Standing;
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

const fromCorrectionRow = (row: CorrectionRow): BilledLine => ({
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
