/**
 * Forwards an answer as it arrives, at the pace at which the client reads it.
 * A client that leaves once everything was generated is no abort: the rest is read for its usage. One that leaves
 * earlier cancels the upstream, unless its key wants the answer read to its end. Invariant: under the policy `hold` no byte goes out before all checks allowed it.
 */
import type { CallFacts } from "../protocols/protocol.ts";
import type { SafetyWatch } from "../stages/check-safety.ts";
import type { AnswerSink } from "../transports/answer-sink.ts";
import type { AnswerReader } from "./answer-reader.ts";
import type { UpstreamAnswer } from "./receive-answer.ts";
import { isAbort, selectResponseHeaders, translateUpstreamError } from "./upstream.ts";

export type ForwardOptions = {
  answer: UpstreamAnswer;
  sink: AnswerSink;
  reader: AnswerReader;
  facts: CallFacts;
  safety: SafetyWatch;
  /** What becomes of an answer whose client leaves before all of it was generated. */
  onDisconnect: "cancel" | "drain";
  /** Cancels the upstream request. */
  cancel(): void;
  /** The answer's bytes may differ from the upstream's. */
  rewrites: boolean;
};

export type Forwarded = { aborted: boolean; sentBytes: number };

/** How long bookkeeping that follows the generated text may take once nobody waits for it. */
const DRAIN_MS = 5_000;
/** How long a key that wants answers read to their end may have one generated for nobody. */
const LONGEST_DRAIN_MS = 300_000;

export async function forwardAnswer(options: ForwardOptions): Promise<Forwarded> {
  const { answer, sink, reader, safety } = options;
  const refusal = safety.policy === "hold" ? await safety.verdict : safety.refusal();
  if (refusal) {
    options.cancel();
    throw refusal;
  }
  const stopWatching = watchClientAndChecks(options);
  let sentBytes = 0;
  const send = async (parts: readonly Buffer[]): Promise<void> => {
    for (const part of parts) {
      if (sink.gone.aborted) return;
      sentBytes += part.length;
      await sink.write(part);
    }
  };
  try {
    begin(options);
    for await (const chunk of answer.body) await send(reader.take(chunk));
    await send(reader.end());
    sink.end();
    return { aborted: sink.gone.aborted && !options.facts.generated, sentBytes };
  } catch (thrown) {
    const refused = safety.refusal();
    if (refused) throw refused;
    if (sink.gone.aborted && isAbort(thrown)) return { aborted: !options.facts.generated, sentBytes };
    throw translateUpstreamError(thrown);
  } finally {
    stopWatching();
  }
}

function begin({ answer, sink, rewrites }: ForwardOptions): void {
  const headers = selectResponseHeaders(answer.headers);
  if (rewrites) delete headers["content-length"];
  sink.begin({ statusCode: answer.statusCode, headers });
}

function watchClientAndChecks({ facts, safety, sink: { gone }, onDisconnect, cancel }: ForwardOptions): () => void {
  let drain: NodeJS.Timeout | undefined;
  const onGone = (): void => {
    if (facts.generated) drain = setTimeout(cancel, DRAIN_MS);
    else if (onDisconnect === "drain") drain = setTimeout(cancel, LONGEST_DRAIN_MS);
    else cancel();
  };
  if (gone.aborted) onGone();
  else gone.addEventListener("abort", onGone, { once: true });
  let watching = true;
  void safety.verdict.then((refusal) => {
    if (watching && refusal) cancel();
  });
  return () => {
    watching = false;
    clearTimeout(drain);
    gone.removeEventListener("abort", onGone);
  };
}
