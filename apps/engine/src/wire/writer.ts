/**
 * A writer turns the tokens of one answer into a protocol's events, and into the whole object for a caller that does
 * not stream. Pure: what it returns depends on the calls alone.
 */
import type { CentspanError } from "@centspan/base";
import type { ResponsesUsage } from "@centspan/model";
import type { OutputPlan } from "../plan-output.ts";

export type Usage = ResponsesUsage;

export type WriterOptions = { id: string; model: string; createdAtS: number; plan: OutputPlan };

export type Writer = {
  /** Server-sent events, ready for the wire. */
  start(): string;
  /** The prompt is computed, and the first token about to come. */
  begin(prompt: Pick<Usage, "inputTokens" | "cachedTokens">): string;
  token(index: number): string;
  finish(usage: Usage): string;
  fail(error: CentspanError): string;
  /** The answer as one object, once finished. */
  result(): unknown;
};
