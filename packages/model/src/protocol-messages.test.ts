import { CentspanError } from "@centspan/base";
import { describe, expect, it } from "vitest";
import {
  chatRequestSchema,
  messagesRequestSchema,
  readChatConversation,
  readMessagesConversation,
  toErrorAt,
} from "./index.ts";

const read = (body: object) =>
  readMessagesConversation(messagesRequestSchema.parse({ model: "m", max_tokens: 10, ...body }));

describe("a Messages request", () => {
  it("is the conversation that Chat Completions would tell", () => {
    const parameters = { type: "object" };
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
      tools: [{ type: "function", function: { name: "read_file", description: "Reads", parameters } }],
    });
    const messages = read({
      messages: [
        { role: "user", content: [{ type: "text", text: "fix it", cache_control: { type: "ephemeral" } }] },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm", signature: "s" },
            { type: "text", text: "reading" },
            { type: "tool_use", id: "c1", name: "read_file", input: { path: "a" } },
          ],
        },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "text" }] }],
        },
      ],
      tools: [{ name: "read_file", description: "Reads", input_schema: parameters }],
    });
    expect(messages).toEqual(readChatConversation(chat));
  });

  it("has its system text from blocks, or in the midst of the messages", () => {
    const conversation = read({
      system: [
        { type: "text", text: "a" },
        { type: "text", text: "b", cache_control: { type: "ephemeral", ttl: "1h" } },
      ],
      messages: [
        { role: "user", content: "hi" },
        { role: "system", content: "agents: none" },
      ],
    });
    expect(conversation).toEqual({
      instructions: "ab",
      tools: [],
      items: [
        { type: "message", role: "user", text: "hi" },
        { type: "message", role: "system", text: "agents: none" },
      ],
    });
  });

  it("takes texts beside each other for one and leaves bytes aside; unknown blocks count as their JSON", () => {
    const source = { type: "base64", media_type: "image/png", data: "AAAA" };
    const search = { type: "server_tool_use", id: "s", name: "web_search", input: { query: "q" } };
    const { items } = read({
      messages: [
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "c" },
            { type: "text", text: "a" },
            { type: "image", source },
            { type: "document", source: { type: "text", media_type: "text/plain", data: "b" } },
          ],
        },
        { role: "assistant", content: [search] },
      ],
    });
    expect(items).toEqual([
      { type: "tool_result", callId: "c", output: "" },
      { type: "message", role: "user", text: "ab" },
      { type: "message", role: "assistant", text: JSON.stringify(search) },
    ]);
  });

  it("reads alike with a mark on a block and without: the mark moves every turn", () => {
    const block = { type: "text", text: "hi" };
    const marked = { ...block, cache_control: { type: "ephemeral" } };
    expect(read({ messages: [{ role: "user", content: [marked] }] })).toEqual(
      read({ messages: [{ role: "user", content: [block] }] }),
    );
  });

  it.each([
    [{ messages: [] }, ["messages"]],
    [{ messages: [{ role: "robot", content: "" }] }, ["messages", 0, "role"]],
    [{ messages: [{ role: "user", content: "x" }], max_tokens: -1 }, ["max_tokens"]],
  ])("is refused with the field: %j", (body, path) => {
    const result = messagesRequestSchema.safeParse({ model: "m", max_tokens: 1, ...body });
    expect(result.error?.issues[0]?.path).toEqual(path);
  });
});

it("errors have the shape of the path they are answers to", () => {
  const error = new CentspanError("payload_too_large", "body: too large", { field: "body" });
  const anthropic = { type: "error", error: { type: "request_too_large", code: "payload_too_large", param: "body" } };
  for (const url of ["/v1/messages", "/v1/messages?beta=true", "/v1/messages/count_tokens"]) {
    expect(toErrorAt(url, error)).toMatchObject(anthropic);
  }
  for (const url of ["/v1/responses", "/v1/messagesx", "/"]) {
    expect(toErrorAt(url, error)).toMatchObject({ error: { type: "invalid_request_error", param: "body" } });
  }
});
