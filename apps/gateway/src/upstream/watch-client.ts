/**
 * What becomes of an answer whose client leaves, from when it is asked for to its end. Once everything was generated the rest is
 * read for its usage, and that is no abort; earlier the upstream is cancelled, unless the key wants answers read to their end.
 */
import type { KeyRules } from "@centspan/model";
import type { CallFacts } from "../protocols/protocol.ts";
import type { Departure } from "../transports/departure.ts";

/**
 * How long bookkeeping that follows the generated text may take once nobody waits for it. The call's span ends with it, and the
 * client's own record of the call (Codex's) is known for the same within five seconds.
 */
const DRAIN_MS = 2_000;
/** How long a key that wants answers read to their end may have one generated for nobody. */
const LONGEST_DRAIN_MS = 300_000;

export type Watched = {
  facts: CallFacts;
  onDisconnect: KeyRules["onDisconnect"];
  /** Cancels the upstream request. */
  cancel(): void;
};

/** Returns how to stop watching. */
export function watchClient(gone: Departure, { facts, onDisconnect, cancel }: Watched): () => void {
  let drain: NodeJS.Timeout | undefined;
  const stopListening = gone.listen(() => {
    if (facts.generated) drain = setTimeout(cancel, DRAIN_MS);
    else if (onDisconnect === "drain") drain = setTimeout(cancel, LONGEST_DRAIN_MS);
    else cancel();
  });
  return () => {
    clearTimeout(drain);
    stopListening();
  };
}
