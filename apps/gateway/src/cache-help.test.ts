import type { KeyRules } from "@centspan/model";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHAT, createGatewayClient, type GatewayClient, MESSAGES, RESPONSES } from "./testing/gateway-client.ts";
import { createTrace, openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";
import { CHAT_EVENTS, MESSAGES_EVENTS, RESPONSES_EVENTS, startStream } from "./testing/upstream-peer.ts";

let test: TestGateway;
let client: GatewayClient;
let anthropic: string;

beforeAll(async () => {
  test = await openTestGateway();
  client = await createGatewayClient(test);
  anthropic = await test.open({ provider: "anthropic" });
});
afterAll(() => test.close());

async function send(rules: KeyRules, body: string) {
  test.peer.answer((response) => void startStream(response).end(Object.values(MESSAGES_EVENTS).join("")));
  const { secret } = await test.createKey("gateway", rules);
  const trace = createTrace();
  const headers = { ...trace, authorization: `Bearer ${secret}` };
  const response = await client.post({ path: MESSAGES.path, body }, headers, anthropic);
  await response.text();
  const call = await client.readAttributes(trace.traceId, "chat m");
  return { sent: test.peer.requests[0]?.body ?? "", call, status: response.status };
}

const tool = (name: string, more = "") => `{"name":"${name}","input_schema":{"maximum":9223372036854775807}${more}}`;
const start = '{"model":"m","max_tokens":9,"stream":true';
const MARK = ',"cache_control":{"type":"ephemeral"}';

describe("help for a prompt cache", () => {
  it("marks no tool that is deferred", async () => {
    const deferred = ',"defer_loading":true';
    const body = (mark: string) =>
      `${start},"tools":[${tool("a")},${tool("b", mark)},${tool("c", deferred)}],"messages":[{"role":"assistant","content":"hi"}]}`;
    const { sent, call } = await send({ cache: { breakpoints: true } }, body(""));
    expect(sent).toBe(body(MARK));
    expect(call["centspan.cache.breakpoints_added"]).toBe(1);
    const all = `${start},"tools":[${tool("c", deferred)}],"messages":[{"role":"assistant","content":"hi"}]}`;
    expect((await send({ cache: { breakpoints: true } }, all)).sent).toBe(all);
  });

  it("is off unless the key wants it: not a byte changes", async () => {
    const body = `${start},"tools":[${tool("b")}, ${tool("a")}],"messages":[{"role":"user","content":"hi"}]}`;
    const { sent, call } = await send({}, body);
    expect(sent).toBe(body);
    expect(Object.keys(call).filter((name) => /breakpoints|sorted/.test(name))).toEqual([]);
  });

  it("marks the last tool, the system text and the user's last block, and sorts tools by name", async () => {
    const body = `${start},"system":"be \\"brief\\"","tools":[${tool("b")}, ${tool("a")}],"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"ok"},{"role":"user","content":[{"type":"text","text":"go"}]}]}`;
    const { sent, call } = await send({ cache: { breakpoints: true, stableTools: true } }, body);
    expect(sent).toBe(
      `${start},"system":[{"type":"text","text":"be \\"brief\\""${MARK}}],"tools":[${tool("a")},${tool("b", MARK)}],"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"ok"},{"role":"user","content":[{"type":"text","text":"go"${MARK}}]}]}`,
    );
    expect(call).toMatchObject({ "centspan.cache.breakpoints_added": 3, "centspan.cache.tools_sorted": true });
  });

  it.each([
    [
      "a mark of the client's own",
      `"system":[{"type":"text","text":"s"${MARK}}],"messages":[{"role":"user","content":"hi"}]`,
    ],
    [
      "the client's wish for marks by itself",
      `"cache_control":{"type":"ephemeral"},"messages":[{"role":"user","content":"hi"}]`,
    ],
    ["nothing that can have one", `"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"{"}]`],
  ])("leaves alone what has %s", async (_what, members) => {
    const body = `${start},${members}}`;
    const { sent, call } = await send({ cache: { breakpoints: true } }, body);
    expect(sent).toBe(body);
    expect(call).not.toHaveProperty("centspan.cache.breakpoints_added");
  });

  it("marks a text that only speaks of marks, and refuses what is no request as ever", async () => {
    const body = `${start},"messages":[{"role":"user","content":"what is \\"cache_control\\"?"}]}`;
    expect((await send({ cache: { breakpoints: true } }, body)).call["centspan.cache.breakpoints_added"]).toBe(1);
    const { secret } = await test.createKey("gateway", { cache: { breakpoints: true, stableTools: true } });
    for (const wrong of ["[]", `${start},"tools":3,"messages":[7]}`, `${start},"tools":[7,3],"messages":[]}`]) {
      const headers = { authorization: `Bearer ${secret}` };
      expect((await client.post({ path: MESSAGES.path, body: wrong }, headers, anthropic)).status).toBe(400);
    }
  });

  const MODE = { prompt_cache_breakpoint: { mode: "explicit" } };
  it.each<[string, KeyRules, object, number]>([
    ["where a model takes it", {}, { model: "gpt-5.6" }, 1],
    ["where the rules choose such a model", { routes: [{ role: "plan", model: "gpt-6-mini" }] }, { model: "m" }, 1],
    ["not where they choose another", { routes: [{ role: "plan", model: "gpt-5.1" }] }, { model: "gpt-5.6" }, 0],
    ["not where the client has its own way", {}, { model: "gpt-5.6", prompt_cache_options: { mode: "explicit" } }, 0],
    ["not where nothing instructs", {}, { model: "gpt-5.6", input: [{ role: "user", content: "hi" }] }, 0],
  ])("marks the end of the instructions for OpenAI: %s", async (_what, rules, more, marks) => {
    test.peer.answer((response) => void startStream(response).end(Object.values(RESPONSES_EVENTS).join("")));
    const { secret } = await test.createKey("gateway", { cache: { breakpoints: true }, ...rules });
    const input = [
      { role: "developer", content: "a" },
      { role: "developer", content: [{ type: "input_text", text: "b" }] },
      { role: "user", content: "hi" },
    ];
    const call = { ...RESPONSES, body: { ...RESPONSES.body, input, ...more } };
    await (await client.post(call, { authorization: `Bearer ${secret}`, "x-centspan-role": "plan" })).text();
    const { input: sent } = JSON.parse(test.peer.requests[0]?.body ?? "{}");
    if (marks === 0) expect(sent).toEqual(call.body.input);
    else
      expect(sent).toEqual([
        input[0],
        { role: "developer", content: [{ type: "input_text", text: "b", ...MODE }] },
        input[2],
      ]);
  });

  it("sorts tools of other protocols, where marks mean nothing", async () => {
    const tools = ["b", "a"].map((name) => ({ type: "function", function: { name } }));
    const { secret } = await test.createKey("gateway", { cache: { breakpoints: true, stableTools: true } });
    test.peer.answer((response) => void startStream(response).end(Object.values(CHAT_EVENTS).join("")));
    const call = { ...CHAT, body: { ...CHAT.body, tools } };
    await (await client.post(call, { authorization: `Bearer ${secret}` })).text();
    const { tools: sent } = JSON.parse(test.peer.requests[0]?.body ?? "{}");
    expect(sent).toEqual([...tools].reverse());
    expect(test.peer.requests[0]?.body).not.toMatch(/cache_/);
  });
});
