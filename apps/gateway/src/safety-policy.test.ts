import { once } from "node:events";
import { defineSafetyCheck } from "@centspan/model";
import { waitUntil } from "@centspan/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGatewayClient, type GatewayClient, RESPONSES } from "./testing/gateway-client.ts";
import { createTrace, openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";
import { RESPONSES_EVENTS, startStream } from "./testing/upstream-peer.ts";

let test: TestGateway;
let client: GatewayClient;

beforeAll(async () => {
  test = await openTestGateway();
  client = await createGatewayClient(test);
});
afterAll(() => test.close());

/** What a person said and a model answered. */
const history = (text: string) => [
  { role: "user", content: text },
  { role: "assistant", content: "ok" },
];

describe("safety", () => {
  const secret = `AKIA${"ABCDEFGHIJKLMNOP"}`;
  const call = { ...RESPONSES, body: { ...RESPONSES.body, input: `use ${secret}` } };

  it.each(["hold", "beside"] as const)(
    "under %s a refused request gets no output, and the span says why",
    async (policy) => {
      const at = await test.open({ policy });
      test.peer.answer((response) => void startStream(response).end(Object.values(RESPONSES_EVENTS).join("")));
      const trace = createTrace();
      const response = await client.post(call, trace, at);
      expect(response.status).toBe(400);
      const text = await response.text();
      expect(text).not.toContain("response.");
      expect(JSON.parse(text)).toMatchObject({ error: { code: "content_blocked" } });
      expect(text).not.toContain(secret);
      expect(await client.readAttributes(trace.traceId, "api.safety")).toMatchObject({
        "centspan.safety.check": "secrets",
        "centspan.safety.policy": policy,
        "centspan.verdict": "content_blocked",
      });
      expect(test.peer.requests).toEqual([]);
    },
  );
});

it("goes by the model where its upstream says so, and by the key before that", async () => {
  test.peer.answer((response) => void startStream(response).end(Object.values(RESPONSES_EVENTS).join("")));
  const replicas = [{ url: test.peer.url }];
  const at = await test.open({
    policy: "beside",
    upstreams: {
      upstreams: [
        { name: "careful", provider: "centspan", models: ["careful-*"], safety: "hold", replicas },
        { name: "other", provider: "centspan", replicas },
      ],
    },
  });
  const { secret } = await test.createKey("gateway", { safety: "beside" });
  const seen: unknown[] = [];
  for (const [model, key] of [["careful-1"], ["m"], ["careful-1", secret]]) {
    const trace = createTrace();
    const headers = { ...trace, ...(key !== undefined && { authorization: `Bearer ${key}` }) };
    await (await client.post({ ...RESPONSES, body: { ...RESPONSES.body, model } }, headers, at)).text();
    seen.push((await client.readAttributes(trace.traceId, "api.safety"))["centspan.safety.policy"]);
  }
  expect(seen).toEqual(["hold", "beside", "beside"]);
});

it("what a client says that the model said is read like everything else", async () => {
  const key = `AKIA${"QRSTUVWXYZABCDEF"}`;
  for (const item of [
    { role: "assistant", content: `it is ${key}` },
    { type: "function_call", call_id: "c", name: "write", arguments: JSON.stringify({ text: key }) },
  ]) {
    const body = { model: "m", input: [item, { role: "user", content: "go on" }] };
    expect((await client.post({ path: RESPONSES.path, body })).status).toBe(400);
  }
});

describe("a safety check that takes its time", () => {
  /** Decides when the test says so. */
  function createSlowCheck() {
    let decide = (_allowed: boolean): void => undefined;
    const decided = new Promise<boolean>((resolve) => {
      decide = resolve;
    });
    const check = defineSafetyCheck({
      id: "slow",
      describe: "for this test",
      check: async () => ({ allowed: await decided, reason: "was refused late" }),
    });
    return { check, decide };
  }
  const all = Object.values(RESPONSES_EVENTS).join("");

  it.each([true, false])("under hold nothing leaves before its verdict (allowed: %s)", async (allowed) => {
    const { check, decide } = createSlowCheck();
    const at = await test.open({ policy: "hold", checks: [check] });
    let written = false;
    test.peer.answer((response) => {
      startStream(response).end(all, () => {
        written = true;
      });
    });
    const trace = createTrace();
    let answered = false;
    const pending = client.post(RESPONSES, trace, at).finally(() => {
      answered = true;
    });
    await waitUntil("the upstream has answered", () => written);
    expect(answered).toBe(false);
    decide(allowed);
    const response = await pending;
    expect(response.status).toBe(allowed ? 200 : 400);
    const text = await response.text();
    if (allowed) expect(text).toBe(all);
    else expect(JSON.parse(text)).toMatchObject({ error: { code: "content_blocked" } });
    const span = await client.readAttributes(trace.traceId, "api.safety");
    expect(span["centspan.safety.overlap_ms"]).toBeGreaterThan(0);
    expect(span["centspan.verdict"]).toBe(allowed ? "ok" : "content_blocked");
  });

  it("beside inference its refusal ends the stream with an error, and cancels the upstream", async () => {
    const { check, decide } = createSlowCheck();
    const at = await test.open({ policy: "beside", checks: [check] });
    test.peer.answer((response) => void startStream(response).write(RESPONSES_EVENTS.created));
    const trace = createTrace();
    const [, response] = await client.open(RESPONSES, trace, at);
    let text = "";
    response.on("data", (chunk) => {
      text += chunk;
    });
    await waitUntil("output flows before the verdict", () => text === RESPONSES_EVENTS.created);
    decide(false);
    await once(response, "end");
    const [, error = ""] = text.split(RESPONSES_EVENTS.created);
    expect(error).toMatch(/^event: error\ndata: \{.*"code":"content_blocked".*\}\n\n$/);
    await waitUntil("the upstream sees the cancellation", () => test.peer.cancelled() === 1);
    expect(await client.readAttributes(trace.traceId, "chat m")).toMatchObject({
      "error.type": "content_blocked",
      "centspan.usage.missing": true,
    });
  });

  it.each<[string, object]>([
    ["a history that goes on after it", { input: [...history("SECRET"), ...history("go on")] }],
    ["instructions", { instructions: "SECRET" }],
    ["a tool", { tools: [{ type: "function", name: "f", description: "SECRET", parameters: {} }] }],
  ])("under hold finds what %s holds, however often it is sent", async (_where, body) => {
    const seen: string[] = [];
    const check = defineSafetyCheck({
      id: "word",
      describe: "for this test",
      async check(text) {
        seen.push(text);
        return { allowed: !text.includes("SECRET"), reason: "holds it" };
      },
    });
    const at = await test.open({ policy: "hold", checks: [check] });
    test.peer.answer((response) => void startStream(response).end(all));
    const send = async (more: object) =>
      (await client.post({ ...RESPONSES, body: { ...RESPONSES.body, ...more } }, {}, at)).status;
    expect([await send(body), await send(body)]).toEqual([400, 400]);
    expect(await send({ input: history("fine") })).toBe(200);
    expect(await send({ input: [...history("fine"), { role: "user", content: "next" }] })).toBe(200);
    expect([seen.at(-1)?.includes("fine"), seen.at(-1)?.includes("next")]).toEqual([false, true]);
  });

  it("that fails refuses", async () => {
    const check = defineSafetyCheck({
      id: "broken",
      describe: "for this test",
      check: () => Promise.reject(new Error("x")),
    });
    const at = await test.open({ checks: [check] });
    expect((await client.post(RESPONSES, {}, at)).status).toBe(500);
  });
});
