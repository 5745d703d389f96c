/**
 * What calls are reserved and settled at: the bundled cards and what their workspace agreed on, read again when it has
 * been ten seconds. A book that has not changed is the same object, which pricing has worked out already.
 */
import type { PriceBook, PriceTermsStore, RateCard } from "@centspan/model";

const FRESH_MS = 10_000;

type Known = { text: string; book: PriceBook; readAtMs: number };

export function createPriceBooks(
  cards: readonly RateCard[],
  store: Pick<PriceTermsStore, "readPriceTerms">,
  nowMs: () => number = () => performance.now(),
): (workspace: string) => Promise<PriceBook> {
  const byWorkspace = new Map<string, Known>();
  return async (workspace) => {
    const before = byWorkspace.get(workspace);
    const readAtMs = nowMs();
    if (before && readAtMs - before.readAtMs < FRESH_MS) return before.book;
    const terms = await store.readPriceTerms(workspace);
    const text = JSON.stringify(terms);
    const book = before?.text === text ? before.book : { cards, ...terms };
    byWorkspace.set(workspace, { text, book, readAtMs });
    return book;
  };
}
