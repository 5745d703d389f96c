/** What tests that cross rooms take from here. */
export { findHistories } from "./find-histories.ts";
export { type ImportState, importHistories } from "./import-histories.ts";
