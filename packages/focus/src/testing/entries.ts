/** Charges for tests, and what is made of them. */
import { countToDecimal, parseDecimal, ZERO } from "@centspan/base";
import {
  type Charge,
  type Commitment,
  type CommitmentLine,
  findBillingPeriod,
  METERS,
  type StatementLine,
} from "@centspan/model";
import { describeCharge, describeRounding, type FocusContext, type FocusEntry } from "../describe-charge.ts";
import { describeCovered, describePurchase, describeUnused } from "../describe-commitment.ts";

export const CONTEXT: FocusContext = {
  org: "acme",
  workspace: { id: "prod", name: 'Production, "EU"' },
  period: findBillingPeriod("Asia/Kolkata", "2026-10"),
  invoiceId: "prod-2026-10",
};

export function makeCharge(charge: Partial<Charge> = {}): Charge {
  const { unitPriceUsd = parseDecimal("0.000000003"), quantity = 1_234_567 } = charge;
  return {
    day: "2026-10-01",
    keyId: "key_1",
    key: "payments",
    team: "payments, réseau",
    provider: "openai",
    model: "gpt-5.6",
    serviceTier: "flex",
    region: "",
    meter: "cache_read",
    priceEntryId: "openai/gpt-5.6@2026-01-01",
    unitPriceUsd,
    listUnitPriceUsd: null,
    provenance: "measured",
    isCorrection: false,
    quantity,
    costUsd: unitPriceUsd.times(countToDecimal(quantity)),
    ...charge,
  };
}

export const ROUNDING: StatementLine = {
  team: "",
  lines: 1,
  exactUsd: parseDecimal("0.004999999999"),
  amountUsd: parseDecimal("0.01"),
  owner: null,
};

const COVER = {
  provider: "openai",
  model: "gpt-5*",
  scope: "team",
  scopeIds: ["payments, réseau"],
  from: "2026-10-01",
  source: "order 7",
} as const;
export const SEATS: Commitment = {
  ...COVER,
  kind: "seats",
  id: "plus",
  plan: "ChatGPT Plus",
  seats: 3,
  perSeatMonth: "20",
};
const CREDITS: Commitment = { ...COVER, kind: "credits", id: "prepaid", amount: "100", to: "2027-10-01" };
export const UNUSED: CommitmentLine = {
  commitment: "plus",
  team: "payments, réseau",
  status: "unused",
  payPerTokenUsd: ZERO,
  costUsd: parseDecimal("59.999999999999"),
  provenance: "allocated",
};

/** What commitments cover, wholly or as a correction, what they were bought for and what nobody used. */
export const makeCommitted = (): FocusEntry[] => [
  describePurchase(SEATS, parseDecimal("60"), CONTEXT),
  describePurchase(CREDITS, parseDecimal("100"), CONTEXT),
  describeCovered(
    { charge: makeCharge(), commitment: SEATS, costUsd: parseDecimal("0.000000000001"), provenance: "allocated" },
    CONTEXT,
  ),
  describeCovered(
    {
      charge: makeCharge({ isCorrection: true, quantity: -2 }),
      commitment: SEATS,
      costUsd: ZERO,
      provenance: "allocated",
    },
    CONTEXT,
  ),
  describeUnused(UNUSED, SEATS, CONTEXT),
];

/** One of each kind: every meter, a contract price, a correction, what has no team, a rounding, commitments. */
export function makeEntries(): FocusEntry[] {
  const charges = [
    ...METERS.map((meter) => makeCharge({ meter })),
    makeCharge({ listUnitPriceUsd: parseDecimal("0.000000004") }),
    makeCharge({ day: "2026-09-30", isCorrection: true, quantity: -7 }),
    makeCharge({ team: "", key: "", keyId: "", serviceTier: "", provider: "elsewhere", model: "m" }),
  ];
  const rounding = describeRounding(ROUNDING, CONTEXT);
  return [
    ...charges.map((charge) => describeCharge(charge, CONTEXT)),
    ...(rounding === null ? [] : [rounding]),
    ...makeCommitted(),
  ];
}

export async function* inOne<T>(item: T): AsyncGenerator<T> {
  yield item;
}

export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}
