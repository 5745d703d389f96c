/** What a gateway tokenized again that it, or another one, had tokenized in the conversation before. */
import type { SpanRecord, WatchedCall } from "@centspan/model";
import { readCount, readText, secondsOf } from "./attributes.ts";

const LEAST_TOKENS = 1_000;

/** Null where it is not worth a word. */
export function findRepeatedTokens(at: WatchedCall): { span: SpanRecord; tokens: number; seconds: number } | null {
  const [span] = at.stages("api.tokenize");
  const fresh = span && readCount(span.attributes, "centspan.tokens.new");
  if (span === undefined || fresh === undefined || fresh === null || at.before === null) return null;
  if (readText(at.attributes, "centspan.prefix.kept") === "false") return null;
  const tokens = fresh - Math.max(0, at.promptTokens - at.before.promptTokens);
  return tokens < LEAST_TOKENS ? null : { span, tokens, seconds: (secondsOf(span) * tokens) / fresh };
}
