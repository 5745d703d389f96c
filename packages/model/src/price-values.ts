/** The values that prices and commitments are made of. */
import { z } from "zod";

/** No control characters: Postgres takes no NUL, and none of them is seen. */
export const name = z
  .string()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, "must not contain control characters");
/** Six decimals per million are twelve per token: all that Decimal(38,12) holds. */
export const price = z.string().regex(/^\d{1,12}(\.\d{1,6})?$/, "must be a decimal string with at most 6 decimals");
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));
export const currency = z
  .string()
  .refine((code) => CURRENCIES.has(code), "must be the three letters of a currency (ISO 4217)");
/** A model's name; a `*` at its end matches any suffix. */
export const model = z
  .string()
  .max(200)
  .regex(/^[^*]+\*?$/, "must be a name, with at most one * at its end");

/** Whose usage it is about. */
export const SCOPES = ["key", "team", "org"] as const;
