/** Calls and books for tests, of which a test states only what it is about. */
import { parseInstant } from "@centspan/base";
import {
  type Buckets,
  type Call,
  type ContractPrice,
  defineRateCard,
  EMPTY_BUCKETS,
  EMPTY_CALL,
  type ExchangeRate,
  type PriceBook,
  type PriceEntry,
} from "@centspan/model";

export type Facts = Partial<Omit<Call, "buckets" | "atNs">> & { at?: string; buckets?: Partial<Buckets> };

export const makeCall = ({ at = "2026-11-29", buckets = {}, ...facts }: Facts = {}): Call => ({
  ...EMPTY_CALL,
  callId: "call",
  traceId: "t",
  spanId: "s",
  atNs: parseInstant(at) ?? 0n,
  durationNs: 1n,
  provider: "p",
  model: "m",
  source: "gateway",
  dialect: "semconv",
  ...facts,
  buckets: { ...EMPTY_BUCKETS, ...buckets },
});

export const makeEntry = (change: Partial<PriceEntry> = {}): PriceEntry => ({
  id: "a",
  model: "m",
  from: "2026-01-01",
  perMillion: { input: "1", output_text: "2" },
  source: "a list",
  checkedOn: "2026-12-31",
  ...change,
});

export const makeContract = (change: Partial<ContractPrice> = {}): ContractPrice => ({
  id: "contract",
  scope: "org",
  scopeId: "",
  provider: "p",
  model: "m",
  from: "2026-01-01",
  terms: { kind: "absolute", perMillion: { input: "0.5" } },
  source: "an agreement",
  ...change,
});

/** The list of provider `p`, and what was agreed on. */
export const makeBook = (
  entries: readonly PriceEntry[],
  contracts: readonly ContractPrice[] = [],
  exchangeRates: readonly ExchangeRate[] = [],
): PriceBook => ({
  cards: [defineRateCard({ id: "c", describe: "test", provider: "p", entries })],
  contracts,
  exchangeRates,
});
