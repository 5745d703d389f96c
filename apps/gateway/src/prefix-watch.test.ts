import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Call, createGatewayClient, type GatewayClient, MESSAGES, RESPONSES } from "./testing/gateway-client.ts";
import { createTrace, openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";
import { MESSAGES_EVENTS, RESPONSES_EVENTS, startStream } from "./testing/upstream-peer.ts";

let test: TestGateway;
let client: GatewayClient;

beforeAll(async () => {
  test = await openTestGateway();
  client = await createGatewayClient(test);
});
afterAll(() => test.close());

const user = (content: string) => ({ role: "user", content });
const answerWith = (events: object): void =>
  test.peer.answer((response) => void startStream(response).end(Object.values(events).join("")));

/** What the call's span says of prefix and cache. */
async function ask(call: Call, more: object, headers: Record<string, string> = {}, at = client.url) {
  const trace = createTrace();
  const body = { ...Object(call.body), ...more };
  await (await client.post({ ...call, body }, { ...trace, ...headers }, at)).text();
  const attributes = await client.readAttributes(trace.traceId, "chat m");
  const told = Object.entries(attributes).filter(([name]) => /^centspan\.(prefix|cache)\./.test(name));
  return Object.fromEntries(told.map(([name, value]) => [name.replace(/^centspan\./, ""), value]));
}

describe("the span of a call", () => {
  it("says what stayed of the conversation's prompt before, and why a cache will miss", async () => {
    answerWith(RESPONSES_EVENTS);
    const session = { "x-centspan-session": "s-1" };
    const first = await ask(RESPONSES, { instructions: "s", input: [user("one")] }, session);
    expect(first).toEqual({ "prefix.fingerprint": expect.stringMatching(/^[0-9a-f]{16}$/) });
    const grown = { instructions: "s", input: [user("one"), user("two")] };
    const second = await ask(RESPONSES, { ...grown, client_metadata: { turn: "2" } }, session);
    expect(second).toMatchObject({ "prefix.kept": true, "prefix.shared_pieces": 2 });
    expect(second).not.toHaveProperty("cache.miss_reasons");
    expect((await ask(RESPONSES, grown, session))["prefix.fingerprint"]).toBe(second["prefix.fingerprint"]);
    const third = await ask(
      RESPONSES,
      { ...grown, input: [user("one"), user("2"), user("three")], reasoning: { effort: "high" } },
      session,
    );
    expect(third).toMatchObject({
      "prefix.kept": false,
      "prefix.shared_pieces": 2,
      "prefix.diverged_section": "history",
      "prefix.diverged_path": "input[1]",
      "prefix.change": "item_changed",
      "prefix.before_span_id": expect.stringMatching(/^[0-9a-f]{16}$/),
      "cache.miss_reasons": ["reasoning_effort_changed", "input_changed"],
    });
  });

  it("says by their keys which blocks a prompt has: of one that goes on those that are new, after the last of before", async () => {
    answerWith(RESPONSES_EVENTS);
    const session = { "x-centspan-session": "s-blocks" };
    const beginning = user("tell me of whales and of the sea ".repeat(40));
    const keysOf = (told: Record<string, unknown>): string[] => String(told["prefix.block_keys"]).split(".");
    const first = await ask(RESPONSES, { input: [beginning] }, session);
    const second = await ask(RESPONSES, { input: [beginning, user("and of ships ".repeat(80))] }, session);
    expect([first["prefix.known_blocks"], keysOf(first).length > 3]).toEqual([0, true]);
    const known = Number(second["prefix.known_blocks"]);
    expect(known).toBeGreaterThan(3);
    expect(keysOf(second)[0]).toBe(keysOf(first)[known - 1]);
    expect(keysOf(second).length).toBeGreaterThan(2);
    // Of another conversation that begins alike all are said, and they are the same.
    const other = await ask(RESPONSES, { input: [beginning] }, { "x-centspan-session": "s-other" });
    expect(keysOf(other)).toEqual(keysOf(first));
  });

  it("tells conversations without a session apart by how they began, and keys by themselves", async () => {
    answerWith(RESPONSES_EVENTS);
    const turn = { instructions: "be brief", input: [user("a task")] };
    await ask(RESPONSES, turn);
    expect(await ask(RESPONSES, { ...turn, instructions: "be long" })).toMatchObject({
      "prefix.diverged_path": "instructions",
      "cache.miss_reasons": ["system_changed"],
    });
    const { secret } = await test.createKey();
    expect(await ask(RESPONSES, turn, { authorization: `Bearer ${secret}` })).not.toHaveProperty("prefix.kept");
  });

  it("counts time only where a provider's cache forgets by it, and marks never", async () => {
    answerWith(MESSAGES_EVENTS);
    const anthropic = await test.open({ provider: "anthropic" });
    const kept = await ask(MESSAGES, {}, {}, anthropic);
    expect(kept["prefix.fingerprint"]).toBeDefined();
    const later = { messages: [...MESSAGES.body.messages, user("more")], system: "be brief" };
    test.prefixClock.aheadMs += 300_001;
    expect(await ask(MESSAGES, later, {}, anthropic)).toMatchObject({
      "prefix.kept": true,
      "cache.miss_reasons": ["ttl_passed"],
    });
    await ask(MESSAGES, later);
    test.prefixClock.aheadMs += 300_001;
    expect(await ask(MESSAGES, later)).not.toHaveProperty("cache.miss_reasons");
  });

  it("does not take for cached what the upstream refused", async () => {
    test.peer.answer((response) => void response.writeHead(400).end("{}"));
    await ask(RESPONSES, { input: [user("refused")] });
    answerWith(RESPONSES_EVENTS);
    expect(await ask(RESPONSES, { input: [user("refused")] })).not.toHaveProperty("prefix.kept");
  });
});
