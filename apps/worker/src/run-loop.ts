/**
 * Runs a pass again and again: at once while there is work, else after the interval. A pass that fails is repeated
 * with growing pauses; the failure is said once, and so is the recovery.
 */
type LoopOptions = {
  /** Whether there was work. */
  pass(): Promise<boolean>;
  intervalMs: number;
  maxPauseMs: number;
  /** Rests at least this many times as long as the pass took; 0 unless given. */
  rest?: number;
  say(text: string): void;
};

export type Loop = {
  /** Somebody waits: the rest under way ends, or the one after the running pass is left out. */
  hurry(): void;
  /** The failure that passes end with at present. */
  failure(): unknown;
  /** Resolves when the running pass has ended. */
  stop(): Promise<void>;
};

export function startLoop({ pass, intervalMs, maxPauseMs, rest = 0, say }: LoopOptions): Loop {
  const stopping = new AbortController();
  let failure: unknown = null;
  let failures = 0;
  let isHurried = false;
  let wake = (): void => {};

  const runOnce = async (): Promise<number> => {
    try {
      const startedAtMs = performance.now();
      const worked = await pass();
      const restMs = rest * (performance.now() - startedAtMs);
      if (failures > 0) say("works again");
      failure = null;
      failures = 0;
      return Math.max(worked ? 0 : intervalMs, restMs);
    } catch (error) {
      if (failures === 0) say(`fails, and is repeated until it works: ${describe(error)}`);
      failure = error;
      failures += 1;
      return Math.min(intervalMs * 2 ** failures, maxPauseMs);
    }
  };

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const ended = (async () => {
    while (!stopping.signal.aborted) {
      isHurried = false;
      const restMs = await runOnce();
      if (!isHurried && restMs > 0 && !stopping.signal.aborted) await pause(restMs);
    }
  })();
  return {
    hurry() {
      isHurried = true;
      wake();
    },
    failure: () => failure,
    async stop() {
      stopping.abort();
      wake();
      await ended;
    },
  };
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));
