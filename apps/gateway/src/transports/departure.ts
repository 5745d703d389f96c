/**
 * Whether a client left before it had everything, and who is told of it. No AbortSignal: one for every call, with what listens
 * to it, outlives the engine's small collections.
 */
export type Departure = {
  readonly happened: boolean;
  /** Calls `listener` once: at once where it happened, and never after what this returns was called. */
  listen(listener: () => void): () => void;
};

export function createDeparture(): Departure & { tell(): void } {
  let happened = false;
  let listeners: (() => void)[] = [];
  return {
    get happened() {
      return happened;
    },
    listen(listener) {
      if (happened) listener();
      else listeners.push(listener);
      return () => {
        listeners = listeners.filter((each) => each !== listener);
      };
    },
    tell() {
      happened = true;
      for (let next = listeners.shift(); next !== undefined; next = listeners.shift()) next();
    },
  };
}
