import { CentspanError } from "@centspan/base";
import { describe, expect, it } from "vitest";
import translation from "./responses-to-chat.ts";

const tool = { type: "function", name: "run", description: "runs", parameters: { type: "object" }, strict: true };
const user = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
const request = (more: object = {}) => ({ model: "m", input: [user("hi")], stream: true, ...more });
const messagesOf = (input: unknown) => translation.translate(request({ input })).json.messages;

describe("a Responses request in Chat Completions", () => {
  it("says what both know", () => {
    const { json, dropped } = translation.translate(
      request({
        instructions: "be brief",
        tools: [tool],
        tool_choice: { type: "function", name: "run" },
        max_output_tokens: 9,
        temperature: 0.5,
        reasoning: { effort: "low" },
        text: { format: { type: "json_schema", name: "a", schema: { type: "object" }, strict: true } },
        store: false,
        prompt_cache_key: "k",
      }),
    );
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
    const { json, dropped } = translation.translate(
      request({ input: [extra, user("hi")], tools: [tool, { type: "web_search" }], background: true }),
    );
    expect(json.tools).toMatchObject([
      { function: { name: "run" } },
      { function: { name: "exec", parameters: { required: ["input"] } } },
    ]);
    expect(dropped).toEqual(["background", "tools[1]: web_search"]);
  });

  it.each([
    ["an item", [{ type: "compaction_trigger" }], "input[0].type"],
    ["a part", [{ type: "message", role: "user", content: [{ type: "input_file" }] }], "input[0].content[0].type"],
  ])("refuses %s that the model would see and the other has no words for", (_name, input, field) => {
    expect(() => messagesOf(input)).toThrow(expect.objectContaining({ field, code: "invalid_request" }));
  });
});

type Event = { type: string; [member: string]: unknown };
const readEvents = (text: string): Event[] =>
  text
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => JSON.parse(event.slice(event.indexOf("data: ") + 6)));

const chunk = (delta: object, more: object = {}) =>
  JSON.stringify({ id: "c", model: "served", choices: [{ index: 0, delta, ...more }] });
const call = (index: number, name: string | undefined, text: string, id?: string) => ({
  tool_calls: [{ index, id, function: { name, arguments: text } }],
});
const usage = JSON.stringify({
  choices: [],
  usage: { prompt_tokens: 9, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 3 } },
});

function translateAnswer(chunks: readonly string[], more: object = {}): Event[] {
  const { answer } = translation.translate(request(more));
  return readEvents(chunks.map((data) => answer.event(data)).join("") + answer.end());
}

describe("a Chat Completions answer in Responses", () => {
  it("is thoughts, text and calls as items of their own, then usage", () => {
    const events = translateAnswer([
      chunk({ role: "assistant", reasoning_content: "hm" }),
      chunk({ content: "he" }),
      chunk({ content: "llo" }),
      chunk(call(0, "run", '{"x"', "id-0")),
      chunk(call(0, undefined, ":1}")),
      chunk(call(1, "run", "{}", "id-1")),
      chunk({}, { finish_reason: "tool_calls" }),
      usage,
      "[DONE]",
    ]);
    expect(events.map(({ type }) => type.replace("response.", ""))).toEqual([
      ...["created", "in_progress"],
      ...["output_item.added", "reasoning_text.delta", "reasoning_text.done", "output_item.done"],
      ...["output_item.added", "content_part.added", "output_text.delta", "output_text.delta"],
      ...["output_text.done", "content_part.done", "output_item.done"],
      ...["output_item.added", "function_call_arguments.delta", "function_call_arguments.delta"],
      ...["function_call_arguments.done", "output_item.done"],
      ...["output_item.added", "function_call_arguments.delta", "function_call_arguments.done", "output_item.done"],
      "completed",
    ]);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
    expect(events.at(-1)?.response).toMatchObject({
      status: "completed",
      output: [
        { type: "reasoning", content: [{ text: "hm" }] },
        { type: "message", content: [{ text: "hello" }] },
        { type: "function_call", call_id: "id-0", name: "run", arguments: '{"x":1}' },
        { type: "function_call", call_id: "id-1", name: "run", arguments: "{}" },
      ],
      usage: { input_tokens: 9, input_tokens_details: { cached_tokens: 3 }, output_tokens: 4, total_tokens: 13 },
    });
  });

  it.each([
    ["by ids, whatever their numbers", [call(0, "run", "{", "a"), call(0, undefined, "}"), call(0, "run", "{}", "b")]],
    ["by ids that every piece repeats", [call(0, "run", "{", "a"), call(0, "", "}", "a"), call(0, "run", "{}", "b")]],
    [
      "by their place, where all come at once",
      [{ tool_calls: [...call(0, "run", "{}").tool_calls, ...call(0, "run", "{}").tool_calls] }],
    ],
  ])("tells calls apart %s", (_how, deltas) => {
    const events = translateAnswer([
      ...deltas.map((delta) => chunk(delta)),
      chunk({}, { finish_reason: "tool_calls" }),
    ]);
    expect(events.at(-1)?.response).toMatchObject({
      output: [
        { type: "function_call", name: "run", arguments: "{}" },
        { type: "function_call", name: "run", arguments: "{}" },
      ],
    });
  });

  it("says of its settings what was asked for", () => {
    const settings = {
      tools: [tool],
      tool_choice: { type: "function", name: "run" },
      parallel_tool_calls: false,
      temperature: 0.25,
      top_p: 0.5,
      truncation: "auto",
      metadata: { a: "b" },
      text: { format: { type: "json_object" }, verbosity: "low" },
      reasoning: { effort: "low", summary: "auto" },
    };
    const events = translateAnswer([chunk({ content: "x" }, { finish_reason: "stop" })], settings);
    for (const event of [events[0], events.at(-1)]) expect(event?.response).toMatchObject(settings);
    const [plain] = translateAnswer([chunk({ content: "x" }, { finish_reason: "stop" })]);
    expect(plain?.response).toMatchObject({ tool_choice: "auto", parallel_tool_calls: true, tools: [], metadata: {} });
  });

  it("gives tools of free text their text back", () => {
    const tools = [{ type: "custom", name: "exec" }];
    const events = translateAnswer(
      [
        chunk(call(0, "exec", '{"input":', "id-0")),
        chunk(call(0, undefined, '"a\\nb"}')),
        chunk({}, { finish_reason: "tool_calls" }),
      ],
      { tools },
    );
    expect(events.at(-1)?.response).toMatchObject({
      output: [{ type: "custom_tool_call", call_id: "id-0", name: "exec", input: "a\nb" }],
      usage: null,
    });
  });

  it.each([
    ["length", "max_output_tokens"],
    ["content_filter", "content_filter"],
  ])("that ends by %s is incomplete", (finish_reason, reason) => {
    const events = translateAnswer([chunk({ content: "x" }, { finish_reason })]);
    expect(events.at(-1)).toMatchObject({ type: "response.incomplete", response: { incomplete_details: { reason } } });
  });

  it("that breaks off, or says that it failed, is no answer", () => {
    for (const chunks of [[chunk({ content: "x" })], [chunk({ content: "x" }), '{"error":{"message":"oom"}}']]) {
      expect(() => translateAnswer(chunks)).toThrow(CentspanError);
    }
  });

  it("in one piece is one response", () => {
    const { answer } = translation.translate(request({ stream: false }));
    const message = {
      role: "assistant",
      content: "hello",
      tool_calls: [{ id: "a", function: { name: "run", arguments: "{}" } }],
    };
    expect(answer.whole({ id: "c", choices: [{ index: 0, message, finish_reason: "tool_calls" }] })).toMatchObject({
      object: "response",
      status: "completed",
    });
  });
});
