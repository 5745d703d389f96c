import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Call, createGatewayClient, type GatewayClient } from "./testing/gateway-client.ts";
import { openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";

let test: TestGateway;
let client: GatewayClient;
/** Of a gateway in front of Anthropic. */
let url: string;

beforeAll(async () => {
  test = await openTestGateway();
  client = await createGatewayClient(test);
  url = await test.open({ provider: "anthropic", policy: "hold" });
  test.peer.answer((response) => void response.writeHead(200, { "content-type": "application/json" }).end("{}"));
});
afterAll(() => test.close());

const secret = `AKIA${"ABCDEFGHIJKLMNOP"}`;
const text = `it is ${secret}`;
const schema = { type: "object", properties: { a: { type: "string", description: text } } };

const user = { role: "user", content: "hi" };
const responses = (more: object): Call => ({ path: "/v1/responses", body: { model: "m", input: "hi", ...more } });
const item = (...items: object[]): Call => responses({ input: [user, ...items] });
const chat = (more: object): Call => ({
  path: "/v1/chat/completions",
  body: { model: "m", messages: [user], ...more },
});
const message = (more: object): Call => chat({ messages: [user, { role: "assistant", content: null, ...more }] });
const messages = (more: object): Call => ({
  path: "/v1/messages",
  body: { model: "m", max_tokens: 1, messages: [user], ...more },
});
const block = (more: object, role = "user"): Call => messages({ messages: [{ role, content: [more] }] });
const embed = (input: unknown): Call => ({ path: "/v1/embeddings", body: { model: "m", input } });

/** What the client is told: "ok", or why not. */
async function ask(call: Call): Promise<unknown> {
  const response = await client.post(call, {}, url);
  return response.status === 200 ? "ok" : Object(await response.json()).error?.code;
}

describe("a secret is found wherever a request can say it", () => {
  it.each<[string, Call]>([
    ["instructions", responses({ instructions: text })],
    ["a text for input", responses({ input: text })],
    ["a message", item({ role: "user", content: text })],
    ["a part of one", item({ role: "user", content: [{ type: "input_text", text }] })],
    ["what the model is said to have said", item({ role: "assistant", content: [{ type: "output_text", text }] })],
    ["a refusal", item({ role: "assistant", content: [{ type: "refusal", refusal: text }] })],
    ["a summary of reasoning", item({ type: "reasoning", summary: [{ type: "summary_text", text }] })],
    ["reasoning", item({ type: "reasoning", summary: [], content: [{ type: "reasoning_text", text }] })],
    ["a call's arguments", item({ type: "function_call", call_id: "c", name: "f", arguments: text })],
    ["a call's name", item({ type: "function_call", call_id: "c", name: secret, arguments: "{}" })],
    ["a call's id", item({ type: "function_call_output", call_id: secret, output: "" })],
    ["a tool's output", item({ type: "function_call_output", call_id: "c", output: text })],
    [
      "a part of it",
      item({ type: "function_call_output", call_id: "c", output: [{ type: "input_file", filename: text }] }),
    ],
    ["free text for a tool", item({ type: "custom_tool_call", call_id: "c", name: "f", input: text })],
    ["what such a tool said", item({ type: "custom_tool_call_output", call_id: "c", output: text })],
    ["an item that nobody here knows", item({ type: "shell_call", action: { command: ["echo", text] } })],
    ["a type", item({ type: secret })],
    ["a tool's description", responses({ tools: [{ type: "function", name: "f", description: text }] })],
    ["a tool's schema", responses({ tools: [{ type: "function", name: "f", parameters: schema }] })],
    ["a grammar", responses({ tools: [{ type: "custom", name: "f", format: { definition: text } }] })],
    [
      "a tool of a namespace",
      responses({
        tools: [{ type: "namespace", name: "n", tools: [{ type: "function", name: "f", parameters: schema }] }],
      }),
    ],
    ["tools among the input", item({ type: "additional_tools", tools: [{ type: "function", description: text }] })],
    ["an MCP server's address", responses({ tools: [{ type: "mcp", server_url: `https://h/?k=${secret}` }] })],
    ["the schema of the answer", responses({ text: { format: { type: "json_schema", name: "a", schema } } })],
    ["variables of a prompt", responses({ prompt: { id: "p", variables: { a: text } } })],
    ["metadata", responses({ metadata: { a: text } })],
    ["a name in metadata", responses({ metadata: { [secret]: "a" } })],
    ["a client's metadata", responses({ client_metadata: { a: text } })],
    ["the user", responses({ user: text })],
    ["a member that nobody here knows", responses({ later: [[{ a: { b: text } }]] })],
    ["the name of one", responses({ [secret]: 1 })],
  ])("Responses: %s", async (_where, call) => {
    expect(await ask(call)).toBe("content_blocked");
  });

  it.each<[string, Call]>([
    ["a message", chat({ messages: [{ role: "system", content: text }] })],
    ["a part of one", chat({ messages: [{ role: "user", content: [{ type: "text", text }] }] })],
    ["who says it", chat({ messages: [{ ...user, name: secret }] })],
    ["what the model thought", message({ reasoning_content: text })],
    ["a refusal", message({ refusal: text })],
    ["a call's arguments", message({ tool_calls: [{ id: "c", function: { name: "f", arguments: text } }] })],
    [
      "free text for a tool",
      message({ tool_calls: [{ type: "custom", id: "c", custom: { name: "f", input: text } }] }),
    ],
    ["a call as it was once", message({ function_call: { name: "f", arguments: text } })],
    ["a tool's output", chat({ messages: [user, { role: "tool", tool_call_id: "c", content: text }] })],
    ["a tool's description", chat({ tools: [{ type: "function", function: { name: "f", description: text } }] })],
    ["a tool's schema", chat({ tools: [{ type: "function", function: { name: "f", parameters: schema } }] })],
    ["a function as it was once", chat({ functions: [{ name: "f", parameters: schema }] })],
    ["a prediction", chat({ prediction: { type: "content", content: text } })],
    [
      "the schema of the answer",
      chat({ response_format: { type: "json_schema", json_schema: { name: "a", schema } } }),
    ],
    ["where to stop", chat({ stop: [text] })],
    ["metadata", chat({ metadata: { a: text } })],
    ["the user", chat({ user: text })],
  ])("Chat Completions: %s", async (_where, call) => {
    expect(await ask(call)).toBe("content_blocked");
  });

  it.each<[string, Call]>([
    ["the system text", messages({ system: text })],
    ["a block of it", messages({ system: [{ type: "text", text }] })],
    ["a message", messages({ messages: [{ role: "user", content: text }] })],
    ["a block", block({ type: "text", text })],
    ["thinking", block({ type: "thinking", thinking: text, signature: "s" }, "assistant")],
    ["thinking that is said to be encrypted", block({ type: "redacted_thinking", data: text }, "assistant")],
    ["a tool's input", block({ type: "tool_use", id: "t", name: "f", input: { a: [text] } }, "assistant")],
    ["a name in it", block({ type: "tool_use", id: "t", name: "f", input: { [secret]: 1 } }, "assistant")],
    ["a tool's result", block({ type: "tool_result", tool_use_id: "t", content: text })],
    ["a block of it", block({ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text }] })],
    [
      "a page in it",
      block({
        type: "tool_result",
        tool_use_id: "t",
        content: [{ type: "document", source: { type: "text", media_type: "text/plain", data: text } }],
      }),
    ],
    ["a page", block({ type: "document", source: { type: "text", media_type: "text/plain", data: text } })],
    ["a page's title", block({ type: "document", title: text, source: { type: "url", url: "https://h" } })],
    ["a found text", block({ type: "search_result", source: "s", title: "t", content: [{ type: "text", text }] })],
    ["a tool's description", messages({ tools: [{ name: "f", description: text, input_schema: {} }] })],
    ["a tool's schema", messages({ tools: [{ name: "f", input_schema: schema }] })],
    ["an example for a tool", messages({ tools: [{ name: "f", input_schema: {}, input_examples: [{ a: text }] }] })],
    ["where to stop", messages({ stop_sequences: [text] })],
    ["who asks", messages({ metadata: { user_id: text } })],
    ["a prompt that is only counted", { ...messages({ system: text }), path: "/v1/messages/count_tokens" }],
  ])("Messages: %s", async (_where, call) => {
    expect(await ask(call)).toBe("content_blocked");
  });

  it.each([[text], [["a", text]]])("embeddings: %j", async (input) => {
    expect(await ask(embed(input))).toBe("content_blocked");
  });

  it("and goes nowhere", () => expect(test.peer.requests).toEqual([]));
});

describe("what is no text of the prompt passes", () => {
  const bytes = `${"A1b+/".repeat(300)}/${secret}/`;

  it.each<[string, Call]>([
    [
      "a file",
      item({ role: "user", content: [{ type: "input_file", file_data: `data:application/pdf;base64,${bytes}` }] }),
    ],
    ["reasoning that is encrypted", item({ type: "reasoning", summary: [], encrypted_content: bytes })],
    ["a signature", block({ type: "thinking", thinking: "", signature: bytes }, "assistant")],
    ["token ids", embed([1, 2, 3])],
    [
      "an MCP server's credential",
      responses({ tools: [{ type: "mcp", authorization: text, headers: { "x-key": text } }] }),
    ],
    [
      "a host's",
      responses({
        tools: [{ type: "shell", environment: { network_policy: { domain_secrets: [{ domain: "h", value: text }] } } }],
      }),
    ],
    ["the same of Messages", messages({ mcp_servers: [{ type: "url", url: "https://h", authorization_token: text }] })],
  ])("%s", async (_what, call) => {
    expect(await ask(call)).toBe("ok");
  });

  it("but not what has such a name elsewhere", async () => {
    for (const call of [
      block({ type: "tool_use", id: "t", name: "f", input: { headers: text } }, "assistant"),
      responses({ tools: [{ type: "function", name: "f", headers: text }] }),
    ])
      expect(await ask(call)).toBe("content_blocked");
  });
});
