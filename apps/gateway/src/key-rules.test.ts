import type { KeyRules } from "@centspan/model";
import { waitUntil } from "@centspan/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Call, CHAT, createGatewayClient, type GatewayClient, RESPONSES } from "./testing/gateway-client.ts";
import { createTrace, openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";
import { CHAT_EVENTS, RESPONSES_EVENTS, startStream } from "./testing/upstream-peer.ts";

let test: TestGateway;
let client: GatewayClient;

beforeAll(async () => {
  test = await openTestGateway();
  client = await createGatewayClient(test);
});
afterAll(() => test.close());

const answerAll = () =>
  test.peer.answer((response) => void startStream(response).end(Object.values(RESPONSES_EVENTS).join("")));

/** Posts with a key of these rules. */
async function withRules(rules: KeyRules) {
  const { secret } = await test.createKey("gateway", rules);
  return (call: Call, headers: Record<string, string> = {}) =>
    client.post(call, { ...headers, authorization: `Bearer ${secret}` });
}
const ask = (model: string) => ({ ...RESPONSES, body: { ...RESPONSES.body, model } });

describe("a key's rules", () => {
  it("say which models it may ask for", async () => {
    answerAll();
    const post = await withRules({ models: ["small-*", "m"] });
    expect([(await post(ask("small-1"))).status, (await post(ask("m"))).status]).toEqual([200, 200]);
    const refused = await post(ask("large"));
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      { error: { code: "forbidden", param: "model" } },
    ]);
    expect(test.peer.requests.length).toBe(2);
  });

  it("hold for a body that other readers would read otherwise", async () => {
    const post = await withRules({ models: ["cheap"], maxOutputTokens: 10 });
    const asked = test.peer.requests.length;
    const messages = '"messages":[{"role":"user","content":"hi"}]';
    for (const [body, param] of [
      [`{"model":"expensive","max_tokens":100000,${messages},"model":"cheap","max_tokens":5}`, "body"],
      ['{"model":"cheap","messages":[{"role":"user","content":"a","content":"b"}]}', "body"],
      [`{"model":"cheap","Model":"expensive","max_tokens":5,${messages}}`, "Model"],
      [`{"model":"cheap","MAX_TOKENS":100000,${messages}}`, "MAX_TOKENS"],
    ]) {
      const refused = await post({ path: CHAT.path, body });
      expect([refused.status, await refused.json()]).toMatchObject([400, { error: { param } }]);
    }
    const larger = `{"model":"cheap","max_completion_tokens":5,"max_tokens":100000,${messages}}`;
    expect((await post({ path: CHAT.path, body: larger })).status).toBe(403);
    expect(test.peer.requests.length).toBe(asked);
  });

  it("limit its requests and its tokens, as they were reported", async () => {
    answerAll();
    const few = await withRules({ requestsPerMinute: 1 });
    expect([(await few(RESPONSES)).status, (await few(RESPONSES)).status]).toEqual([200, 429]);
    // An answer comes to 112 tokens.
    const small = await withRules({ tokensPerMinute: 112 });
    const first = await small(RESPONSES);
    await first.text();
    await waitUntil("the tokens are counted", async () => (await small(RESPONSES)).status === 429);
    expect(Number((await small(RESPONSES)).headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it("choose another model or effort for a part of the work, and the rest of the body stays as it is", async () => {
    answerAll();
    const post = await withRules({
      routes: [
        { role: "plan", model: "strong", effort: "high" },
        { taskType: "typo", model: "cheap" },
      ],
    });
    const body = '{"model":"m","input":"hi","stream":true,"seed":12345678901234567890}';
    const trace = createTrace();
    await post({ path: "/v1/responses", body }, { ...trace, "x-centspan-role": "plan" });
    await post({ path: "/v1/responses", body }, { "x-centspan-role": "execute", "x-centspan-task-type": "typo" });
    await post({ path: "/v1/responses", body }, { "x-centspan-role": "execute" });
    await post({ ...CHAT, body: { ...CHAT.body } }, { "x-centspan-role": "plan" });
    const sent = test.peer.requests.map((request) => JSON.parse(request.body));
    expect(sent.map(({ model }) => model)).toEqual(["strong", "cheap", "m", "strong"]);
    expect(sent.map(({ reasoning, reasoning_effort }) => reasoning?.effort ?? reasoning_effort)).toEqual([
      "high",
      undefined,
      undefined,
      "high",
    ]);
    expect(test.peer.requests[0]?.body).toContain('"seed":12345678901234567890');
    expect(await client.readAttributes(trace.traceId, "chat strong")).toMatchObject({
      "gen_ai.request.model": "strong",
      "gen_ai.request.reasoning.level": "high",
    });
  });

  it("say whether an answer that nobody waits for any more is read to its end", async () => {
    let finish = (): void => undefined;
    test.peer.answer((response) => {
      startStream(response).write(RESPONSES_EVENTS.created);
      finish = () => void response.end(RESPONSES_EVENTS.delta + RESPONSES_EVENTS.completed);
    });
    const { secret } = await test.createKey("gateway", { onDisconnect: "drain" });
    const trace = createTrace();
    const [request] = await client.open(RESPONSES, { ...trace, authorization: `Bearer ${secret}` });
    request.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    finish();
    expect(await client.readAttributes(trace.traceId, "chat m")).toMatchObject({
      "gen_ai.usage.input_tokens": 100,
      "centspan.stream.aborted": false,
    });
    expect(test.peer.cancelled()).toBe(0);
  });

  it("decide how its requests are checked and in what order they go", async () => {
    answerAll();
    const post = await withRules({ safety: "hold", priority: "batch" });
    const trace = createTrace();
    await post(RESPONSES, trace);
    expect(await client.readAttributes(trace.traceId, "api.safety")).toMatchObject({
      "centspan.safety.policy": "hold",
    });
    expect(test.peer.requests[0]?.headers["x-centspan-priority"]).toBe("batch");
  });

  it.each([
    ["batch", RESPONSES, 1],
    ["interactive", CHAT, 0],
    [undefined, CHAT, -5],
  ] as const)(
    "tell a vLLM that takes a priority theirs (%s), and else nothing that the client doesn't",
    async (priority, call, said) => {
      test.peer.answer((response) => void startStream(response).end(Object.values(CHAT_EVENTS).join("")));
      const { secret } = await test.createKey("gateway", priority && { priority });
      const vllm = { name: "own", provider: "vllm", protocols: ["openai-chat"], replicas: [{ url: test.peer.url }] };
      const sent: unknown[] = [];
      for (const takesPriority of [true, false]) {
        const at = await test.open({ upstreams: { upstreams: [{ ...vllm, takesPriority }] } });
        const body = { ...call.body, priority: -5 };
        await client.post({ ...call, body }, { authorization: `Bearer ${secret}` }, at);
        sent.push(JSON.parse(test.peer.requests.at(-1)?.body ?? "").priority);
      }
      // A translation leaves out what only the client's protocol knows.
      expect(sent).toEqual([said, call === CHAT ? -5 : undefined]);
    },
  );
});
