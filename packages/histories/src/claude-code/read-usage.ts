/**
 * Usage as Claude's API writes it into each line of a response: counts beside each other, the writes split by lifetime. What
 * a compaction within the request took, and a model that was asked for advice, are in `iterations` and not in the counts
 * above them.
 */
import type { HistoryUsage } from "@centspan/model";
import { countAt, isObject, type JsonObject, listAt, objectAt, textAt } from "../json-values.ts";

/** With what compactions within the request took, which is of the same model. */
export function readClaudeUsage(usage: JsonObject): HistoryUsage {
  return iterationsOf(usage, "compaction").map(readCounts).reduce(addUsage, readCounts(usage));
}

/** What other models took within the request, each by itself. */
export const readAdvice = (usage: JsonObject): { model: string; usage: HistoryUsage }[] =>
  iterationsOf(usage, "advisor_message").map((said) => ({ model: textAt(said, "model"), usage: readCounts(said) }));

const iterationsOf = (usage: JsonObject, type: string): JsonObject[] =>
  listAt(usage, "iterations").filter((said): said is JsonObject => isObject(said) && said.type === type);

const addUsage = (a: HistoryUsage, b: HistoryUsage): HistoryUsage => ({
  input: a.input + b.input,
  cacheRead: a.cacheRead + b.cacheRead,
  cacheWrite: a.cacheWrite + b.cacheWrite,
  cacheWrite1h: a.cacheWrite1h + b.cacheWrite1h,
  output: a.output + b.output,
  reasoning: a.reasoning + b.reasoning,
  webSearches: a.webSearches + b.webSearches,
  total: null,
});

function readCounts(usage: JsonObject): HistoryUsage {
  const cacheRead = countAt(usage, "cache_read_input_tokens");
  const split = objectAt(usage, "cache_creation");
  const [short, long] = [countAt(split, "ephemeral_5m_input_tokens"), countAt(split, "ephemeral_1h_input_tokens")];
  // Some releases write the split and leave the sum out.
  const cacheWrite = countAt(usage, "cache_creation_input_tokens") || short + long;
  return {
    input: countAt(usage, "input_tokens") + cacheRead + cacheWrite,
    cacheRead,
    cacheWrite,
    cacheWrite1h: long,
    output: countAt(usage, "output_tokens"),
    reasoning: countAt(objectAt(usage, "output_tokens_details"), "thinking_tokens"),
    webSearches: countAt(objectAt(usage, "server_tool_use"), "web_search_requests"),
    total: null,
  };
}

/** What a price depends on besides the model: the fast mode has one of its own. */
export const serviceTierOf = (usage: JsonObject): string =>
  textAt(usage, "speed") === "fast" ? "fast" : textAt(usage, "service_tier");
