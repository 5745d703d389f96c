import { expect, it } from "vitest";
import chat from "./chat-completions.ts";
import { createCallFacts } from "./protocol.ts";

it("has generated all when as many answers have ended as were asked for, or the stream says so", () => {
  const end = (index: number) => JSON.stringify({ choices: [{ index, delta: {}, finish_reason: "stop" }] });
  const facts = createCallFacts(2);
  chat.readEvent(end(0), facts);
  expect(facts.generated).toBe(false);
  chat.readEvent(end(1), facts);
  expect(facts.generated).toBe(true);
  const fewer = createCallFacts(2);
  for (const data of [end(0), "[DONE]"]) chat.readEvent(data, fewer);
  expect(fewer.generated).toBe(true);
});

it("takes the larger of its two limits: which one a server goes by is not known", () => {
  const read = (limits: object) =>
    chat.readRequest({ model: "m", messages: [{ role: "user", content: "hi" }], ...limits }).data?.maxOutputTokens;
  expect(read({ max_completion_tokens: 5, max_tokens: 100 })).toBe(100);
  expect(read({ max_completion_tokens: 5 })).toBe(5);
  expect(read({ max_tokens: 7, max_completion_tokens: null })).toBe(7);
  expect(read({})).toBeNull();
});
