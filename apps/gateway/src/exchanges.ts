/** Exchanges under way, whatever became of their connections: an answer may be read to its end for nobody. */
export type Exchanges = {
  /** Resolves with what is held. */
  hold(exchange: Promise<void>): Promise<void>;
  /** Resolves when none is under way. */
  settle(): Promise<void>;
};

/** `ended` is told of each. */
export function createExchanges(ended: () => void): Exchanges {
  const running = new Set<Promise<void>>();
  return {
    hold(exchange) {
      const held = exchange.finally(() => {
        running.delete(held);
        ended();
      });
      running.add(held);
      return held;
    },
    async settle() {
      await Promise.allSettled(running);
    },
  };
}
