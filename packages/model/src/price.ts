/**
 * Prices as dated data. A rate change is a new entry with its own `from`; entries are never edited.
 * Rules for choosing an entry: of those in force whose selectors all hold, the one with the most selectors wins.
 * Contract prices go before list prices, and the narrower scope before the wider: key, team, organisation, list.
 * What a book must satisfy beyond the shape of its parts, packages/pricing checks (`validatePriceBook`).
 */
import { parseInstant } from "@centspan/base";
import { z } from "zod";
import { currency, model, name, price, SCOPES } from "./price-values.ts";

const date = z.string().refine((text) => parseInstant(text) !== null, "is not a date");
/** Of a thousand: nine decimals. */
const fee = z.string().regex(/^\d{1,12}(\.\d{1,9})?$/, "must be a decimal string with at most 9 decimals");
const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be HH:MM");

/** Per million tokens; "0" is a price, an absent meter is not. */
const ratesSchema = z.strictObject({
  input: price.exactOptional(),
  cache_read: price.exactOptional(),
  cache_write_5m: price.exactOptional(),
  cache_write_1h: price.exactOptional(),
  output_text: price.exactOptional(),
  output_reasoning: price.exactOptional(),
});

/** What a price list, or a contract, says one costs. */
const priceListShape = {
  /** USD where it says nothing. */
  currency: currency.exactOptional(),
  perMillion: ratesSchema,
  /** Per thousand uses, such as web searches. */
  perThousand: z.strictObject({ web_search: fee.exactOptional() }).exactOptional(),
};

const selectorsSchema = z.strictObject({
  /** The tier that served the call, `batch` among them. */
  serviceTier: name.exactOptional(),
  region: name.exactOptional(),
  /** Context = input + cache reads + cache writes of one request. A tier covers the whole request. */
  context: z.strictObject({ comparator: z.enum([">", ">="]), tokens: z.int().positive() }).exactOptional(),
  /** Of each day, UTC: `from` inclusive, `to` exclusive. Where `to` is the earlier one, over midnight. */
  hours: z.strictObject({ from: timeOfDay, to: timeOfDay }).exactOptional(),
  /** Days of the week in UTC, 1 for Monday to 7 for Sunday. */
  weekdays: z
    .array(z.int().min(1).max(7))
    .min(1)
    .refine((days) => new Set(days).size === days.length, "names a day twice")
    .readonly()
    .exactOptional(),
});

const priceEntrySchema = z.strictObject({
  ...priceListShape,
  id: name,
  /** Model id as providers report it; a trailing `*` matches any suffix (dated ids). */
  model,
  from: date,
  to: date.exactOptional(),
  when: selectorsSchema.exactOptional(),
  source: name,
  checkedOn: date,
  /** Of a price that its source names for a day after it was checked, and of no other. */
  status: z.literal("announced").exactOptional(),
});

/** The price list of one provider. */
export const rateCardSchema = z.strictObject({
  id: name,
  describe: name,
  provider: name,
  /** Other names of models, each to the one that entries use. */
  aliases: z.record(name, name).readonly().exactOptional(),
  /** For resellers at list price: whose card prices a model named `vendor/model`, by vendor, where no entry does. */
  passThrough: z.record(name, name).readonly().exactOptional(),
  entries: z.array(priceEntrySchema).readonly(),
});

export const CONTRACT_SCOPES = SCOPES;
export type ContractScope = (typeof CONTRACT_SCOPES)[number];

/**
 * What a model costs that runs on GPUs of one's own: their price by the hour, and for how many seconds all of them are
 * occupied by a million tokens, as measured on the deployment or as simulated.
 */
export const gpuHoursSchema = z.strictObject({
  kind: z.literal("gpu_hours"),
  currency: currency.exactOptional(),
  perGpuHour: price,
  gpus: z.int().min(1).max(100_000),
  basis: z.enum(["measured", "simulated"]),
  secondsPerMillion: ratesSchema,
});

const percent = z.string().regex(/^\d{1,3}(\.\d{1,4})?$/, "must be a decimal string with at most 4 decimals");
const upTo100 = percent.refine((text) => Number(text) <= 100, "must be at most 100");

/** A price that was agreed on. Contracts are never edited: another agreement is another one, with its own `from`. */
export const contractPriceSchema = z.strictObject({
  id: name,
  scope: z.enum(CONTRACT_SCOPES),
  /** The key's id or the team; "" for the organisation. */
  scopeId: z.string().max(200),
  provider: name,
  /** As in a price entry; `*` alone is every model of the provider. */
  model: z.union([model, z.literal("*")]),
  from: date,
  to: date.exactOptional(),
  /** For which calls of the model. Without a tier, an absolute price is for the standard one. */
  when: selectorsSchema.exactOptional(),
  terms: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("absolute"), ...priceListShape }),
    gpuHoursSchema,
    z.strictObject({ kind: z.literal("percent_off"), percent: upTo100 }),
    z.strictObject({ kind: z.literal("markup"), percent }),
  ]),
  /** The document it stands in. */
  source: name,
});

/** What one unit of a currency is worth from an instant on, until the next rate of that currency. */
export const exchangeRateSchema = z.strictObject({
  currency: currency.refine((code) => code !== "USD", "is what the others are told in"),
  from: date,
  usd: z
    .string()
    .regex(/^\d{1,12}(\.\d{1,12})?$/, "must be a decimal string with at most 12 decimals")
    .regex(/[1-9]/, "must be more than 0"),
  source: name,
});

/** What was agreed on, on top of the list prices. */
export const priceTermsSchema = z.strictObject({
  contracts: z.array(contractPriceSchema).max(1000).readonly(),
  exchangeRates: z.array(exchangeRateSchema).max(1000).readonly(),
});

export type Rates = z.infer<typeof ratesSchema>;
export type PriceList = z.infer<z.ZodObject<typeof priceListShape>>;
export type GpuHours = z.infer<typeof gpuHoursSchema>;
export type PriceSelectors = z.infer<typeof selectorsSchema>;
export type PriceEntry = z.infer<typeof priceEntrySchema>;
export type ContractPrice = z.infer<typeof contractPriceSchema>;
export type ExchangeRate = z.infer<typeof exchangeRateSchema>;
export type PriceTerms = z.infer<typeof priceTermsSchema>;

/** A plug-in. */
export type RateCard = z.infer<typeof rateCardSchema>;
export const defineRateCard = (card: RateCard): RateCard => card;

/** All that a price depends on, beside the call. */
export type PriceBook = PriceTerms & { cards: readonly RateCard[] };
