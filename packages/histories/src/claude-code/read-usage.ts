/** Usage as Claude's API writes it into each line of a response: counts beside each other, the writes split by lifetime. */
import type { HistoryUsage } from "@centspan/model";
import { countAt, type JsonObject, objectAt, textAt } from "../json-values.ts";

export function readClaudeUsage(usage: JsonObject): HistoryUsage {
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
