import { expect, it } from "vitest";
import { isUsageAttribute } from "./index.ts";

it.each([
  "gen_ai.usage.input_tokens",
  "gen_ai.usage.prompt_tokens",
  "llm.token_count.prompt",
  "ai.usage.promptTokens",
  "input_tokens",
  "cache_read_tokens",
  "input_token_count",
  "langfuse.observation.usage_details",
  "some_new_emitter.usage.in",
])("%s carries usage", (name) => expect(isUsageAttribute(name)).toBe(true));

it.each(["gen_ai.request.max_tokens", "usages", "tokens", "token", "http.request.body.size", "disk.used", ""])(
  "%j does not",
  (name) => expect(isUsageAttribute(name)).toBe(false),
);
