import { expect, it } from "vitest";
import { isContent, splitContent } from "./content.ts";

it.each([
  ["gen_ai.input.messages", "[]", true],
  ["gen_ai.output.messages", "1", true],
  ["gen_ai.system_instructions", "be kind", true],
  ["gen_ai.tool.call.arguments", "{}", true],
  ["gen_ai.tool.call.result", "42", true],
  ["gen_ai.tool.description", "reads files", true],
  ["gen_ai.prompt.0.content", "hello", true],
  ["gen_ai.evaluation.explanation", "because", true],
  ["llm.input_messages.0.message.content", "hello", true],
  ["input.value", "42", true],
  ["ai.prompt", "hello", true],
  ["exception.stacktrace", "at …", true],
  ["db.query.text", "SELECT 1", true],
  ["http.request.header.authorization", "Bearer …", true],
  ["url.full", "https://h/?q=hello", true],
  ["process.command_args", "--prompt hello", true],
  ["centspan.prompt.title", "Fix the login", true],
  ["something.new", "hello", true],
  ["servers.hello", "x", true],
  ["gen_ai.system2", "x", true],
  // A name of a measure with a text in it is a text.
  ["llm.token_count.prompt", "hello", true],
  ["llm.token_count.prompt", "1200", false],
  ["latency_ms", "12.5", false],
  ["gen_ai.usage.input_tokens", "10", false],
  ["gen_ai.request.model", "gpt-5", false],
  ["gen_ai.system", "openai", false],
  ["centspan.task.title", "bug 12", false],
  ["service.name", "gateway", false],
  ["vcs.ref.head.name", "main", false],
  ["error.type", "timeout", false],
])("%s = %s is content: %s", (name, value, content) => expect(isContent(name, value)).toBe(content));

it("keeps what is plain, and names the rest", () => {
  expect(splitContent({ "gen_ai.request.model": "m", "ai.prompt": "hello", "input.value": "1" })).toEqual({
    plain: { "gen_ai.request.model": "m" },
    hidden: ["ai.prompt", "input.value"],
  });
});
