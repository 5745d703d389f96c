/**
 * What each policy means, in plain arrays of keys and as slowly as it likes: the conformance suite holds the policies to
 * these. Lists are oldest first. `mayGo` tells which keys may go; a victim is forgotten by `victim` itself.
 */

export type Used = {
  key: number;
  depth: number;
  /** Counts of events: when it came in, when it was last used or released, how often it was used since it came in. */
  inserted: number;
  used: number;
  uses: number;
  nextUse: number;
  /** Until when it is wanted, set when it is released. */
  expires: number;
};

export type SlowModel = {
  insert(key: number): void;
  access(key: number): void;
  /** It went without being a victim. */
  drop(key: number): void;
  victim(mayGo: (key: number) => boolean, incoming: number | null): number | undefined;
};
export type SlowModels = Record<string, (capacity: number, used: (key: number) => Used) => SlowModel>;

const without = (list: number[], key: number): boolean => {
  const at = list.indexOf(key);
  if (at >= 0) list.splice(at, 1);
  return at >= 0;
};
const nothing = (): void => undefined;

/** The first by an order over what is resident. */
function byOrder(compare: (a: Used, b: Used) => number, onVictim: (victim: Used) => void = nothing) {
  return (_capacity: number, used: (key: number) => Used): SlowModel => {
    const resident: number[] = [];
    return {
      insert: (key) => void resident.push(key),
      access: nothing,
      drop: (key) => void without(resident, key),
      victim(mayGo) {
        const [first] = resident.filter(mayGo).map(used).sort(compare);
        if (!first) return undefined;
        onVictim(first);
        without(resident, first.key);
        return first.key;
      },
    };
  };
}

const leastRecent = (a: Used, b: Used): number => a.used - b.used;

function gdsf(_capacity: number, used: (key: number) => Used): SlowModel {
  const ranks = new Map<number, number>();
  let age = 0;
  const rank = (key: number): void => void ranks.set(key, age + used(key).uses);
  return {
    insert: rank,
    access: rank,
    drop: (key) => void ranks.delete(key),
    victim(mayGo) {
      const candidates = [...ranks.keys()].filter(mayGo).map(used);
      const [first] = candidates.sort((a, b) => (ranks.get(a.key) ?? 0) - (ranks.get(b.key) ?? 0) || leastRecent(a, b));
      if (!first) return undefined;
      age = ranks.get(first.key) ?? 0;
      ranks.delete(first.key);
      return first.key;
    },
  };
}

function sieve(): SlowModel {
  const queue: number[] = [];
  const visited = new Set<number>();
  let hand: number | undefined;
  const drop = (key: number): void => {
    if (hand === key) hand = queue[queue.indexOf(key) + 1];
    without(queue, key);
    visited.delete(key);
  };
  return {
    insert: (key) => void queue.push(key),
    access: (key) => void visited.add(key),
    drop,
    victim(mayGo) {
      for (;;) {
        const key: number | undefined = hand ?? queue[0];
        if (key === undefined) return undefined;
        if (mayGo(key) && !visited.has(key)) {
          hand = key;
          drop(key);
          return key;
        }
        if (mayGo(key)) visited.delete(key);
        hand = queue[queue.indexOf(key) + 1];
      }
    },
  };
}

function s3Fifo(capacity: number): SlowModel {
  const [small, main, ghosts]: [number[], number[], number[]] = [[], [], []];
  const uses = new Map<number, number>();
  const smallBlocks = Math.max(1, Math.floor(capacity / 10));
  const fromSmall = (mayGo: (key: number) => boolean): number | undefined => {
    for (let key = small.find(mayGo); key !== undefined; key = small.find(mayGo)) {
      without(small, key);
      if ((uses.get(key) ?? 0) < 2) {
        ghosts.push(key);
        if (ghosts.length > capacity - smallBlocks) ghosts.shift();
        return key;
      }
      main.push(key);
      uses.set(key, 0);
    }
    return undefined;
  };
  const fromMain = (mayGo: (key: number) => boolean): number | undefined => {
    for (let key = main.find(mayGo); key !== undefined; key = main.find(mayGo)) {
      without(main, key);
      const left = uses.get(key) ?? 0;
      if (left === 0) return key;
      uses.set(key, left - 1);
      main.push(key);
    }
    return undefined;
  };
  return {
    insert(key) {
      uses.set(key, 0);
      (without(ghosts, key) ? main : small).push(key);
    },
    access: (key) => void uses.set(key, Math.min(3, (uses.get(key) ?? 0) + 1)),
    drop: (key) => void (without(small, key) || without(main, key)),
    victim(mayGo) {
      if (small.length >= smallBlocks || main.length === 0) return fromSmall(mayGo) ?? fromMain(mayGo);
      return fromMain(mayGo) ?? fromSmall(mayGo) ?? fromMain(mayGo);
    },
  };
}

function arc(capacity: number): SlowModel {
  const [t1, t2, b1, b2]: [number[], number[], number[], number[]] = [[], [], [], []];
  let p = 0;
  let adapted: number | null = null;
  const adapt = (key: number): void => {
    if (adapted === key) return;
    adapted = key;
    if (b1.includes(key)) p = Math.min(capacity, p + Math.max(1, b2.length / b1.length));
    else if (b2.includes(key)) p = Math.max(0, p - Math.max(1, b1.length / b2.length));
  };
  const drop = (key: number): void => void (without(t1, key) || without(t2, key));
  return {
    insert(key) {
      adapt(key);
      adapted = null;
      (without(b1, key) || without(b2, key) ? t2 : t1).push(key);
    },
    access(key) {
      drop(key);
      t2.push(key);
    },
    drop,
    victim(mayGo, incoming) {
      if (incoming !== null) adapt(incoming);
      const isNew = incoming === null || !(b1.includes(incoming) || b2.includes(incoming));
      if (isNew && t1.length + b1.length >= capacity) {
        const oldest = t1.find(mayGo);
        if (b1.length === 0 && oldest !== undefined) {
          drop(oldest);
          return oldest;
        }
        b1.shift();
      } else if (isNew && t1.length + t2.length + b1.length + b2.length >= 2 * capacity) b2.shift();
      const isReturning = incoming !== null && b2.includes(incoming);
      const fromT1 = t1.length > 0 && (t1.length > p || (isReturning && t1.length === p));
      const key = (fromT1 ? t1 : t2).find(mayGo) ?? (fromT1 ? t2 : t1).find(mayGo);
      if (key === undefined) return undefined;
      (t1.includes(key) ? b1 : b2).push(key);
      drop(key);
      return key;
    },
  };
}

function slru(capacity: number): SlowModel {
  const levels: number[][] = [[], [], [], []];
  const most = Math.max(1, Math.floor(capacity / 4));
  const levelOf = (key: number): number => levels.findIndex((level) => level.includes(key));
  const drop = (key: number): void => void levels.some((level) => without(level, key));
  const settle = (): void => {
    for (let at = 3; at > 0; at -= 1) {
      while ((levels[at]?.length ?? 0) > most) levels[at - 1]?.push(levels[at]?.shift() ?? -1);
    }
  };
  return {
    insert(key) {
      (levels.find((level) => level.length < most) ?? levels[0])?.push(key);
    },
    access(key) {
      const level = levelOf(key);
      drop(key);
      levels[Math.min(3, level + 1)]?.push(key);
      settle();
    },
    drop,
    victim(mayGo) {
      const key = levels.flat().find(mayGo);
      if (key !== undefined) drop(key);
      return key;
    },
  };
}

function windowTinyLfu(capacity: number): SlowModel {
  const [window, probation, guarded]: [number[], number[], number[]] = [[], [], []];
  const windowBlocks = Math.max(1, Math.floor(capacity / 100));
  const log: number[] = [];
  const count = (key: number): number =>
    log.reduce((sum, logged, at) => {
      const counted = sum + (logged === key ? 1 : 0);
      return (at + 1) % (10 * capacity) === 0 ? Math.floor(counted / 2) : counted;
    }, 0);
  const drop = (key: number): void => void [window, probation, guarded].some((list) => without(list, key));
  return {
    insert(key) {
      log.push(key);
      window.push(key);
      const isFull = window.length + probation.length + guarded.length >= capacity;
      if (!isFull && window.length > windowBlocks) probation.push(window.shift() ?? -1);
    },
    access(key) {
      log.push(key);
      const wasNew = window.includes(key);
      drop(key);
      (wasNew ? window : guarded).push(key);
      if (guarded.length > Math.floor((capacity - windowBlocks) * 0.8)) probation.push(guarded.shift() ?? -1);
    },
    drop,
    victim(mayGo) {
      const candidate = window.length >= windowBlocks ? window.find(mayGo) : undefined;
      const incumbent = probation.find(mayGo) ?? guarded.find(mayGo);
      let key = candidate ?? incumbent ?? window.find(mayGo);
      if (candidate !== undefined && incumbent !== undefined && count(candidate) > count(incumbent)) {
        without(window, candidate);
        probation.push(candidate);
        key = incumbent;
      }
      if (key !== undefined) drop(key);
      return key;
    },
  };
}

export const SLOW_MODELS: SlowModels = {
  arc,
  belady: byOrder((a, b) => (a.nextUse === b.nextUse ? leastRecent(a, b) : b.nextUse - a.nextUse)),
  fifo: byOrder((a, b) => a.inserted - b.inserted),
  gdsf,
  "length-aware": byOrder((a, b) => b.depth - a.depth || leastRecent(a, b)),
  lfu: byOrder((a, b) => a.uses - b.uses || leastRecent(a, b)),
  // Without agents it is LRU; what it makes of them has tests of its own.
  "loop-aware": byOrder(leastRecent),
  lru: byOrder(leastRecent),
  "lru-leaf": byOrder(leastRecent),
  "s3-fifo": s3Fifo,
  sieve,
  slru,
  ttl: byOrder((a, b) => a.expires - b.expires || leastRecent(a, b)),
  "w-tinylfu": windowTinyLfu,
};
