/**
 * A request said in another protocol, and the answer to it said back: so that a client of one reaches a server of another.
 * What the other protocol has no words for and the model would see is refused; what only the provider would use is dropped
 * and named.
 */
import type { InferenceProtocol } from "../protocols/protocol.ts";

export type TranslatedRequest = {
  /** Goes to the upstream. */
  json: Record<string, unknown>;
  /** Paths of what was left out; of the answer as it comes. */
  dropped: readonly string[];
  answer: AnswerTranslator;
};

export type AnswerTranslator = {
  /** What the client is told that the answer is called. */
  id: string;
  /** An answer in one piece. */
  whole(json: unknown): unknown;
  /** The data of one event → server-sent events of the client's protocol. */
  event(data: string): string;
  /** An error instead of an answer; absent where both protocols say it alike. */
  writeRefusal?(json: unknown, statusCode: number): object;
  /** What is left to say when the stream has ended. Throws `upstream_failed` where it ended too early. */
  end(): string;
};

export type Translation = {
  /** Id of the client's protocol. */
  from: string;
  to: InferenceProtocol;
  /**
   * Throws `invalid_request` for what can't be said. The request has passed the client's protocol; its prompt was counted
   * here, for clients that want to know before the server says.
   */
  translate(json: unknown, promptTokens: number): TranslatedRequest;
};
