/**
 * The first place at which two JSON values differ, in the order in which they are written. Members are compared in the order
 * of the earlier value, since that is what a prefix is of: another order of the same members is a difference.
 */
export type Difference = {
  /** `messages[2].parts[0].content`; "" of the values themselves. */
  path: string;
  /** Undefined where one of them has nothing there. */
  before: unknown;
  after: unknown;
};

/** Null where they are the same. No recursion: what comes from outside may be nested as deep as it likes. */
export function findFirstDifference(before: unknown, after: unknown): Difference | null {
  const open: Place[] = [{ path: "", before, after, isNamed: true }];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { isNamed, ...place } = at;
    const within = isNamed ? listWithin(place) : null;
    if (within !== null) open.push(...within.reverse());
    else if (!isNamed || place.before !== place.after) return place;
  }
  return null;
}

/** `isNamed`: by the same name in both, or by the same number. */
type Place = Difference & { isNamed: boolean };

/** What two values hold, side by side; null where they are no two lists and no two objects. */
function listWithin({ path, before, after }: Difference): Place[] | null {
  if (Array.isArray(before) && Array.isArray(after)) {
    return Array.from({ length: Math.max(before.length, after.length) }, (_, at) => ({
      ...{ path: `${path}[${at}]`, before: before[at], after: after[at] },
      isNamed: at < before.length && at < after.length,
    }));
  }
  if (!isRecord(before) || !isRecord(after)) return null;
  const [own, others] = [Object.keys(before), Object.keys(after)];
  return Array.from({ length: Math.max(own.length, others.length) }, (_, at): Place => {
    const [name, other] = [own[at], others[at]];
    const named = name ?? other ?? "";
    return {
      path: path === "" ? named : `${path}.${named}`,
      before: name === undefined ? undefined : before[name],
      // Under another name it is not what stood here.
      after: name === undefined || name === other ? after[named] : undefined,
      isNamed: name === other,
    };
  });
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
