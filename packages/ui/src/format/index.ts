/** Numbers, money and instants as text, for pages and terminals alike: an entry point of its own, without React. */
export { isZero } from "./decimal-text.ts";
export * from "./format-instant.ts";
export * from "./format-money.ts";
export * from "./format-quantity.ts";
