import type { Conversation } from "@centspan/model";
import { tokenizeConversation } from "@centspan/tokens";
import { afterEach, describe, expect, it, vi } from "vitest";
import { readEvents, startTestEngine, until } from "./testing.ts";

vi.setConfig({ testTimeout: 30_000 });

type TestEngine = Awaited<ReturnType<typeof startTestEngine>>;
type Span = Awaited<ReturnType<TestEngine["takeSpans"]>>[number];

const stateOf = ({ engine }: TestEngine) => {
  const [first] = engine.states();
  if (!first) throw new Error("an engine has a replica");
  return first.state;
};

const started: TestEngine[] = [];
async function start(settings?: Record<string, string>): Promise<TestEngine> {
  const engine = await startTestEngine(settings);
  started.push(engine);
  await engine.takeSpans();
  return engine;
}
afterEach(async () => {
  await Promise.all(started.splice(0).map((engine) => engine.stop()));
});

const prompt = "Task: semver-prerelease\nRepository: acme/semver\n\nPrereleases are sorted wrongly.";
const ask = { model: "scripted-strong", input: prompt };
const startNs = (span: Span): bigint => BigInt(span.startTime[0]) * 1_000_000_000n + BigInt(span.startTime[1]);
const endNs = (span: Span): bigint => BigInt(span.endTime[0]) * 1_000_000_000n + BigInt(span.endTime[1]);
const idOf = (span: Span): string => span.spanContext().spanId;

describe("prefix reuse", () => {
  it("finds the whole blocks of the turn before, more each turn", async () => {
    const engine = await start();
    const input: object[] = [{ role: "user", content: prompt }];
    let before = 0;
    for (let turn = 1; turn <= 4; turn++) {
      const { body } = await engine.json("/v1/responses", { ...ask, input });
      // Reasoning follows the prompt and is not sent back: just the full blocks of the last prompt can be there.
      expect(body.usage?.input_tokens_details?.cached_tokens).toBe(Math.floor(before / 64) * 64);
      before = Number(body.usage?.input_tokens);
      const items = body.output ?? [];
      const output = "line of a file\n".repeat(20);
      const calls = items.filter((item) => item.type === "function_call");
      const results = calls.map(({ call_id }) => ({ type: "function_call_output", call_id, output }));
      input.push(...items, ...results);
    }
    expect(before).toBeGreaterThan(300);
  });

  it("finds its own answer again where no reasoning stood before it", async () => {
    const engine = await start();
    const user = { role: "user", content: "Tell me a story. ".repeat(30) };
    const first = await engine.json("/v1/responses", { ...ask, input: [user] });
    const answer = { role: "assistant", content: first.body.output?.[0]?.content?.[0]?.text };
    const second = await engine.json("/v1/responses", {
      ...ask,
      input: [user, answer, { role: "user", content: "And?" }],
    });
    const tokens = Number(first.body.usage?.total_tokens);
    // The last token of an answer is never fed back, so its keys and values were not computed.
    expect(second.body.usage?.input_tokens_details?.cached_tokens).toBe(Math.floor((tokens - 1) / 64) * 64);
  });

  it("is the same for token ids from the gateway and for a prompt tokenized here", async () => {
    const engine = await start();
    const text = "The same long prompt. ".repeat(40);
    const items: Conversation["items"] = [{ type: "message", role: "user", text }];
    const ids = tokenizeConversation(engine.engine.tokenizer, { instructions: "", tools: [], items });
    const first = await engine.json("/v1/responses", { ...ask, input: text });
    const second = await engine.json("/v1/responses", { ...ask, input: text, prompt_token_ids: ids });
    expect(second.body.usage?.input_tokens).toBe(first.body.usage?.input_tokens);
    expect(second.body.usage?.input_tokens_details?.cached_tokens).toBe(Math.floor((ids.length - 1) / 64) * 64);
  });
});

describe("spans", () => {
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const request = { headers: { traceparent } };

  it("hang under the caller's span and link every token to its engine step, both ways", async () => {
    const engine = await start();
    const { body } = await engine.json("/v1/responses", ask, request);
    const spans = await engine.takeSpans();
    const own = spans.filter((span) => span.spanContext().traceId === "0af7651916cd43dd8448eb211c80319c");
    expect(own.map((span) => span.name).sort()).toEqual([
      "inference.decode",
      "inference.kv.lookup",
      "inference.prefill",
      "inference.queue",
    ]);
    for (const span of own) {
      expect(span.parentSpanContext?.spanId).toBe("b7ad6b7169203331");
      expect(span.attributes).toMatchObject({
        "centspan.layer": "inference",
        "centspan.provenance": "simulated",
        "centspan.replica.id": "engine-0",
        "centspan.time_scale": 0.01,
      });
      expect(endNs(span)).toBeGreaterThanOrEqual(startNs(span));
    }
    const find = (name: string): Span => own.filter((span) => span.name === name)[0] ?? expect.fail(name);
    const [queue, lookup, prefill, decode] = [
      find("inference.queue"),
      find("inference.kv.lookup"),
      find("inference.prefill"),
      find("inference.decode"),
    ];
    expect([endNs(queue), endNs(lookup), endNs(prefill)]).toEqual([startNs(lookup), startNs(prefill), startNs(decode)]);
    expect(lookup.attributes).toMatchObject({ "centspan.kv.hit_blocks": 0, "centspan.kv.policy": "lru-leaf" });
    expect(prefill.attributes).toMatchObject({ "centspan.prefill.tokens": body.usage?.input_tokens });
    expect(decode.attributes).toMatchObject({ "centspan.decode.tokens": body.usage?.output_tokens });

    const steps = new Map(spans.filter((s) => s.name === "inference.decode.step").map((s) => [idOf(s), s]));
    const linked = decode.links.map((link) => steps.get(link.context.spanId) ?? expect.fail("a link to no step"));
    expect(new Set(linked).size).toBe(body.usage?.output_tokens);
    expect(linked).toHaveLength(Number(body.usage?.output_tokens));
    expect(new Set(linked.map((step) => step.spanContext().traceId)).size).toBe(1);
    for (const step of linked) {
      expect(step.parentSpanContext).toBeUndefined();
      expect(step.links.map((link) => link.context.spanId)).toContain(idOf(decode));
    }
    expect(prefill.links.map((link) => link.context.spanId)).toEqual([idOf(linked[0] ?? prefill)]);
    // The schedule has no gaps while a request is being served, and the last step ends the request.
    linked.slice(1).forEach((step, at) => {
      expect(startNs(step)).toBe(endNs(linked[at] ?? step));
    });
    expect(endNs(decode)).toBe(endNs(linked.at(-1) ?? decode));
  });

  it("share a step when requests come together", async () => {
    const engine = await start({ CENTSPAN_TIME_SCALE: "0.5" });
    await Promise.all(Array.from({ length: 6 }, () => engine.json("/v1/responses", ask)));
    const steps = (await engine.takeSpans()).filter((span) => span.name === "inference.decode.step");
    const largest = Math.max(...steps.map((step) => Number(step.attributes["centspan.step.batch_size"])));
    expect(largest).toBeGreaterThan(1);
    for (const step of steps) {
      const { "centspan.step.batch_size": batch, "centspan.step.prefill_tokens": prefill } = step.attributes;
      expect(step.links.length).toBeGreaterThanOrEqual(Number(batch));
      expect(Number(batch) + Number(prefill)).toBeGreaterThan(0);
    }
  });

  it("of a request without trace context still make one trace", async () => {
    const engine = await start();
    await engine.json("/v1/responses", ask);
    const own = (await engine.takeSpans()).filter((span) => span.name !== "inference.decode.step");
    expect(own).toHaveLength(4);
    expect(new Set(own.map((span) => span.spanContext().traceId)).size).toBe(1);
  });

  it("say what was evicted, by which policy", async () => {
    const engine = await start({ CENTSPAN_KV_BLOCKS: "12" });
    for (let n = 0; n < 4; n++) {
      await engine.json("/v1/responses", { ...ask, prompt_token_ids: Array(300).fill(n), max_output_tokens: 8 });
    }
    const evictions = (await engine.takeSpans()).filter((span) => span.name === "inference.kv.evict");
    expect(evictions.length).toBeGreaterThan(0);
    expect(evictions[0]?.attributes).toMatchObject({ "centspan.kv.policy": "lru-leaf", "centspan.kv.tier": "device" });
    expect(evictions[0]?.parentSpanContext).toBeUndefined();
  });

  it("come out whole when requests preempt each other", async () => {
    const engine = await start({ CENTSPAN_KV_BLOCKS: "8", CENTSPAN_TIME_SCALE: "0.5" });
    const sizes = [200, 220, 180, 210];
    const answers = await Promise.all(
      sizes.map((tokens, n) => engine.json("/v1/responses", { ...ask, prompt_token_ids: Array(tokens).fill(n) })),
    );
    const spans = await engine.takeSpans();
    const decodes = spans.filter((span) => span.name === "inference.decode");
    const made = answers.map(({ body }) => Number(body.usage?.output_tokens)).sort();
    expect(decodes.map((span) => span.links.length).sort()).toEqual(made);
    expect(spans.filter((span) => span.name === "inference.queue").length).toBeGreaterThan(sizes.length);
  });
});

describe("a client that goes away", () => {
  it.each([true, false])("gives its place and blocks back (stream: %s)", async (stream) => {
    // So slow that the answer would take a minute: what is given back, is given back because the client left.
    const engine = await start({ CENTSPAN_TIME_SCALE: "50" });
    const leave = new AbortController();
    const gone = engine
      .post("/v1/responses", { ...ask, stream }, { signal: leave.signal })
      .then((response) => response.text())
      .catch((error: Error) => error.name);
    await until(() => stateOf(engine).running === 1);
    expect(stateOf(engine).blocks.exclusive).toBeGreaterThan(0);
    leave.abort();
    expect(await gone).toBe("AbortError");
    await until(() => stateOf(engine).running === 0);
    expect(stateOf(engine)).toMatchObject({ waiting: 0, blocks: { exclusive: 0, pinned: 0 } });
    const spans = await engine.takeSpans();
    expect(spans.some((span) => span.attributes["centspan.stream.aborted"] === true)).toBe(true);
    expect((await engine.json("/v1/responses", { ...ask, max_output_tokens: 1 })).status).toBe(200);
  });
});

it("ends streams with a failure when it stops", async () => {
  const engine = await startTestEngine({ CENTSPAN_TIME_SCALE: "1" });
  const response = await engine.post("/v1/responses", { ...ask, stream: true });
  await until(() => stateOf(engine).running === 1);
  const text = response.text();
  await engine.stop();
  expect(readEvents(await text).at(-1)).toMatchObject({
    type: "response.failed",
    response: { error: { code: "not_ready" } },
  });
});
