/**
 * What calls are reserved and settled at: the bundled cards and what their workspace agreed on, which counts within ten
 * seconds and goes on while the store is away. A book that has not changed is the same object, which pricing has worked out already.
 */
import { isDeepStrictEqual } from "node:util";
import { assert } from "@centspan/base";
import type { PriceBook, PriceTermsStore, RateCard } from "@centspan/model";
import { createCredentialCache } from "@centspan/service";

export function createPriceBooks(
  cards: readonly RateCard[],
  store: Pick<PriceTermsStore, "readPriceTerms">,
  nowMs: () => number = () => performance.now(),
): (workspace: string) => Promise<PriceBook> {
  const books = createCredentialCache<PriceBook>({
    async find(workspace, before) {
      const book = { cards, ...(await store.readPriceTerms(workspace)) };
      return before !== undefined && isDeepStrictEqual(before, book) ? before : book;
    },
    nowMs,
  });
  return async (workspace) => {
    const book = await books.find(workspace);
    assert(book, "each workspace has a book");
    return book;
  };
}
