/** Lets any number of readers in at once, and whoever changes something alone, in the order of their coming. */
export type ReadingLock = <T>(isReader: boolean, work: () => Promise<T>) => Promise<T>;

export function createReadingLock(): ReadingLock {
  let latestChange: Promise<unknown> = Promise.resolve();
  let readers: Promise<unknown>[] = [];
  return (isReader, work) => {
    const before = isReader ? latestChange : Promise.allSettled([latestChange, ...readers]);
    const done = before.then(work, work);
    const settled = done.catch(() => undefined);
    if (isReader) readers.push(settled);
    else {
      latestChange = settled;
      readers = [];
    }
    return done;
  };
}
