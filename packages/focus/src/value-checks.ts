/** What FOCUS calls well-formed, of single values as text. Sources: the attributes of the specification, named at each. */
import { type Decimal, parseNumeric } from "@centspan/base";
import { parse as parseLossless } from "lossless-json";

/** NumericFormat: digits with at most a point, or mEn; no sign for what is positive. Null where it is neither. */
export const readNumeric = (text: string): Decimal | null => (text.includes("+") ? null : parseNumeric(text));

/** DateTimeFormat: UTC, with T and Z, to the second. */
export const isDateTime = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(text) && new Date(text).toJSON()?.slice(0, 19) === text.slice(0, 19);

/** KeyValueFormat: one JSON object with each key once, whose values are no objects or lists. */
export function isKeyValue(text: string): boolean {
  try {
    // Unlike JSON.parse, it refuses a key that comes twice with different values.
    const value: unknown = parseLossless(text, undefined, Number);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    return Object.values(value).every((member) => typeof member !== "object" || member === null);
  } catch {
    return false;
  }
}

const PLURAL = "[A-Z][A-Za-z]*s|[A-Z]{1,3}i?B|[A-Z][A-Za-z]*(?: [A-Z][A-Za-z]*)*s";
const SINGULAR_TIME = "Year|Month|Day|Hour|Minute|Second";
const PLURAL_TIME = "Years|Months|Days|Hours|Minutes|Seconds";
/** UnitFormat: units, unit-time, units per time, each with a count or an interval in plain digits. */
const UNIT = new RegExp(
  `^(?:\\d+ )?(?:${PLURAL}|[A-Z][A-Za-z]*-(?:${PLURAL_TIME}))(?:/(?:\\d+ (?:${PLURAL_TIME})|${SINGULAR_TIME}))?$`,
);
export const isUnit = (text: string): boolean => UNIT.test(text);

const CURRENCIES = new Set(Intl.supportedValuesOf("currency"));
/** ISO 4217, by the runtime's own table. */
export const isNationalCurrency = (text: string): boolean => CURRENCIES.has(text);

/** StringHandling: valid Unicode, which a lone surrogate is not, and not blank. */
export const isText = (text: string): boolean => text.trim() !== "" && !/\p{Surrogate}/u.test(text);
