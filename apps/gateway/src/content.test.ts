import { clipText } from "@centspan/telemetry/content";
import { waitUntil } from "@centspan/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeInput, MAX_CONTENT_CHARS } from "./content/capture-content.ts";
import type { Call, GatewayClient } from "./testing/gateway-client.ts";
import { CHAT, createGatewayClient, MESSAGES, RESPONSES } from "./testing/gateway-client.ts";
import { createTrace, openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";
import { CHAT_EVENTS, MESSAGES_EVENTS, WHOLE_MESSAGE } from "./testing/upstream-peer.ts";

let test: TestGateway;
let client: GatewayClient;
let open: string;
let captured: Record<string, string>;

beforeAll(async () => {
  test = await openTestGateway();
  client = await createGatewayClient(test);
  // Without checks: what is recorded must not depend on what is let pass.
  open = await test.open({ checks: [] });
  captured = { authorization: `Bearer ${(await test.createKey("gateway", { content: true })).secret}` };
});
afterAll(() => test.close());

const secret = `sk-proj-${"a1B2c3D4e5".repeat(5)}`;
const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

async function ask(call: Call, answer: string, headers = captured, type = "text/event-stream") {
  test.peer.answer((response) => void response.writeHead(200, { "content-type": type }).end(answer));
  const trace = createTrace();
  await (await client.post(call, { ...trace, ...headers }, open)).text();
  const chat = await client.readAttributes(trace.traceId, "chat m");
  const read = (name: string): unknown => JSON.parse(String(chat[name] ?? "null"));
  return {
    trace,
    chat,
    system: read("gen_ai.system_instructions"),
    input: read("gen_ai.input.messages"),
    output: read("gen_ai.output.messages"),
  };
}

const text = (content: string) => ({ type: "text", content });
const responsesCall: Call = {
  ...RESPONSES,
  body: {
    ...RESPONSES.body,
    instructions: "be brief",
    input: [
      { role: "user", content: "hi" },
      { type: "function_call", call_id: "c", name: "f", arguments: '{"a":1}' },
      { type: "function_call_output", call_id: "c", output: "done" },
    ],
  },
};

describe("content", () => {
  it("is not recorded unless the key wants it", async () => {
    const own = { authorization: `Bearer ${client.key}` };
    const { chat } = await ask(CHAT, Object.values(CHAT_EVENTS).join(""), own);
    expect(Object.keys(chat).filter((name) => /messages|instructions|content/.test(name))).toEqual([]);
  });

  it("is recorded as the conventions have it: Responses, in pieces and whole", async () => {
    const message = { type: "message", content: [{ type: "output_text", text: "it is done" }] };
    const call = { type: "function_call", call_id: "d", name: "g", arguments: '{"b":[2]}' };
    const stream = [
      { type: "response.output_text.delta", output_index: 0, delta: "it is" },
      { type: "response.output_item.done", output_index: 0, item: message },
      { type: "response.output_item.done", output_index: 1, item: call },
      { type: "response.completed", response: { id: "r", status: "completed", output: [message, call] } },
    ];
    const expected = [
      {
        role: "assistant",
        parts: [text("it is done"), { type: "tool_call", id: "d", name: "g", arguments: { b: [2] } }],
        finish_reason: "tool_calls",
      },
    ];
    const streamed = await ask(responsesCall, stream.map(event).join(""));
    expect(streamed).toMatchObject({
      system: [text("be brief")],
      input: [
        { role: "user", parts: [text("hi")] },
        { role: "assistant", parts: [{ type: "tool_call", id: "c", name: "f", arguments: { a: 1 } }] },
        { role: "tool", parts: [{ type: "tool_call_response", id: "c", response: "done" }] },
      ],
      output: expected,
    });
    expect(streamed.chat).not.toHaveProperty("centspan.content.truncated");
    const whole = JSON.stringify({ id: "r", status: "completed", output: [message, call] });
    expect((await ask(responsesCall, whole, captured, "application/json")).output).toEqual(expected);
    // What came of an answer that was cut off.
    expect((await ask(responsesCall, event(stream[0] ?? {}))).output).toMatchObject([{ parts: [text("it is")] }]);
  });

  it("of Chat Completions and Messages is put together from their pieces, too", async () => {
    const delta = (said: object) => event({ choices: [{ index: 0, delta: said }] });
    const pieces = [
      { tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: '{"a"' } }] },
      { tool_calls: [{ index: 0, function: { arguments: ":1}" } }] },
    ];
    const chat = await ask(
      CHAT,
      CHAT_EVENTS.delta + CHAT_EVENTS.delta + pieces.map(delta).join("") + CHAT_EVENTS.finish,
    );
    expect(chat.output).toEqual([
      {
        role: "assistant",
        parts: [text("hihi"), { type: "tool_call", id: "c", name: "f", arguments: { a: 1 } }],
        finish_reason: "stop",
      },
    ]);
    const messages = await ask(MESSAGES, Object.values(MESSAGES_EVENTS).join(""));
    expect(messages.output).toMatchObject([
      { parts: [text("héllo 한"), { type: "tool_call", id: "toolu_1", name: "Bash", arguments: {} }] },
    ]);
    const whole = await ask(MESSAGES, JSON.stringify(WHOLE_MESSAGE), captured, "application/json");
    expect(whole.output).toMatchObject([{ parts: [text("hi")], finish_reason: "end_turn" }]);
  });

  it("loses its secrets before anything of it leaves the process, however they are cut into pieces", async () => {
    const call: Call = {
      ...CHAT,
      body: {
        ...CHAT.body,
        messages: [
          { role: "system", content: `key ${secret}` },
          { role: "user", content: [{ type: "text", text: `use ${secret}` }] },
          { role: "assistant", tool_calls: [{ id: "c", function: { name: "f", arguments: `{"k":"${secret}"}` } }] },
          { role: "tool", tool_call_id: "c", content: secret },
        ],
      },
    };
    const said = [...`it is ${secret}.`].map((content) => event({ choices: [{ index: 0, delta: { content } }] }));
    const { trace, output } = await ask(call, said.join("") + CHAT_EVENTS.finish);
    expect(output).toMatchObject([{ parts: [text("it is [OpenAI key].")] }]);
    const spans = await waitUntil("all spans", async () => {
      const all = await test.readAllSpans(trace.traceId);
      return all.some(({ name }) => name.startsWith("POST")) && all;
    });
    const told = JSON.stringify(spans.map(({ attributes, events, status }) => ({ attributes, events, status })));
    expect(told).toContain("[OpenAI key]");
    expect(told).not.toContain(secret.slice(0, 20));
  });

  it("is bounded in what has no text, too: ids, and messages without a word", () => {
    const empty = Array.from({ length: 5_000 }, () => ({ type: "message" as const, role: "user" as const, text: "" }));
    const result = { type: "tool_result" as const, callId: secret.repeat(1_000), output: "" };
    const described = describeInput({ instructions: "", tools: [], items: [...empty, result] });
    expect(described["centspan.content.truncated"]).toBe(true);
    expect(described["gen_ai.input.messages"]).not.toContain("sk-proj");
    expect(String(described["gen_ai.input.messages"]).length).toBeLessThan(MAX_CONTENT_CHARS);
  });

  it("is bounded: the newest is kept, and that something was cut is said", async () => {
    const long = "x".repeat(MAX_CONTENT_CHARS);
    const messages = ["first", long, "last"].map((content) => ({ role: "user", content }));
    const said = event({ choices: [{ index: 0, delta: { content: `${long}${long}` } }] });
    const { chat, input } = await ask({ ...CHAT, body: { ...CHAT.body, messages } }, said + CHAT_EVENTS.finish);
    expect(chat["centspan.content.truncated"]).toBe(true);
    expect(input).toEqual([
      { role: "user", parts: [text(long.slice(4))] },
      { role: "user", parts: [text("last")] },
    ]);
    for (const name of ["gen_ai.input.messages", "gen_ai.output.messages"]) {
      expect(String(chat[name]).length).toBeLessThan(MAX_CONTENT_CHARS + 1000);
    }
  });
});

describe("a text that is cut", () => {
  it.each([0, 1, 20, 500])("has no part of a secret that the cut goes through: after %i characters of it", (kept) => {
    const padding = "word ".repeat(200);
    for (const room of [padding.length + kept, padding.length + 1 + kept]) {
      const long = `${padding}${secret} ${"more ".repeat(1000)}`;
      expect(clipText(long, room).text).not.toContain("sk-proj");
      // As where it was cut before it came here.
      expect(clipText(long.slice(0, padding.length + kept), room, true).text).not.toContain("sk-proj");
    }
  });
});
