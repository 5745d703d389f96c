/**
 * Forwards an answer as it arrives, at the pace at which the client reads it.
 * A client that leaves once everything was generated is no abort: the rest is read for its usage. One that leaves
 * earlier cancels the upstream. Invariant: under the policy `hold` no byte goes out before all checks allowed it.
 */
import type { ServerResponse } from "node:http";
import type { Dispatcher } from "undici";
import type { CallFacts } from "../protocols/protocol.ts";
import type { SafetyWatch } from "../stages/check-safety.ts";
import type { AnswerReader } from "./answer-reader.ts";
import { isAbort, selectResponseHeaders, translateUpstreamError } from "./upstream.ts";

export type ForwardOptions = {
  answer: Dispatcher.ResponseData;
  response: ServerResponse;
  reader: AnswerReader;
  facts: CallFacts;
  safety: SafetyWatch;
  clientGone: AbortSignal;
  /** Cancels the upstream request. */
  cancel(): void;
  /** The answer's bytes may differ from the upstream's. */
  rewrites: boolean;
};

export type Forwarded = { aborted: boolean; sentBytes: number };

/** How long bookkeeping that follows the generated text may take once nobody waits for it. */
const DRAIN_MS = 5_000;

export async function forwardAnswer(options: ForwardOptions): Promise<Forwarded> {
  const { answer, response, reader, safety, clientGone } = options;
  const refusal = safety.policy === "hold" ? await safety.verdict : safety.refusal();
  if (refusal) {
    options.cancel();
    throw refusal;
  }
  const stopWatching = watchClientAndChecks(options);
  let sentBytes = 0;
  const send = async (parts: readonly Buffer[]): Promise<void> => {
    for (const part of parts) {
      if (clientGone.aborted) return;
      sentBytes += part.length;
      if (!response.write(part)) await waitForRoom(response);
    }
  };
  try {
    writeHead(options);
    for await (const chunk of answer.body) await send(reader.take(chunk));
    await send(reader.end());
    response.end();
    return { aborted: clientGone.aborted && !options.facts.generated, sentBytes };
  } catch (thrown) {
    const refused = safety.refusal();
    if (refused) throw refused;
    if (clientGone.aborted && isAbort(thrown)) return { aborted: !options.facts.generated, sentBytes };
    throw translateUpstreamError(thrown);
  } finally {
    stopWatching();
  }
}

function writeHead({ answer, response, rewrites }: ForwardOptions): void {
  const headers = selectResponseHeaders(answer.headers);
  if (rewrites) delete headers["content-length"];
  response.statusCode = answer.statusCode;
  // Set one by one, they can still be read when an error has to know what kind of answer it ends.
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.flushHeaders();
}

function watchClientAndChecks({ facts, safety, clientGone, cancel }: ForwardOptions): () => void {
  let drain: NodeJS.Timeout | undefined;
  const onGone = (): void => {
    if (facts.generated) drain = setTimeout(cancel, DRAIN_MS);
    else cancel();
  };
  if (clientGone.aborted) onGone();
  else clientGone.addEventListener("abort", onGone, { once: true });
  let watching = true;
  void safety.verdict.then((refusal) => {
    if (watching && refusal) cancel();
  });
  return () => {
    watching = false;
    clearTimeout(drain);
    clientGone.removeEventListener("abort", onGone);
  };
}

/** Resolves when the client has read enough, or is gone. */
function waitForRoom(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.once("drain", done).once("close", done);
    if (response.destroyed) done();
  });
}
