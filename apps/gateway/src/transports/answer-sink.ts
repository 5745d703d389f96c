/**
 * Where an answer goes, whatever carries it: begun once with a status, then bytes at the pace at which the client reads,
 * then ended. Bytes are those of the HTTP answer; a transport that frames them otherwise cuts them itself.
 */
import type { CentspanError } from "@centspan/base";
import type { Departure } from "./departure.ts";

export type AnswerHead = { statusCode: number; headers: Record<string, string | string[]> };

export type AnswerSink = {
  /** Undefined before `begin`. */
  statusCode(): number | undefined;
  readonly gone: Departure;
  begin(head: AnswerHead): void;
  /** Resolves when the client can take more, or is gone. */
  write(part: Buffer): Promise<void>;
  end(): void;
  /** Instead of an answer, or of the rest of one. */
  fail(error: CentspanError): void;
};
