import { describe, expect, it } from "vitest";
import { tool, translate, user } from "../testing/translate-responses.ts";

const messagesOf = (input: unknown) => translate({ input }).json.messages;

describe("a Responses request in Chat Completions", () => {
  it("says what both know", () => {
    const { json, dropped } = translate({
      instructions: "be brief",
      tools: [tool],
      tool_choice: { type: "function", name: "run" },
      max_output_tokens: 9,
      temperature: 0.5,
      reasoning: { effort: "low" },
      text: { format: { type: "json_schema", name: "a", schema: { type: "object" }, strict: true } },
      store: false,
      prompt_cache_key: "k",
    });
    expect(json).toEqual({
      model: "m",
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: "system", content: "be brief" },
        { role: "user", content: "hi" },
      ],
      tools: [
        {
          type: "function",
          function: { name: "run", description: "runs", parameters: { type: "object" }, strict: true },
        },
      ],
      tool_choice: { type: "function", function: { name: "run" } },
      max_tokens: 9,
      temperature: 0.5,
      reasoning_effort: "low",
      response_format: { type: "json_schema", json_schema: { name: "a", schema: { type: "object" }, strict: true } },
    });
    expect(dropped).toEqual([]);
  });

  it("keeps calls with the message that makes them, and results behind it", () => {
    expect(
      messagesOf([
        user("go"),
        { type: "reasoning", summary: [] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "ok" }] },
        { type: "function_call", call_id: "a", name: "run", arguments: '{"x":1}' },
        { type: "custom_tool_call", call_id: "b", name: "exec", input: "1+1" },
        { type: "function_call_output", call_id: "a", output: "one" },
        { type: "custom_tool_call_output", call_id: "b", output: [{ type: "input_text", text: "two" }] },
        { type: "function_call", call_id: "c", name: "run", arguments: "{}" },
      ]),
    ).toEqual([
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: "ok",
        tool_calls: [
          { id: "a", type: "function", function: { name: "run", arguments: '{"x":1}' } },
          { id: "b", type: "function", function: { name: "exec", arguments: '{"input":"1+1"}' } },
        ],
      },
      { role: "tool", tool_call_id: "a", content: "one" },
      { role: "tool", tool_call_id: "b", content: "two" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c", type: "function", function: { name: "run", arguments: "{}" } }],
      },
    ]);
  });

  it("shows images, and reads a developer as the system", () => {
    const image = { type: "input_image", image_url: "data:image/png;base64,AA==", detail: "low" };
    expect(
      messagesOf([
        { type: "message", role: "developer", content: "rules" },
        { type: "message", role: "user", content: [{ type: "input_text", text: "see" }, image] },
      ]),
    ).toEqual([
      { role: "system", content: "rules" },
      {
        role: "user",
        content: [
          { type: "text", text: "see" },
          { type: "image_url", image_url: { url: image.image_url, detail: "low" } },
        ],
      },
    ]);
  });

  it("takes tools from the input too, and names what it leaves out", () => {
    const extra = { type: "additional_tools", role: "developer", tools: [{ type: "custom", name: "exec" }] };
    const { json, dropped } = translate({
      input: [extra, { type: "reasoning", summary: [] }, user("hi"), { type: "reasoning", summary: [] }],
      tools: [tool, { type: "web_search" }],
      tool_choice: { type: "web_search" },
      text: { verbosity: "low" },
      max_tool_calls: 3,
    });
    expect(json.tools).toMatchObject([
      { function: { name: "run" } },
      { function: { name: "exec", parameters: { required: ["input"] } } },
    ]);
    expect(json.tool_choice).toBe("auto");
    const named = ["max_tool_calls", "tools[1]: web_search", "input: reasoning", "tool_choice", "text.verbosity"];
    expect(dropped).toEqual(named);
  });

  it("shows what tools show behind all that they say", () => {
    const output = (id: string, shown: unknown) => ({ type: "function_call_output", call_id: id, output: shown });
    const image = { type: "input_image", image_url: "data:image/png;base64,AA==" };
    expect(
      messagesOf([
        { type: "function_call", call_id: "a", name: "view", arguments: "{}" },
        { type: "function_call", call_id: "b", name: "run", arguments: "{}" },
        output("a", [{ type: "input_text", text: "see" }, image]),
        output("b", "done"),
        user("and?"),
      ]),
    ).toMatchObject([
      { role: "assistant" },
      { role: "tool", tool_call_id: "a", content: "see" },
      { role: "tool", tool_call_id: "b", content: "done" },
      { role: "user", content: [{ type: "image_url", image_url: { url: image.image_url } }] },
      { role: "user", content: "and?" },
    ]);
  });

  it.each([
    ["previous_response_id", "resp_1"],
    ["conversation", { id: "conv_1" }],
    ["prompt", { id: "pmpt_1" }],
    ["background", true],
  ])("refuses %s: what it stands for is kept elsewhere", (field, value) => {
    expect(() => translate({ [field]: value })).toThrow(expect.objectContaining({ field, code: "invalid_request" }));
    expect(() => translate({ [field]: null })).not.toThrow();
  });

  it.each([
    ["an item", [{ type: "compaction_trigger" }], "input[0].type"],
    ["a part", [{ type: "message", role: "user", content: [{ type: "input_file" }] }], "input[0].content[0].type"],
  ])("refuses %s that the model would see and the other has no words for", (_name, input, field) => {
    expect(() => messagesOf(input)).toThrow(expect.objectContaining({ field, code: "invalid_request" }));
  });
});
