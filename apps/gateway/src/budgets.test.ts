import { formatDecimal, parseDecimal } from "@centspan/base";
import { budgetInputSchema } from "@centspan/model";
import { waitUntil } from "@centspan/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBudgetOpener, limited, PRICES, periodOf } from "./testing/budget-opener.ts";
import { CHAT, createGatewayClient, type GatewayClient, MESSAGES, RESPONSES } from "./testing/gateway-client.ts";
import { createTrace, openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";
import {
  CHAT_EVENTS,
  type PeerRequest,
  RESPONSES_EVENTS,
  startStream,
  WHOLE_MESSAGE,
} from "./testing/upstream-peer.ts";

let test: TestGateway;
let client: GatewayClient;
let openBudget: ReturnType<typeof createBudgetOpener>;

const SEARCH = { type: "web_search_20250305", name: "web_search", max_uses: 3 };
/** 36 tokens read, 64 from the cache, 12 generated. */
const SPENT = "0.01624";

beforeAll(async () => {
  test = await openTestGateway();
  client = await createGatewayClient(test);
  openBudget = createBudgetOpener(test, client);
});
afterAll(() => test.close());

const answerResponses = (response: Parameters<typeof startStream>[0]): void =>
  void startStream(response).end(RESPONSES_EVENTS.created + RESPONSES_EVENTS.delta + RESPONSES_EVENTS.completed);

describe("a budget", () => {
  it("counts what calls cost, by what was reported, and gives back what they did not need", async () => {
    test.peer.answer(answerResponses);
    const { ask, read, keyId } = await openBudget();
    for (let call = 0; call < 3; call++) await (await ask()).text();
    const spent = formatDecimal(parseDecimal(SPENT).times(parseDecimal("3")));
    await waitUntil("the account", async () => (await read())[0]?.[1] === spent);
    expect(await read()).toEqual([[keyId, spent, expect.any(String)]]);
  });

  it("says on spans what it is, what was set aside and what is left", async () => {
    test.peer.answer(answerResponses);
    const { ask, budget } = await openBudget();
    const { traceId, traceparent } = createTrace();
    await (await ask(undefined, { traceparent })).text();
    const again = createTrace();
    await (await ask(undefined, { traceparent: again.traceparent })).text();
    expect(await client.readAttributes(traceId, "api.admit")).toMatchObject({
      "centspan.admit.budget": "ok",
      "centspan.budget.names": [budget.name],
    });
    const reserved = await client.readAttributes(traceId, "api.reserve");
    expect(Number(reserved["centspan.budget.reserved_usd"])).toBeCloseTo(0.1, 2);
    expect(Number(reserved["centspan.budget.headroom_usd"])).toBeCloseTo(0.9, 2);
    const admitted = await client.readAttributes(again.traceId, "api.admit");
    expect(admitted["centspan.budget.headroom_usd"]).toBe(formatDecimal(parseDecimal("1").minus(parseDecimal(SPENT))));
  });

  it.each([
    ["openai-responses", limited(RESPONSES, 1_100), "insufficient_quota"],
    ["openai-chat", { ...CHAT, body: { ...CHAT.body, max_tokens: 1_100 } }, "insufficient_quota"],
    ["several answers", { ...CHAT, body: { ...CHAT.body, max_tokens: 110, n: 10 } }, "insufficient_quota"],
    ["anthropic-messages", { ...MESSAGES, body: { ...MESSAGES.body, max_tokens: 1_100 } }, "billing_error"],
  ])("refuses what does not fit, in the shape of %s, and asks nobody", async (_protocol, call, type) => {
    test.peer.answer(answerResponses);
    const { ask, budget } = await openBudget();
    const { traceId, traceparent } = createTrace();
    const answer = await ask(call, { traceparent });
    expect(answer.status).toBe(402);
    expect(answer.headers.get("retry-after")).toBeNull();
    const text = await answer.text();
    expect(JSON.parse(text)).toMatchObject({ error: { type, code: "budget_exceeded" } });
    const next = new Date(Date.UTC(periodOf(budget).getUTCFullYear(), periodOf(budget).getUTCMonth() + 1, 1));
    for (const said of [budget.name, "0 of 1 USD", "up to 1.1", next.toISOString()]) expect(text).toContain(said);
    expect(test.peer.requests).toHaveLength(0);
    expect(await client.readAttributes(traceId, "api.reserve")).toMatchObject({
      "centspan.verdict": "budget_exceeded",
    });
  });

  it("lets calls wait for those that hold what is left, and no longer", async () => {
    const held: (() => void)[] = [];
    test.peer.answer((response) => void held.push(() => answerResponses(response)));
    const { ask } = await openBudget();
    const first = ask(limited(RESPONSES, 700));
    await waitUntil("the first to be asked", () => test.peer.requests.length === 1);
    const refused = await ask(limited(RESPONSES, 700));
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toMatchObject({ error: { code: "budget_reserved", type: "rate_limit_error" } });
    held[0]?.();
    await (await first).text();
    test.peer.answer(answerResponses);
    expect((await ask(limited(RESPONSES, 700))).status).toBe(200);
  });

  it("is priced at the long-context rate where the prompt is long", async () => {
    test.peer.answer(answerResponses);
    const { ask } = await openBudget({ limitUsd: "100" });
    const { traceId, traceparent } = createTrace();
    const body = { ...RESPONSES.body, input: "word ".repeat(2_000), max_output_tokens: 1_000 };
    await (await ask({ ...RESPONSES, body }, { traceparent })).text();
    const { "centspan.budget.reserved_usd": usd } = await client.readAttributes(traceId, "api.reserve");
    // 2,000 tokens at 200 and 1,000 at 1,500 per million.
    expect(Number(usd)).toBeGreaterThan(1.9);
    expect(Number(usd)).toBeLessThan(1.95);
  });

  const search = (tools: object[], more: object = {}) => ({
    ...RESPONSES.body,
    max_output_tokens: 100,
    tools,
    ...more,
  });
  it.each([
    ["as many as a tool may make", { ...MESSAGES, body: { ...MESSAGES.body, tools: [SEARCH] } }, 0.03],
    [
      "of all tools together",
      { ...MESSAGES, body: { ...MESSAGES.body, tools: [SEARCH, { ...SEARCH, max_uses: 4 }] } },
      0.07,
    ],
    ["ten where nothing is said", { ...RESPONSES, body: search([{ type: "web_search" }]) }, 0.1],
    [
      "ten where no number is said",
      { ...RESPONSES, body: search([{ type: "web_search_preview", max_uses: "2" }]) },
      0.1,
    ],
    [
      "as many as all tools may be used",
      { ...RESPONSES, body: search([{ type: "web_search" }], { max_tool_calls: 2 }) },
      0.02,
    ],
    ["none of other tools", { ...RESPONSES, body: search([{ type: "image_generation" }], { max_tool_calls: 2 }) }, 0],
    ["none that have no price", { ...RESPONSES, body: search([{ type: "web_search" }], { model: "m-2026" }) }, 0],
    [
      "more than can be counted",
      { ...RESPONSES, body: search([1, 2].map(() => ({ ...SEARCH, max_uses: 2 ** 53 - 1 }))) },
      9e13,
    ],
  ])("sets searches of the web aside: %s", async (_how, call, searchesUsd) => {
    test.peer.answer(answerResponses);
    const { ask } = await openBudget({ enforcement: "soft" });
    const { traceId, traceparent } = createTrace();
    await (await ask(call, { traceparent })).text();
    const { "centspan.budget.reserved_usd": usd } = await client.readAttributes(traceId, "api.reserve");
    // A hundred tokens of the answer are a tenth, and the prompt and its tools are less than a hundredth.
    expect(Number(usd)).toBeGreaterThanOrEqual((0.1 + searchesUsd) * (1 - 1e-9));
    expect(Number(usd)).toBeLessThan((0.11 + searchesUsd) * (1 + 1e-2));
  });

  it("frees what was set aside where the call failed, was refused or left before its answer", async () => {
    const { ask, read, headers, url } = await openBudget({ limitUsd: "0.15" });
    test.peer.answer((response) => void response.writeHead(500).end("{}"));
    expect((await ask()).status).toBe(500);
    test.peer.answer((response) => void response.writeHead(400).end("{}"));
    expect((await ask()).status).toBe(400);
    test.peer.answer((response) => void response.destroy());
    expect((await ask()).status).toBe(502);
    test.peer.answer(() => undefined);
    const leaving = new AbortController();
    const left = fetch(url + RESPONSES.path, {
      ...{ method: "POST", signal: leaving.signal, body: JSON.stringify(limited(RESPONSES, 100).body) },
      headers: { ...client.common, ...headers },
    }).catch(() => undefined);
    await waitUntil("the call", () => test.peer.requests.length === 1);
    leaving.abort();
    await left;
    test.peer.answer(answerResponses);
    await waitUntil("a call that fits", async () => (await ask()).status === 200);
    await waitUntil("the account", async () => (await read())[0]?.[1] === SPENT);
  });

  it("counts of an answer that broke off its prompt and what was seen of it", async () => {
    const { ask, read } = await openBudget();
    test.peer.answer((response) => {
      startStream(response).write(RESPONSES_EVENTS.created + RESPONSES_EVENTS.delta.repeat(5), () =>
        response.destroy(),
      );
    });
    await (await ask()).text().catch(() => "");
    const [, spent] = await waitUntil("the account", async () => (await read()).find(([, usd]) => usd !== "0"));
    // A few tokens of the prompt, and four for each of five pieces.
    expect(Number(spent)).toBeGreaterThan(0.02);
    expect(Number(spent)).toBeLessThan(0.022);
  });

  it("never stops anybody where it is soft", async () => {
    test.peer.answer(answerResponses);
    const { ask, read } = await openBudget({ enforcement: "soft", limitUsd: "0.01" });
    for (let call = 0; call < 3; call++) expect((await ask()).status).toBe(200);
    await waitUntil("the account", async () => (await read())[0]?.[1] === "0.04872");
  });

  it("refuses a model without a price, unless it says otherwise", async () => {
    test.peer.answer(answerResponses);
    const strict = await openBudget();
    const call = { ...RESPONSES, body: { ...RESPONSES.body, model: "nobody-knows", max_output_tokens: 10 } };
    const answer = await strict.ask(call);
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ error: { code: "unpriced_model", param: "model" } });
    for (const change of [{ unpriced: "allow" as const }, { enforcement: "soft" as const }]) {
      expect((await (await openBudget(change)).ask(call)).status).toBe(200);
    }
  });

  it("holds for each run by itself, for all its life, and names it by its session where it has no other name", async () => {
    test.peer.answer(answerResponses);
    const { ask, read } = await openBudget({ scope: "run", subject: "*", period: "life", limitUsd: "0.11" });
    const runs = [{ "x-centspan-run": "one" }, { "x-centspan-run": "two" }, { "x-centspan-session": "three" }];
    for (const run of runs) expect((await ask(undefined, run)).status).toBe(200);
    const refused = await ask(undefined, { "x-centspan-run": "one" });
    expect(refused.status).toBe(402);
    expect(await refused.text()).toContain("never resets");
    await waitUntil("the accounts", async () => (await read()).every(([, spent]) => spent === SPENT));
    expect((await read()).map(([subject]) => subject).sort()).toEqual(["one", "three", "two"]);
    // Without a run there is nothing to count in.
    expect((await ask()).status).toBe(200);
  });

  it("counts in the conversation that a prompt's cache is named by, and in none where many may share one", async () => {
    test.peer.answer(answerResponses);
    const { ask, read } = await openBudget({ scope: "run", subject: "*" });
    const { path, body } = limited(RESPONSES, 100);
    const conversation = "01a2280d-f718-72b0-be55-d38639de3010";
    for (const prompt_cache_key of ["a\0b", "\ud800", "k".repeat(513), "support-bot-v3", conversation]) {
      expect((await ask({ path, body: { ...body, prompt_cache_key } })).status).toBe(200);
    }
    await waitUntil("the account", async () => (await read())[0]?.[1] === SPENT);
    expect((await read()).map(([subject]) => subject)).toEqual([conversation]);
  });

  it("holds together with others: all of them have to have enough, and none keeps what another refused", async () => {
    test.peer.answer(answerResponses);
    const { ask, budget, read } = await openBudget();
    const input = { name: "typos", scope: "taskType", subject: "typo", period: "day", limitUsd: "0.05" };
    await test.control.createBudget(test.workspace, budgetInputSchema.parse(input), "tests");
    const url = await test.open({ prices: PRICES });
    const { headers } = await openBudget();
    const refused = await client.post(limited(RESPONSES, 100), { ...headers, "x-centspan-task-type": "typo" }, url);
    expect(await refused.text()).toContain(input.name);
    expect((await ask()).status).toBe(200);
    await waitUntil("what was set aside to be free", async () => (await read())[0]?.[1] === SPENT);
    expect(budget.name).not.toBe(input.name);
  });

  it("bounds an answer by the key's rule, and asks the upstream to keep to it", async () => {
    let asked: PeerRequest | undefined;
    test.peer.answer((response, request) => {
      asked = request;
      startStream(response).end(CHAT_EVENTS.delta + CHAT_EVENTS.finish + CHAT_EVENTS.usage + CHAT_EVENTS.done);
    });
    const { keyId, ask } = await openBudget({ limitUsd: "0.05" });
    await test.control.setKeyRules(test.workspace, keyId, { maxOutputTokens: 20 }, "tests");
    expect((await ask(CHAT)).status).toBe(200);
    expect(JSON.parse(asked?.body ?? "")).toMatchObject({ max_completion_tokens: 20 });
    const refused = await ask({ ...CHAT, body: { ...CHAT.body, max_tokens: 21 } });
    expect(await refused.json()).toMatchObject({ error: { code: "forbidden" } });
  });

  it("goes on with what was leased while the store is away, and refuses what that does not cover", async () => {
    test.peer.answer(answerResponses);
    const { ask } = await openBudget({ limitUsd: "10" });
    expect((await ask()).status).toBe(200);
    await test.gate.shut();
    expect((await ask()).status).toBe(200);
    const refused = await ask(limited(RESPONSES, 900));
    expect(refused.status).toBe(503);
    await test.gate.open();
    await waitUntil("the store", async () => (await ask()).status === 200);
  });

  it("counts an answer in one piece by its usage, each way to cache at its price", async () => {
    const { ask, read } = await openBudget();
    test.peer.answer((response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(WHOLE_MESSAGE));
    });
    await (await ask({ ...MESSAGES, body: { ...MESSAGES.body, stream: false } })).text();
    await waitUntil("the account", async () => (await read())[0]?.[1] === "0.021");
  });
});
