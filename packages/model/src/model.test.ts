import { describe, expect, it } from "vitest";
import {
  chatRequestSchema,
  readChatConversation,
  readResponsesConversation,
  renderPrompt,
  responsesRequestSchema,
  subjectSchema,
} from "./index.ts";

const tool = { name: "read_file", description: "Reads", parameters: { type: "object" } };

describe("protocol readers", () => {
  it("read the same conversation from Responses and from Chat Completions", () => {
    const responses = responsesRequestSchema.parse({
      model: "m",
      input: [
        { role: "user", content: [{ type: "input_text", text: "fix it" }] },
        { type: "reasoning", id: "rs_1", summary: [] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "reading" }] },
        { type: "function_call", call_id: "c1", name: "read_file", arguments: '{"path":"a"}' },
        { type: "function_call_output", call_id: "c1", output: "text" },
      ],
      tools: [{ type: "function", ...tool }],
      unknown_field: { kept: true },
    });
    const chat = chatRequestSchema.parse({
      model: "m",
      messages: [
        { role: "user", content: "fix it" },
        {
          role: "assistant",
          content: "reading",
          tool_calls: [{ id: "c1", type: "function", function: { name: "read_file", arguments: '{"path":"a"}' } }],
        },
        { role: "tool", tool_call_id: "c1", content: "text" },
      ],
      tools: [{ type: "function", function: tool }],
    });
    expect(readResponsesConversation(responses)).toEqual(readChatConversation(chat));
    expect(responses.unknown_field).toEqual({ kept: true });
  });

  it("read custom tools alike from both, and results under their former role", () => {
    const format = { type: "grammar", syntax: "lark", definition: "start: /.+/" };
    const responses = responsesRequestSchema.parse({
      model: "m",
      input: [
        { type: "custom_tool_call", call_id: "c1", name: "exec", input: "1 + 1" },
        { type: "custom_tool_call_output", call_id: "c1", output: "2" },
      ],
    });
    const chat = chatRequestSchema.parse({
      model: "m",
      messages: [
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "c1", type: "custom", custom: { name: "exec", input: "1 + 1" } }],
        },
        { role: "function", name: "c1", content: "2" },
      ],
      tools: [{ type: "custom", custom: { name: "exec", format } }],
    });
    const { items, tools } = readChatConversation(chat);
    expect(items).toEqual(readResponsesConversation(responses).items);
    expect(tools).toEqual([{ name: "exec", description: "", parametersJson: JSON.stringify(format) }]);
    const nameless = { model: "m", messages: [{ role: "assistant", tool_calls: [{ id: "c", type: "custom" }] }] };
    expect(chatRequestSchema.safeParse(nameless).success).toBe(false);
  });

  it("renders a longer conversation as an extension of the shorter one", () => {
    const items = [
      { role: "user", content: "one" },
      { role: "assistant", content: "two" },
      { role: "user", content: "three" },
    ];
    const render = (n: number) =>
      [
        ...renderPrompt(readChatConversation(chatRequestSchema.parse({ model: "m", messages: items.slice(0, n) }))),
      ].join("");
    expect(render(3).startsWith(render(2))).toBe(true);
  });

  it("reads item types that it doesn't know as a whole, and still refuses a known one that is incomplete", () => {
    const unknown = { type: "compaction", id: "c", encrypted_content: "…" };
    const custom = { type: "custom_tool_call", call_id: "c", name: "exec", input: "1 + 1" };
    const request = responsesRequestSchema.parse({ model: "m", input: [unknown, custom] });
    expect(readResponsesConversation(request).items).toEqual([
      { type: "message", role: "developer", text: JSON.stringify(unknown) },
      { type: "tool_call", callId: "c", name: "exec", argumentsJson: "1 + 1" },
    ]);
    expect(responsesRequestSchema.safeParse({ model: "m", input: [{ type: "function_call" }] }).success).toBe(false);
  });

  it("names the field of a wrong body", () => {
    const result = chatRequestSchema.safeParse({ model: "m", messages: [{ role: "robot", content: "x" }] });
    expect(result.error?.issues[0]?.path).toEqual(["messages", 0, "role"]);
  });
});

it("an outcome's subject names at least one thing", () => {
  expect(subjectSchema.safeParse({}).success).toBe(false);
  expect(subjectSchema.safeParse({ task: "t" }).success).toBe(true);
  expect(subjectSchema.safeParse({ trace: "t" }).success).toBe(false);
});
