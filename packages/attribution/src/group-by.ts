/** Items by key, keys and items in the order in which they came. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Items by key, of which those around an instant are found without looking at the others. */
export type TimedGroups<Item, Key> = {
  /** Those at most so far from the instant, in the order in which they came. */
  listWithin(key: Key, atNs: bigint, farthestNs: bigint): Item[];
  /** The first at the instant or after it. */
  findFrom(key: Key, atNs: bigint): Item | undefined;
  /** The last before the instant. */
  findBefore(key: Key, atNs: bigint): Item | undefined;
};

export function groupByTime<Item, Key>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key,
  timeOf: (item: Item) => bigint,
): TimedGroups<Item, Key> {
  const groups = new Map<Key, Timed<Item>[]>();
  let place = 0;
  for (const item of items) {
    const timed = { item, atNs: timeOf(item), place };
    const group = groups.get(keyOf(item));
    if (group) group.push(timed);
    else groups.set(keyOf(item), [timed]);
    place += 1;
  }
  for (const group of groups.values()) group.sort((a, b) => (a.atNs < b.atNs ? -1 : a.atNs > b.atNs ? 1 : 0));
  return {
    listWithin(key, atNs, farthestNs) {
      const group = groups.get(key) ?? [];
      const first = findFirst(group, atNs - farthestNs);
      const end = findFirst(group, atNs + farthestNs + 1n);
      const within = group.slice(first, end).sort((a, b) => a.place - b.place);
      return within.map(({ item }) => item);
    },
    findFrom(key, atNs) {
      const group = groups.get(key) ?? [];
      return group[findFirst(group, atNs)]?.item;
    },
    findBefore(key, atNs) {
      const group = groups.get(key) ?? [];
      return group[findFirst(group, atNs) - 1]?.item;
    },
  };
}

type Timed<Item> = { item: Item; atNs: bigint; place: number };

/** The index of the first that is not before the instant, in order of time. */
function findFirst(group: readonly Timed<unknown>[], fromNs: bigint): number {
  let [low, high] = [0, group.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const timed = group[middle];
    if (timed !== undefined && timed.atNs < fromNs) low = middle + 1;
    else high = middle;
  }
  return low;
}
