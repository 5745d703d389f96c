/** Lists of words that the host gives once, in `addWord`, and that records are told by. */
import { copyBytes, equalBytes } from "./bytes";
import { NameColumn } from "./name-column";

export const LAYERS: u32 = 0;
export const OPERATIONS_WITHOUT_MODEL: u32 = 1;
export const REPLICA_SPANS: u32 = 2;
export const SPAN_KINDS: u32 = 3;
export const SPAN_STATUSES: u32 = 4;
export const METRIC_TYPES: u32 = 5;
export const TEMPORALITIES: u32 = 6;
/** The first of the lists that mark a model's span, one for each attribute that may. */
export const MARKS: u32 = 7;
export const MAX_LISTS: u32 = 32;

class Word {
  constructor(
    readonly start: usize,
    readonly count: u32,
  ) {}
}

const lists: Word[][] = [];
for (let i: u32 = 0; i < MAX_LISTS; i++) lists.push([]);

export function addWord(list: u32, start: usize, count: u32): void {
  const kept = heap.alloc(count);
  copyBytes(kept, start, count);
  lists[list].push(new Word(kept, count));
}

export function isOneOf(list: u32, start: usize, count: u32): bool {
  const words = lists[list];
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    if (word.count === count && equalBytes(word.start, start, count)) return true;
  }
  return false;
}

/** Numbers that this version of the protocol doesn't define read as the first, "not specified": enums are open. */
export function appendEnum(column: NameColumn, list: u32, value: i32): void {
  const words = lists[list];
  // The words are the dictionary's first entries, in their order.
  if (column.dictionary.size === 1) {
    for (let i = 0; i < words.length; i++) column.dictionary.intern(words[i].start, words[i].count, "");
  }
  column.appendIndex(u32(value) < u32(words.length) ? value + 1 : 1);
}

export function appendWord(column: NameColumn, list: u32, index: i32): void {
  const word = lists[list][index];
  column.append(word.start, word.count, "");
}
