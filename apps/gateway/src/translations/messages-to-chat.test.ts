import { CentspanError } from "@centspan/base";
import { describe, expect, it } from "vitest";
import { chunk, readEvents, type SentEvent, TURN, usage } from "../testing/chat-chunks.ts";
import translation from "./messages-to-chat.ts";

const tool = { name: "run", description: "runs", input_schema: { type: "object" }, cache_control: {} };
const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown) => ({ role: "assistant", content });
const PROMPT_TOKENS = 20;
const translate = (more: object = {}) =>
  translation.translate({ model: "m", max_tokens: 100, messages: [user("hi")], stream: true, ...more }, PROMPT_TOKENS);
const messagesOf = (...messages: object[]) => translate({ messages }).json.messages;
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } };
const shown = { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } };

describe("a Messages request in Chat Completions", () => {
  it("says what both know", () => {
    const { json, dropped } = translate({
      system: [
        { type: "text", text: "be brief", cache_control: { type: "ephemeral" } },
        { type: "text", text: "be kind" },
      ],
      tools: [tool],
      temperature: 0.5,
      stop_sequences: ["END"],
      output_config: { effort: "low", format: { type: "json_schema", schema: { type: "object" } } },
      metadata: { user_id: "u" },
    });
    expect(json).toEqual({
      model: "m",
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: "system", content: "be brief\nbe kind" },
        { role: "user", content: "hi" },
      ],
      tools: [{ type: "function", function: { name: "run", description: "runs", parameters: { type: "object" } } }],
      max_tokens: 100,
      temperature: 0.5,
      stop: ["END"],
      reasoning_effort: "low",
      response_format: { type: "json_schema", json_schema: { name: "answer", schema: { type: "object" } } },
    });
    expect(dropped).toEqual([]);
  });

  it("keeps calls with the message that makes them, and results before what else is said", () => {
    expect(
      messagesOf(
        user([{ type: "text", text: "go" }]),
        assistant([
          { type: "thinking", thinking: "hm", signature: "s" },
          { type: "text", text: "ok" },
          { type: "tool_use", id: "a", name: "run", input: { x: 1 } },
          { type: "tool_use", id: "b", name: "run", input: "not {json" },
        ]),
        user([
          { type: "tool_result", tool_use_id: "a", content: "one" },
          { type: "tool_result", tool_use_id: "b", content: [{ type: "text", text: "two" }, image] },
          { type: "text", text: "and now" },
        ]),
        { role: "system", content: "by the way" },
        assistant([{ type: "tool_use", id: "c", name: "run", input: {} }]),
        user([{ type: "tool_result", tool_use_id: "c" }]),
      ),
    ).toEqual([
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: "ok",
        tool_calls: [
          { id: "a", type: "function", function: { name: "run", arguments: '{"x":1}' } },
          { id: "b", type: "function", function: { name: "run", arguments: "not {json" } },
        ],
      },
      { role: "tool", tool_call_id: "a", content: "one" },
      { role: "tool", tool_call_id: "b", content: "two" },
      { role: "user", content: [shown, { type: "text", text: "and now" }] },
      { role: "system", content: "by the way" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c", type: "function", function: { name: "run", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c", content: "" },
    ]);
  });

  it("shows images and documents of text", () => {
    const document = (source: object) => ({ type: "document", source });
    const address = "https://example.com/a.png";
    expect(
      messagesOf(
        user([image, { type: "image", source: { type: "url", url: address } }]),
        user([
          document({ type: "text", media_type: "text/plain", data: "page" }),
          document({ type: "content", content: [{ type: "text", text: "more" }] }),
        ]),
      ),
    ).toEqual([
      { role: "user", content: [shown, { type: "image_url", image_url: { url: address } }] },
      { role: "user", content: "page\nmore" },
    ]);
  });

  it.each([
    [{ type: "auto" }, { tool_choice: "auto" }],
    [
      { type: "any", disable_parallel_tool_use: true },
      { tool_choice: "required", parallel_tool_calls: false },
    ],
    [{ type: "none" }, { tool_choice: "none" }],
    [{ type: "tool", name: "run" }, { tool_choice: { type: "function", function: { name: "run" } } }],
  ])("chooses tools by %j", (choice, chosen) => {
    expect(translate({ tools: [tool], tool_choice: choice }).json).toMatchObject(chosen);
  });

  it("names what it leaves out", () => {
    const failed = { type: "tool_result", tool_use_id: "a", content: "no", is_error: true };
    const { json, dropped } = translate({
      messages: [
        assistant([
          { type: "thinking", thinking: "hm", signature: "s" },
          { type: "redacted_thinking", data: "x" },
        ]),
        user([failed]),
        assistant([{ type: "thinking", thinking: "so", signature: "s" }]),
      ],
      tools: [{ type: "web_search_20250305", name: "web_search" }, tool],
      thinking: { type: "adaptive" },
      context_management: { edits: [] },
      top_k: 5,
    });
    expect(json.tools).toHaveLength(1);
    expect(dropped.sort()).toEqual([
      ...["context_management", "messages: redacted_thinking", "messages: thinking"],
      ...["messages[1].content[0].is_error", "thinking"],
      ...["tools[0]: web_search_20250305", "top_k"],
    ]);
  });

  it.each([
    ["a block", { messages: [user([{ type: "search_result" }])] }, "messages[0].content[0].type"],
    [
      "a block of a result",
      { messages: [user([{ type: "tool_result", tool_use_id: "a", content: [{ type: "search_result" }] }])] },
      "messages[0].content[0].content[0].type",
    ],
    [
      "a document of bytes",
      { messages: [user([{ type: "document", source: { type: "base64", media_type: "application/pdf", data: "" } }])] },
      "messages[0].content[0].source.type",
    ],
    ["an image without a source", { messages: [user([{ type: "image" }])] }, "messages[0].content[0].source"],
    ["an answer of no tokens", { max_tokens: 0 }, "max_tokens"],
    ["a choice", { tools: [tool], tool_choice: { type: "maybe" } }, "tool_choice.type"],
  ])("refuses %s that the model would see and the other has no words for", (_name, more, field) => {
    expect(() => translate(more)).toThrow(expect.objectContaining({ field, code: "invalid_request" }));
  });
});

function translateAnswer(chunks: readonly string[]): SentEvent[] {
  const { answer } = translate();
  return readEvents(chunks.map((data) => answer.event(data)).join("") + answer.end());
}

describe("a Chat Completions answer in Messages", () => {
  it("is text and calls as blocks of their own, thoughts left out, then usage", () => {
    const events = translateAnswer(TURN);
    const block = (index: number, content_block: object) => ({ type: "content_block_start", index, content_block });
    const delta = (index: number, said: object) => ({ type: "content_block_delta", index, delta: said });
    const json = (index: number, partial_json: string) => delta(index, { type: "input_json_delta", partial_json });
    const text = (said: string) => delta(0, { type: "text_delta", text: said });
    const called = (id: string) => ({ type: "tool_use", id, name: "run", input: {} });
    expect(events).toMatchObject([
      { type: "message_start", message: { model: "m", content: [], usage: { input_tokens: PROMPT_TOKENS } } },
      { type: "ping" },
      block(0, { type: "text", text: "" }),
      text("he"),
      text("llo"),
      { type: "content_block_stop", index: 0 },
      block(1, called("id-0")),
      json(1, '{"x"'),
      json(1, ":1}"),
      { type: "content_block_stop", index: 1 },
      block(2, called("id-1")),
      json(2, "{}"),
      { type: "content_block_stop", index: 2 },
      {
        type: "message_delta",
        delta: { stop_reason: "tool_use", stop_sequence: null },
        usage: { input_tokens: 6, cache_read_input_tokens: 3, output_tokens: 4 },
      },
      { type: "message_stop" },
    ]);
  });

  it.each([
    [{ finish_reason: "stop" }, { stop_reason: "end_turn", stop_sequence: null }],
    [
      { finish_reason: "stop", stop_reason: 128_009 },
      { stop_reason: "end_turn", stop_sequence: null },
    ],
    [
      { finish_reason: "stop", stop_reason: "END" },
      { stop_reason: "stop_sequence", stop_sequence: "END" },
    ],
    [
      { finish_reason: "stop", matched_stop: "END" },
      { stop_reason: "stop_sequence", stop_sequence: "END" },
    ],
    [{ finish_reason: "length" }, { stop_reason: "max_tokens", stop_sequence: null }],
    [{ finish_reason: "content_filter" }, { stop_reason: "refusal", stop_sequence: null }],
  ])("that ends by %j says so", (end, stop) => {
    const events = translateAnswer([chunk({ content: "x".repeat(40) }, end)]);
    // Without a report of usage what was shown is estimated.
    expect(events.at(-2)).toMatchObject({ delta: stop, usage: { input_tokens: PROMPT_TOKENS, output_tokens: 10 } });
  });

  it("that breaks off, or says that it failed, is no answer", () => {
    for (const chunks of [[chunk({ content: "x" })], [chunk({ content: "x" }), '{"error":{"message":"oom"}}']]) {
      expect(() => translateAnswer(chunks)).toThrow(CentspanError);
    }
  });

  it.each([
    [
      "tool_calls",
      "tool_use",
      [
        { id: "a", input: { x: 1 } },
        { id: "b", input: "not {json" },
      ],
    ],
    // Some servers say no more than that it stopped.
    [
      "stop",
      "tool_use",
      [
        { id: "a", input: { x: 1 } },
        { id: "b", input: "not {json" },
      ],
    ],
    // What was cut off is no call.
    ["length", "max_tokens", [{ id: "a", input: { x: 1 } }]],
  ])("in one piece that ends by %s is one message", (finish_reason, stop_reason, calls) => {
    const { answer, dropped } = translate({ stream: false });
    const message = {
      role: "assistant",
      content: "hello",
      reasoning: "hm",
      tool_calls: [
        { id: "n", function: { name: "run", arguments: "" } },
        { id: "a", function: { name: "run", arguments: '{"x":1}' } },
        { id: "b", function: { name: "run", arguments: "not {json" } },
      ],
    };
    const whole = { ...JSON.parse(usage), choices: [{ index: 0, message, finish_reason }] };
    expect(answer.whole(whole)).toEqual({
      id: answer.id,
      type: "message",
      role: "assistant",
      model: "m",
      content: [
        { type: "text", text: "hello" },
        { type: "tool_use", name: "run", id: "n", input: {} },
        ...calls.map((each) => ({ type: "tool_use", name: "run", ...each })),
      ],
      stop_reason,
      stop_sequence: null,
      usage: expect.objectContaining({ input_tokens: 6, cache_read_input_tokens: 3, output_tokens: 4 }),
    });
    expect(dropped).toEqual(["answer: reasoning"]);
  });
});
