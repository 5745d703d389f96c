/** For tests whose units can all be rated: files that run beside each other share a store, and would take each other's. */
import type { UnratedUnits } from "@centspan/model";

export const NOTHING_UNRATED: UnratedUnits = {
  listUnratedUnits: async () => [],
  keepUnratedUnit: ({ message }) => Promise.reject(new Error(message)),
  forgetUnratedUnit: async () => {},
};
