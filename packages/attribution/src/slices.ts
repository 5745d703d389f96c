/**
 * Long work cut into slices: a generator that pauses between them, so that whoever runs it can do other things meanwhile.
 * Run at once it is an ordinary function; pauses change no result.
 */
export type Sliced<Result> = Generator<undefined, Result, undefined>;

/** Some milliseconds of any of our steps. */
const ITEMS_PER_SLICE = 500;

export function* visitSliced<Item>(items: Iterable<Item>, visit: (item: Item) => void): Sliced<void> {
  let left = ITEMS_PER_SLICE;
  for (const item of items) {
    visit(item);
    left -= 1;
    if (left > 0) continue;
    left = ITEMS_PER_SLICE;
    yield;
  }
}

/** What is mapped to null is left out. */
export function* mapSliced<Item, Result>(items: Iterable<Item>, map: (item: Item) => Result | null): Sliced<Result[]> {
  const results: Result[] = [];
  yield* visitSliced(items, (item) => {
    const result = map(item);
    if (result !== null) results.push(result);
  });
  return results;
}

export function runAtOnce<Result>(work: Sliced<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
