/**
 * By what each workspace's calls are priced: the bundled cards and what the workspace agreed on. A book that has not
 * changed is the same object, which pricing has worked out already.
 */
import { deriveId } from "@centspan/base";
import type { PriceBook, PriceTermsStore, RateCard } from "@centspan/model";

/** `ratingRunId` is made of the content: rating again with the same prices writes the same lines. */
export type PricedBy = { book: PriceBook; ratingRunId: string };

export function createPriceBooks(
  cards: readonly RateCard[],
  store: Pick<PriceTermsStore, "readPriceTerms">,
): (workspace: string) => Promise<PricedBy> {
  const listed = JSON.stringify(cards);
  const byWorkspace = new Map<string, PricedBy>();
  return async (workspace) => {
    const terms = await store.readPriceTerms(workspace);
    const ratingRunId = deriveId("rating", listed, JSON.stringify(terms));
    const before = byWorkspace.get(workspace);
    if (before?.ratingRunId === ratingRunId) return before;
    const pricedBy = { book: { cards, ...terms }, ratingRunId };
    byWorkspace.set(workspace, pricedBy);
    return pricedBy;
  };
}
