/**
 * Forwards an answer as it arrives, at the pace at which the client reads it; what a client that leaves means is not decided here.
 * Invariant: under the policy `hold` no byte goes out before all checks allowed it.
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
  /** Cancels the upstream request. */
  cancel(): void;
  /** The answer's bytes may differ from the upstream's. */
  rewrites: boolean;
};

export type Forwarded = { aborted: boolean; sentBytes: number };

export async function forwardAnswer(options: ForwardOptions): Promise<Forwarded> {
  const { answer, sink, reader, safety } = options;
  const refusal = safety.policy === "hold" ? await safety.verdict : safety.refusal();
  if (refusal) {
    options.cancel();
    throw refusal;
  }
  let isOpen = true;
  void safety.verdict.then((late) => {
    if (isOpen && late !== null) options.cancel();
  });
  let sentBytes = 0;
  const send = async (parts: readonly Buffer[]): Promise<void> => {
    for (const part of parts) {
      if (sink.gone.happened) return;
      sentBytes += part.length;
      await sink.write(part);
    }
  };
  try {
    begin(options);
    for await (const chunk of answer.body) await send(reader.take(chunk));
    await send(reader.end());
    sink.end();
    return { aborted: sink.gone.happened && !options.facts.generated, sentBytes };
  } catch (thrown) {
    const refused = safety.refusal();
    if (refused) throw refused;
    if (sink.gone.happened && isAbort(thrown)) return { aborted: !options.facts.generated, sentBytes };
    throw translateUpstreamError(thrown);
  } finally {
    isOpen = false;
  }
}

function begin({ answer, sink, rewrites }: ForwardOptions): void {
  const headers = selectResponseHeaders(answer.headers);
  if (rewrites) delete headers["content-length"];
  sink.begin({ statusCode: answer.statusCode, headers });
}
