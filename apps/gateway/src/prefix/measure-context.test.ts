import type { Conversation } from "@centspan/model";
import { createDeltaTokenizer, getTokenizer } from "@centspan/tokens";
import { expect, it } from "vitest";
import { countOversized, describeTools, measurePrompt } from "./measure-context.ts";

const tool = (name: string) => ({ name, description: "", parametersJson: "{}" });
const result = (output: string) => ({ type: "tool_result" as const, callId: "1", output });
const said = (items: Conversation["items"]): Conversation => ({
  instructions: "be brief",
  tools: [tool("a"), tool("b")],
  items,
});

const tokenizer = await getTokenizer("m");
const measure = (conversation: Conversation) => createDeltaTokenizer({ tokenizer }).tokenize(conversation);
const count = (text: string): number => tokenizer.encode(text).length;

it("knows how long a prompt's beginning and its tools are", () => {
  const developer = { type: "message" as const, role: "developer" as const, text: "obey" };
  const conversation = said([developer, { type: "message", role: "user", text: "hi" }]);
  const sizes = measure(conversation);
  const tools = ["a", "b"].map((name) => count(`<|tool|>${name}\n\n{}`));
  const head = count("<|system|>be brief") + (tools[0] ?? 0) + (tools[1] ?? 0) + count("<|developer|>obey");
  const itemTokens = ["<|developer|>obey", "<|user|>hi"].map(count);
  expect(measurePrompt(conversation, sizes)).toEqual({ tokens: sizes.ids.length, headTokens: head, itemTokens });
  expect(describeTools(conversation, sizes, true)).toEqual({
    "centspan.tools.offered": ["a", "b"],
    "centspan.tools.offered_tokens": tools,
  });
  const called = said([{ type: "tool_call", callId: "1", name: "b", argumentsJson: "{}" }, result("")]);
  expect(describeTools(called, measure(called), false)).toEqual({ "centspan.tools.used": ["b"] });
});

it("counts what outputs have beyond where they would be cut", () => {
  const whole = "word ".repeat(8_000);
  expect(countOversized(said([result(whole)]), measure(said([result(whole)])))).toBeUndefined();
  const long = said([result(whole), result(whole + whole)]);
  expect(countOversized(long, measure(long))).toBe(Math.round(count(`<|result|>${whole}${whole}`) / 2));
});
