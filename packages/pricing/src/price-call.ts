/**
 * What one unit of each meter costs for a call, by contract or by list, in USD. It depends on nothing but the call and
 * the book: not on when it is asked. A unit price has 12 decimals; one that a percentage or an exchange rate gives more
 * is rounded to them, half to even, so that lines are exact.
 */
import { countToDecimal, type Decimal, parseDecimal, quantiseLine } from "@centspan/base";
import {
  type Call,
  type CallClass,
  CONTRACT_SCOPES,
  type ContractPrice,
  type ContractScope,
  type ExchangeRate,
  type GpuHours,
  METERS,
  type Meter,
  type PriceBook,
  type PriceList,
  type UnitPrice,
  type UnitPrices,
} from "@centspan/model";
import { matchModel, type Offer, readDate, readOffer } from "./offers.ts";
import {
  type Candidate,
  chooseCandidate,
  isCandidate,
  isForTier,
  type Shelf,
  type Shelves,
  selectEntry,
} from "./select-entry.ts";

/** A book with what its texts say worked out. */
export type OpenBook = {
  shelves: Shelves;
  contracts: readonly Offer<ContractPrice>[];
  exchangeRates: readonly { said: ExchangeRate; fromNs: bigint }[];
};

/** Books are few and don't change, and each rates many calls. */
const openBooks = new WeakMap<PriceBook, OpenBook>();

export function openBook(book: PriceBook): OpenBook {
  const known = openBooks.get(book);
  if (known) return known;
  const shelves = new Map<string, Shelf>();
  for (const { provider, entries, aliases, passThrough } of book.cards) {
    const before = shelves.get(provider);
    shelves.set(provider, {
      aliases: { ...before?.aliases, ...aliases },
      ...((passThrough ?? before?.passThrough) ? { passThrough: { ...before?.passThrough, ...passThrough } } : {}),
      offers: [...(before?.offers ?? []), ...entries.map(readOffer)],
    });
  }
  const open = {
    shelves,
    contracts: book.contracts.map(readOffer),
    exchangeRates: book.exchangeRates.map((said) => ({ said, fromNs: readDate(said.from) })),
  };
  openBooks.set(book, open);
  return open;
}

/** Null where no list and no contract prices the call. */
export function priceCall(call: Call, book: PriceBook): UnitPrice | null {
  const open = openBook(book);
  const entry = selectEntry(call, open.shelves);
  const list = entry && priceByList(entry.id, entry, call.atNs, open);
  const contracts = selectContracts(call, open);
  if (contracts.length === 0) return list;
  const contract = chooseCandidate(contracts);
  if (contract === null) return null;
  const { id, terms } = contract;
  if (terms.kind === "absolute" || terms.kind === "gpu_hours") {
    const agreed = priceByList(id, terms, call.atNs, open);
    if (!agreed || !list) return agreed && { ...agreed, list: null };
    // Lines tell the list's price too, so a call whose list changed is priced otherwise.
    return { ...agreed, id: `${agreed.id} beside ${list.id}`, list: list.units };
  }
  if (!list) return null;
  return { ...list, id: `${id} of ${list.id}`, units: convertUnits(list.units, factorOf(terms)) };
}

const HUNDRED = parseDecimal("100");
const HUNDREDTH = parseDecimal("0.01");

function factorOf({ kind, percent }: { kind: "percent_off" | "markup"; percent: string }): Decimal {
  const share = parseDecimal(percent);
  return (kind === "markup" ? HUNDRED.plus(share) : HUNDRED.minus(share)).times(HUNDREDTH);
}

/** Those of the narrowest scope that has any. A price that was agreed on for a model is for its standard tier. */
function selectContracts(call: Call, open: OpenBook): Candidate<ContractPrice>[] {
  const agreed = listContracts(call, open).filter(
    (offer) => isCandidate(offer, call) && (offer.said.terms.kind !== "absolute" || isForTier(offer.said.when, call)),
  );
  const scope = CONTRACT_SCOPES.find((wanted) => agreed.some(({ said }) => said.scope === wanted));
  return agreed.filter(({ said }) => said.scope === scope);
}

/** All that may price calls of a class, at some time. */
export const listContracts = (callClass: CallClass, { contracts }: OpenBook): Candidate<ContractPrice>[] =>
  contracts.flatMap((offer) => {
    const { scope, scopeId, provider, model } = offer.said;
    const exactness = provider === callClass.provider ? matchModel(model, callClass.model) : 0;
    return exactness === 0 || scopeId !== SCOPE_OF[scope](callClass) ? [] : [{ ...offer, exactness }];
  });

const SCOPE_OF = {
  key: ({ keyId }: CallClass) => keyId,
  team: ({ team }: CallClass) => team,
  org: () => "",
} as const satisfies Record<ContractScope, (callClass: CallClass) => string>;

const PER_MILLION = parseDecimal("0.000001");
const PER_THOUSAND = parseDecimal("0.001");

/** Null where its currency has no exchange rate yet at that time. */
function priceByList(id: string, said: PriceList | GpuHours, atNs: bigint, open: OpenBook): UnitPrice | null {
  const stated = readUnits(said);
  const { currency = "USD" } = said;
  const isSimulated = "basis" in said && said.basis === "simulated";
  if (currency === "USD") return { id, units: stated, list: stated, isSimulated };
  const rate = findRate(currency, atNs, open);
  if (!rate) return null;
  const units = convertUnits(stated, parseDecimal(rate.usd));
  return { id: `${id} ${currency}@${rate.from}`, units, list: units, isSimulated };
}

const statedUnits = new WeakMap<PriceList | GpuHours, UnitPrices>();

/** In the currency of the list. */
function readUnits(said: PriceList | GpuHours): UnitPrices {
  const known = statedUnits.get(said);
  if (known) return known;
  const units: UnitPrices = {};
  for (const meter of METERS) {
    const unit = "perMillion" in said ? readUnit(said, meter) : readOccupancy(said, meter);
    if (unit) units[meter] = unit;
  }
  statedUnits.set(said, units);
  return units;
}

function readUnit({ perMillion, perThousand }: PriceList, meter: Meter): Decimal | undefined {
  const [stated, share] =
    meter === "web_search" ? [perThousand?.[meter], PER_THOUSAND] : [perMillion[meter], PER_MILLION];
  return stated === undefined ? undefined : parseDecimal(stated).times(share);
}

const HOUR_SECONDS = parseDecimal("3600");

/** All GPUs of the deployment for as long as the tokens occupy them. */
function readOccupancy({ perGpuHour, gpus, secondsPerMillion }: GpuHours, meter: Meter): Decimal | undefined {
  const seconds = meter === "web_search" ? undefined : secondsPerMillion[meter];
  if (seconds === undefined) return undefined;
  const perHour = parseDecimal(perGpuHour).times(countToDecimal(gpus));
  return quantiseLine(perHour.times(parseDecimal(seconds)).times(PER_MILLION).div(HOUR_SECONDS));
}

function convertUnits(units: UnitPrices, factor: Decimal): UnitPrices {
  const converted: UnitPrices = {};
  for (const meter of METERS) {
    const unit = units[meter];
    if (unit) converted[meter] = quantiseLine(unit.times(factor));
  }
  return converted;
}

/** Of the currency, at that time; undefined where there is none yet. */
export function findRate(currency: string, atNs: bigint, { exchangeRates }: OpenBook): ExchangeRate | undefined {
  let latest: { said: ExchangeRate; fromNs: bigint } | undefined;
  for (const rate of exchangeRates)
    if (rate.said.currency === currency && rate.fromNs <= atNs && (!latest || rate.fromNs > latest.fromNs))
      latest = rate;
  return latest?.said;
}
