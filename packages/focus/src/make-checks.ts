/** The checks that rules are most often made of. */
import type { Check } from "./check-schema.ts";

export const is = (ColumnName: string, Value: string | number | null): Check => ({
  CheckFunction: "CheckValue",
  ColumnName,
  Value,
});
export const isNot = (ColumnName: string, Value: string | null): Check => ({
  CheckFunction: "CheckNotValue",
  ColumnName,
  Value,
});
export const both = (...Items: Check[]): Check => ({ CheckFunction: "AND", Items });
export const either = (...Items: Check[]): Check => ({ CheckFunction: "OR", Items });
