/** Exchanges under way, whatever became of their connections: an answer may be read to its end for nobody. */
export type Exchanges = {
  /** Resolves with what is held. */
  hold(exchange: Promise<void>): Promise<void>;
  /** Resolves when none is under way. */
  settle(): Promise<void>;
};

/** `ended` is told of each. They are counted and not listed: a set that so many enter and leave keeps those that have left. */
export function createExchanges(ended: () => void): Exchanges {
  let running = 0;
  let settled: (() => void)[] = [];
  return {
    hold(exchange) {
      running += 1;
      return exchange.finally(() => {
        running -= 1;
        ended();
        if (running > 0) return;
        for (const resolve of settled) resolve();
        settled = [];
      });
    },
    async settle() {
      if (running > 0) await new Promise<void>((resolve) => settled.push(resolve));
    },
  };
}
