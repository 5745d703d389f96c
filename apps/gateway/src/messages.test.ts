import { existsSync, readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import messages from "./protocols/messages.ts";
import { createGatewayClient, type GatewayClient, MESSAGES } from "./testing/gateway-client.ts";
import { createTrace, openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";
import {
  endMessage,
  MESSAGES_EVENTS,
  MESSAGES_USAGE,
  startMessage,
  startStream,
  WHOLE_MESSAGE,
} from "./testing/upstream-peer.ts";

let test: TestGateway;
let client: GatewayClient;
/** The address of a gateway in front of Anthropic. */
let url: string;

beforeAll(async () => {
  test = await openTestGateway();
  client = await createGatewayClient(test);
  url = await test.open({ provider: "anthropic" });
});
afterAll(() => test.close());

const STREAM = Object.values(MESSAGES_EVENTS).join("");
const answerStream = (stream: string): void => test.peer.answer((response) => void startStream(response).end(stream));
const answerJson = (body: object): void =>
  test.peer.answer((response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
const readChat = (traceId: string) => client.readAttributes(traceId, "chat m");

describe("a request", () => {
  const headers = {
    "anthropic-version": "2023-06-01",
    "anthropic-beta": "claude-code-20250219,context-1m-2025-08-07",
    "anthropic-dangerous-direct-browser-access": "true",
    "x-stainless-retry-count": "0",
    "x-app": "cli",
    "x-claude-code-session-id": "session-1",
  };

  it("reaches Anthropic as it is, with its query and headers, and the upstream's key in place of ours", async () => {
    answerStream(STREAM);
    const body = JSON.stringify({ ...MESSAGES.body, unknown: { kept: [1, { deep: null }] } }, null, 1);
    const own = { ...headers, authorization: "", "x-api-key": client.key, "anthropic-auth-token": "s1" };
    expect((await client.post({ path: MESSAGES.path, body }, own, url)).status).toBe(200);
    const [seen] = test.peer.requests;
    expect(seen).toMatchObject({ method: "POST", url: "/v1/messages?beta=true", body });
    expect(seen?.headers).toMatchObject({ ...headers, "x-api-key": "upstream-key" });
    for (const name of ["authorization", "anthropic-auth-token"]) expect(seen?.headers).not.toHaveProperty(name);
    expect(JSON.stringify(seen)).not.toContain(client.key);
  });

  it("reaches another server of the protocol with a bearer, and our engine with token ids", async () => {
    answerStream(STREAM);
    const vllm = await test.open({ provider: "vllm" });
    await client.post(MESSAGES, { "x-api-key": client.key }, vllm);
    await client.post(MESSAGES, headers);
    const [other, engine] = test.peer.requests;
    expect(other?.headers).toMatchObject({ authorization: "Bearer upstream-key" });
    expect(other?.headers).not.toHaveProperty("x-api-key");
    expect(JSON.parse(other?.body ?? "")).toEqual(MESSAGES.body);
    expect(JSON.parse(engine?.body ?? "").prompt_token_ids.length).toBeGreaterThan(4);
  });

  it("has its effort where Messages has it, by a key's rule, and no model that the key may not ask for", async () => {
    answerStream(STREAM);
    const routes = [{ role: "plan" as const, effort: "max" }];
    const { secret } = await test.createKey("gateway", { models: ["m"], routes });
    const own = { authorization: `Bearer ${secret}`, "x-centspan-role": "plan" };
    const format = { type: "json_schema", schema: {} };
    await client.post({ ...MESSAGES, body: { ...MESSAGES.body, output_config: { format } } }, own, url);
    expect(JSON.parse(test.peer.requests[0]?.body ?? "").output_config).toEqual({ format, effort: "max" });
    for (const path of [MESSAGES.path, "/v1/messages/count_tokens"]) {
      const refused = await client.post({ path, body: { ...MESSAGES.body, model: "other" } }, own, url);
      expect([refused.status, await refused.json()]).toMatchObject([403, { error: { type: "permission_error" } }]);
    }
  });

  it.each([
    [{ type: "text" }, "messages[0].content[0].text"],
    [{ type: "tool_result", content: "x" }, "messages[0].content[0].tool_use_id"],
    [{ text: "x" }, "messages[0].content[0].type"],
  ])("with the block %j is refused with the field", async (block, param) => {
    const body = { ...MESSAGES.body, messages: [{ role: "user", content: [block] }] };
    const response = await client.post({ ...MESSAGES, body }, {}, url);
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param } }]);
  });

  const shared = process.env.CENTSPAN_SHARED;
  it.skipIf(shared === undefined)("of every captured client is read (needs CENTSPAN_SHARED)", () => {
    const folder = `${shared}/captures`;
    expect(existsSync(folder), `${folder} is missing`).toBe(true);
    const records = readdirSync(folder)
      .filter((file) => file.endsWith(".jsonl"))
      .flatMap((file) => readFileSync(`${folder}/${file}`, "utf8").trim().split("\n"))
      .map((line) => JSON.parse(line))
      .filter((record) => record.kind === "http" && /^\/v1\/messages([?]|$)/.test(record.path));
    expect(records.length).toBeGreaterThanOrEqual(17);
    for (const { body } of records) {
      const { conversation, effort, stream } = messages.readRequest(body).data ?? expect.fail("was refused");
      const idsOf = (type: "tool_call" | "tool_result"): string[] =>
        conversation.items.flatMap((item) => (item.type === type ? [item.callId] : []));
      expect(idsOf("tool_call")).toEqual(idsOf("tool_result"));
      expect(conversation.tools.length).toBe(body.tools?.length ?? 0);
      expect([effort, stream]).toEqual([body.output_config?.effort ?? "", body.stream === true]);
    }
  });
});

describe("an answer", () => {
  it("passes byte by byte, however it is cut", async () => {
    test.peer.answer(async (response) => {
      startStream(response);
      const bytes = Buffer.from(STREAM);
      for (let at = 0; at < bytes.length; at += 11) {
        response.write(bytes.subarray(at, at + 11));
        if (at % 110 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    expect(await (await client.post(MESSAGES, {}, url)).text()).toBe(STREAM);
  });

  it("leaves what it cost on its span: cached tokens counted in, writes by how long they live", async () => {
    answerStream(STREAM);
    const trace = createTrace();
    const effort = { ...MESSAGES.body, output_config: { effort: "high" } };
    const headers = { ...trace, "x-claude-code-session-id": "session-1" };
    await (await client.post({ ...MESSAGES, body: effort }, headers, url)).text();
    const chat = await readChat(trace.traceId);
    expect(chat).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "anthropic",
      "gen_ai.response.id": "msg_1",
      "gen_ai.response.model": "m-2026",
      "gen_ai.response.finish_reasons": ["tool_use"],
      "gen_ai.request.reasoning.level": "high",
      "gen_ai.conversation.id": "session-1",
      "gen_ai.usage.input_tokens": 190,
      "gen_ai.usage.cache_read.input_tokens": 100,
      "gen_ai.usage.cache_creation.input_tokens": 60,
      "centspan.usage.cache_creation_1h.input_tokens": 40,
      "gen_ai.usage.output_tokens": 25,
      "gen_ai.usage.reasoning.output_tokens": 5,
      "openai.response.service_tier": "standard",
      "centspan.provenance": "measured",
      "centspan.stream.aborted": false,
    });
    expect(chat["gen_ai.response.time_to_first_chunk"]).toBeGreaterThan(0);
    expect(chat).not.toHaveProperty("centspan.usage.partial");
    expect(chat).not.toHaveProperty("error.type");
  });

  it.each([
    ["the upstream's", "req_upstream"],
    ["one of ours where it has none", null],
  ])("to Claude Code has the id that its telemetry will name the call by: %s", async (_name, given) => {
    test.peer.answer((response) => {
      if (given !== null) response.setHeader("request-id", given);
      startStream(response).end(STREAM);
    });
    const trace = createTrace();
    const response = await client.post(MESSAGES, { ...trace, "x-claude-code-session-id": "s" }, url);
    await response.text();
    const told = response.headers.get("request-id");
    expect(told).toMatch(given ?? /^req_\w{16,}/);
    expect(await readChat(trace.traceId)).toMatchObject({ "centspan.request.id": told, "gen_ai.response.id": "msg_1" });
  });

  it("that is not streamed leaves the same", async () => {
    answerJson(WHOLE_MESSAGE);
    const trace = createTrace();
    const { stream: _, ...body } = MESSAGES.body;
    expect(await (await client.post({ ...MESSAGES, body }, trace, url)).json()).toEqual(WHOLE_MESSAGE);
    expect(await readChat(trace.traceId)).toMatchObject({
      "gen_ai.response.id": "msg_1",
      "gen_ai.response.finish_reasons": ["end_turn"],
      "gen_ai.usage.input_tokens": 190,
      "gen_ai.usage.output_tokens": 7,
      "centspan.usage.cache_creation_1h.input_tokens": 40,
    });
  });

  it("with usage of zero at the beginning passes as it is, and counts by what comes at the end", async () => {
    const first = startMessage({ input_tokens: 0, output_tokens: 0 });
    const last = endMessage({ input_tokens: 11, cache_read_input_tokens: 5, output_tokens: 3 });
    const stream = first + MESSAGES_EVENTS.block + last + MESSAGES_EVENTS.stop;
    answerStream(stream);
    const trace = createTrace();
    expect(await (await client.post(MESSAGES, trace, url)).text()).toBe(stream);
    expect(await readChat(trace.traceId)).toMatchObject({
      "gen_ai.usage.input_tokens": 16,
      "gen_ai.usage.cache_read.input_tokens": 5,
      "gen_ai.usage.output_tokens": 3,
    });
  });

  it("without usage has none made up", async () => {
    answerStream(startMessage({}) + MESSAGES_EVENTS.block + endMessage({}) + MESSAGES_EVENTS.stop);
    const trace = createTrace();
    await (await client.post(MESSAGES, trace, url)).text();
    const chat = await readChat(trace.traceId);
    expect(chat["centspan.usage.missing"]).toBe(true);
    expect(Object.keys(chat).filter((name) => name.startsWith("gen_ai.usage"))).toEqual([]);
  });
});

it("usage that is not what the protocol says counts as not reported", async () => {
  answerJson({ ...WHOLE_MESSAGE, usage: { ...MESSAGES_USAGE, input_tokens: "many" } });
  const trace = createTrace();
  const { stream: _, ...body } = MESSAGES.body;
  await client.post({ ...MESSAGES, body }, trace, url);
  expect(await readChat(trace.traceId)).toMatchObject({ "centspan.usage.missing": true });
});
