/** So many at once: who comes while all places are taken waits for one, in the order of coming. */

/** Calls `go` once there is a place. What is returned gives it back, or ends the waiting; it may be called again. */
export type EnterPlace = (go: () => void) => () => void;

export function createPlaces(count: number): EnterPlace {
  const waiting = new Set<() => void>();
  let taken = 0;
  const callNext = (): void => {
    const [next] = waiting;
    if (next === undefined) return;
    waiting.delete(next);
    next();
  };
  return (go) => {
    let state: "waiting" | "in" | "gone" = "waiting";
    const take = (): void => {
      state = "in";
      taken += 1;
      go();
    };
    if (taken < count) take();
    else waiting.add(take);
    return () => {
      const was = state;
      state = "gone";
      waiting.delete(take);
      if (was !== "in") return;
      taken -= 1;
      callNext();
    };
  };
}
