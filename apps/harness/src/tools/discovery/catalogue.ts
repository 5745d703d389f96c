/**
 * What an agent can have but does not need in its prompt, found by words: BM25 over names, descriptions and what else there
 * is to say (parameters of tools, texts of documents).
 * Invariant: the same entries and query give the same order, however the entries were ordered.
 */
import MiniSearch from "minisearch";

export const ENTRY_KINDS = ["tool", "skill", "plugin", "memory"] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

export type CatalogueEntry = {
  kind: EntryKind;
  /** Unique among its kind. */
  name: string;
  description: string;
  /** Further words to be found by. */
  words: string;
};

export type Catalogue<E extends CatalogueEntry> = {
  size: number;
  /** The best entries of a kind, best first; none that shares no word with the query. */
  search(query: string, kind: EntryKind, limit: number): E[];
};

const BM25 = { k: 1.2, b: 0.75, d: 0 };
const BOOST = { name: 2, description: 1, words: 0.5 };
/** Words that say nothing of what is looked for. */
const EMPTY = new Set(
  "a about all an and any are as at be by can do for from get give has have how i if in into is it its me my need no not of on or our please some that the their them then there these this to up us use want was we what when where which who will with you your".split(
    " ",
  ),
);

export function createCatalogue<E extends CatalogueEntry>(entries: readonly E[]): Catalogue<E> {
  const byId = new Map(entries.map((entry) => [`${entry.kind}:${entry.name}`, entry]));
  const index = new MiniSearch<{ id: string } & CatalogueEntry>({
    fields: ["name", "description", "words"],
    storeFields: ["kind"],
    tokenize: splitWords,
    processTerm: (word) => (EMPTY.has(word) ? null : stem(word)),
    searchOptions: { boost: BOOST, bm25: BM25 },
  });
  index.addAll([...byId].map(([id, entry]) => ({ id, ...entry })));
  return {
    size: byId.size,
    search(query, kind, limit) {
      const found = index.search(query, { filter: (hit) => hit.kind === kind });
      const ordered = found.sort((a, b) => b.score - a.score || (String(a.id) < String(b.id) ? -1 : 1));
      return ordered.slice(0, limit).flatMap(({ id }) => byId.get(String(id)) ?? []);
    },
  };
}

/** `createPullRequest`, `create_pull_request` and `create pull request` are the same words. */
function splitWords(text: string): string[] {
  return text
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** Endings off, so that `lists`, `listed` and `listing` meet; what remains need not be a word. */
function stem(word: string): string {
  const bare = word
    .replace(/ies$/, "y")
    .replace(/(?<=(s|x|z|ch|sh))es$/, "")
    .replace(/(?<=[^su])s$/, "");
  const root = bare.replace(/(?<=[aeiouy].*[^aeiou])(ing|ed|er|ation|ion|ment)$/, "");
  return root.length < 3 ? bare : root.replace(/(.)\1$/, "$1").replace(/(?<=..)[ey]$/, "");
}
