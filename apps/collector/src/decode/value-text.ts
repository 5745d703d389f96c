/**
 * How an attribute value is written as text: scalars plainly, what is nested as JSON. Shared by both encodings, so
 * that the same value gives the same text whichever way it came.
 * Invariant: 64-bit integers are exact, at any depth.
 */

/** Values inside an array or key-value list are written as JSON. */
export type Place = "top" | "nested";

export const MAX_VALUE_DEPTH = 32;

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
export const isInt64 = (value: bigint): boolean => value >= INT64_MIN && value <= INT64_MAX;

export const writeString = (value: string, place: Place): string => (place === "top" ? value : JSON.stringify(value));

export const writeInt = (value: bigint): string => value.toString();

export const writeBool = (value: boolean): string => (value ? "true" : "false");

/** JSON has no NaN and no Infinity: nested, they are strings as in protobuf's JSON mapping. */
export const writeDouble = (value: number, place: Place): string =>
  place === "nested" && !Number.isFinite(value) ? JSON.stringify(String(value)) : String(value);

export const writeBytes = (value: Buffer, place: Place): string => writeString(value.toString("base64"), place);

export const writeEmpty = (place: Place): string => (place === "top" ? "" : "null");

export const writeArray = (items: readonly string[]): string => `[${items.join(",")}]`;

export const writeList = (pairs: readonly (readonly [key: string, text: string])[]): string =>
  `{${pairs.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(",")}}`;

/** Sets one attribute; a repeated key keeps its last value. Keys are data, so `__proto__` is a key like any other. */
export function setAttribute(attributes: Record<string, string>, key: string, text: string): void {
  if (key !== "__proto__") attributes[key] = text;
  else Object.defineProperty(attributes, key, { value: text, enumerable: true, configurable: true, writable: true });
}
