import { afterAll, describe, expect, it } from "vitest";
import { type ChatWire, type MessagesBlock, type MessagesWire, startTestEngine } from "./testing.ts";

const engine = await startTestEngine();
afterAll(() => engine.stop());

const prompt = "Task: lru-cache-overwrite\nRepository: acme/cache\n\nThe cache shrinks.";
const ask = { model: "scripted-strong", input: prompt };
const chat = { model: "scripted-strong", messages: [{ role: "user", content: prompt }] };

/** An answer without what differs between two requests: ids and time. */
const withoutIds = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replace(/"(id|call_id|item_id)":"[^"]*"/g, '"$1":""')
      .replace(/"(created|created_at)":\d+/g, '"$1":0'),
  );

describe("POST /v1/responses", () => {
  it("streams items in order, each opened, filled and closed, and ends with the whole answer", async () => {
    const events = await engine.events("/v1/responses", ask);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at));
    expect(events[0]).toMatchObject({ type: "response.created", response: { status: "in_progress", output: [] } });
    const completed = events.at(-1);
    expect(completed?.type).toBe("response.completed");
    const done = events.filter((event) => event.type === "response.output_item.done").map((event) => event.item);
    expect(completed?.response?.output).toEqual(done);
    expect(done.map((item) => item?.type)).toEqual(["reasoning", "message", ...Array(5).fill("function_call")]);
    done.forEach((item, index) => {
      const own = events.filter((event) => event.output_index === index).map((event) => event.type);
      expect(own[0]).toBe("response.output_item.added");
      expect(own.at(-1)).toBe("response.output_item.done");
      if (item?.type === "message") expect(own).toContain("response.content_part.added");
      const delta = item?.type === "message" ? "response.output_text.delta" : "response.function_call_arguments.delta";
      const text = events.filter((e) => e.output_index === index && e.type === delta).map((e) => e.delta);
      if (item?.type === "message") expect(text.join("")).toBe(item.content?.[0]?.text);
      if (item?.type === "function_call") expect(text.join("")).toBe(item.arguments);
    });
    const names = done.flatMap((item) => item?.name ?? []);
    expect(names).toEqual(["list_files", "read_file", "read_file", "read_file", "run_tests"]);
    expect(new Set(done.flatMap((item) => item?.call_id ?? [])).size).toBe(5);
  });

  it("counts tokens of prompt and answer, reasoning among them", async () => {
    const { body } = await engine.json("/v1/responses", ask);
    const usage = body.usage;
    expect(usage?.input_tokens).toBe(engine.engine.tokenizer.count(`<|user|>${prompt}`));
    expect(usage?.output_tokens_details?.reasoning_tokens).toBeGreaterThan(20);
    expect(usage?.output_tokens).toBeGreaterThan(Number(usage?.output_tokens_details?.reasoning_tokens));
    expect(usage?.total_tokens).toBe(Number(usage?.input_tokens) + Number(usage?.output_tokens));
  });

  it("gives without a stream what it gives with one", async () => {
    const { body } = await engine.json("/v1/responses", ask);
    const events = await engine.events("/v1/responses", ask);
    expect(withoutIds(body)).toEqual(withoutIds(events.at(-1)?.response));
  });

  it("stops at max_output_tokens and says so", async () => {
    const events = await engine.events("/v1/responses", { ...ask, max_output_tokens: 100 });
    expect(events.at(-1)).toMatchObject({
      type: "response.incomplete",
      response: {
        status: "incomplete",
        incomplete_details: { reason: "max_output_tokens" },
        usage: { output_tokens: 100 },
      },
    });
    expect(events.at(-1)?.response?.output?.at(-1)).toMatchObject({ status: "incomplete" });
  });

  it("takes the prompt's token ids as they are", async () => {
    const { body } = await engine.json("/v1/responses", { ...ask, prompt_token_ids: [1, 2, 3] });
    expect(body.usage?.input_tokens).toBe(3);
  });

  it("says honestly that it knows only its bundled tasks", async () => {
    const { body } = await engine.json("/v1/responses", { model: "scripted-cheap", input: "Write a poem." });
    expect(body).toMatchObject({ status: "completed", output: [{ type: "message", role: "assistant" }] });
    expect(body.output?.[0]?.content?.[0]?.text).toMatch(/only know its bundled|only knows? its bundled tasks/);
  });
});

describe("POST /v1/chat/completions", () => {
  const joinCalls = (events: ChatWire[]): { name: string; arguments: string }[] => {
    const calls: { name: string; arguments: string }[] = [];
    for (const event of events) {
      for (const part of event.choices?.[0]?.delta?.tool_calls ?? []) {
        const index = Number(part.index);
        // An index is new at most by one: clients append.
        expect(index).toBeLessThanOrEqual(calls.length);
        const call = calls[index] ?? { name: String(part.function.name), arguments: "" };
        call.arguments += part.function.arguments ?? "";
        calls[index] = call;
      }
    }
    return calls;
  };

  it("streams the text and the calls of the same turn as Responses does", async () => {
    const events = await engine.events<ChatWire>("/v1/chat/completions", chat);
    expect(events.at(-1)).toBe("[DONE]");
    const chunks = events.slice(0, -1);
    expect(chunks.every((chunk) => chunk.object === "chat.completion.chunk" && !("usage" in chunk))).toBe(true);
    expect(chunks[0]?.choices?.[0]?.delta).toMatchObject({ role: "assistant" });
    expect(chunks.at(-1)?.choices?.[0]?.finish_reason).toBe("tool_calls");
    const { body } = await engine.json("/v1/responses", ask);
    const items = body.output ?? [];
    const expected = items.filter((item) => item.type === "function_call");
    expect(joinCalls(chunks)).toEqual(expected.map((item) => ({ name: item.name, arguments: item.arguments })));
    const text = chunks.map((chunk) => chunk.choices?.[0]?.delta?.content ?? "").join("");
    expect(text).toBe(items.find((item) => item.type === "message")?.content?.[0]?.text);
  });

  it("sends a usage chunk without choices when asked to", async () => {
    const asked = { ...chat, stream_options: { include_usage: true } };
    const events = await engine.events<ChatWire>("/v1/chat/completions", asked);
    const { body } = await engine.json<ChatWire>("/v1/chat/completions", chat);
    expect(events.at(-2)).toMatchObject({ choices: [], usage: body.usage });
    expect(events.slice(0, -2).every((chunk) => chunk.usage === null)).toBe(true);
    expect(body.usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(20);
    expect(body.usage?.prompt_tokens_details?.cached_tokens).toBe(0);
  });

  it("gives the whole message without a stream, and its length limit a finish reason", async () => {
    const { body } = await engine.json<ChatWire>("/v1/chat/completions", chat);
    expect(body.choices?.[0]).toMatchObject({ finish_reason: "tool_calls", message: { role: "assistant" } });
    expect(body.choices?.[0]?.message?.tool_calls).toHaveLength(5);
    const short = await engine.json<ChatWire>("/v1/chat/completions", { ...chat, max_completion_tokens: 5 });
    expect(short.body.choices?.[0]?.finish_reason).toBe("length");
    expect(short.body.usage?.completion_tokens).toBe(5);
  });
});

describe("POST /v1/messages", () => {
  const path = "/v1/messages";
  const body = { model: "scripted-strong", max_tokens: 4096, messages: [{ role: "user", content: prompt }] };

  /** What a client that follows the events has at the end, their order checked on the way. */
  const follow = (events: MessagesWire[]) => {
    const blocks: MessagesBlock[] = [];
    const texts: string[] = [];
    let open: number | null = null;
    for (const event of events.slice(2, -2)) {
      if (event.type === "content_block_start" && event.content_block) {
        expect([open, event.index]).toEqual([null, blocks.length]);
        open = blocks.push(event.content_block) - 1;
        texts.push("");
      } else {
        expect(event.index).toBe(open);
        if (event.type === "content_block_stop") open = null;
        else texts[Number(open)] += event.delta?.text ?? event.delta?.partial_json ?? "";
      }
    }
    expect(open).toBeNull();
    return blocks.map((block, at) =>
      block.type === "text" ? { ...block, text: texts[at] } : { ...block, input: JSON.parse(texts[at] ?? "") },
    );
  };

  it("streams one block after the other, with the calls of the same turn as Responses has", async () => {
    const events = await engine.events<MessagesWire>(path, body);
    const types = events.map((event) => event.type);
    expect(types.slice(0, 2)).toEqual(["message_start", "ping"]);
    expect(types.slice(-2)).toEqual(["message_delta", "message_stop"]);
    expect(events.at(-2)?.delta).toEqual({ stop_reason: "tool_use", stop_sequence: null });
    const items = (await engine.json("/v1/responses", ask)).body.output ?? [];
    const expected = items.flatMap((item): object[] => {
      if (item.type === "message") return [{ type: "text", text: item.content?.[0]?.text }];
      if (item.type !== "function_call") return [];
      return [{ type: "tool_use", name: item.name, input: JSON.parse(item.arguments ?? "") }];
    });
    expect(expected.length).toBe(6);
    const blocks = follow(events);
    expect(blocks).toMatchObject(expected);
    expect(new Set(blocks.flatMap((block) => block.id ?? [])).size).toBe(5);
  });

  it("gives without a stream what it gives with one", async () => {
    const whole = (await engine.json<MessagesWire>(path, body)).body;
    const events = await engine.events<MessagesWire>(path, body);
    const { delta, usage } = events.at(-2) ?? {};
    const streamed = { ...events[0]?.message, content: follow(events), ...delta, usage };
    expect(withoutIds(whole)).toMatchObject(Object(withoutIds({ ...streamed, usage: {} })));
    expect(whole.usage?.output_tokens).toBe(usage?.output_tokens);
  });

  it("says at the start what of the prompt was cached, beside what was not", async () => {
    const long = { ...body, messages: [{ role: "user", content: `${prompt}\n${"never seen before ".repeat(60)}` }] };
    const inputTokens = engine.engine.tokenizer.count(`<|user|>${long.messages[0]?.content}`);
    const reused = Math.floor((inputTokens - 1) / 64) * 64;
    for (const cached of [0, reused]) {
      const events = await engine.events<MessagesWire>(path, long);
      const expected = { input_tokens: inputTokens - cached, cache_read_input_tokens: cached };
      expect(events[0]?.message?.usage).toMatchObject({ ...expected, output_tokens: 1 });
      const last = events.at(-2)?.usage;
      expect(last).toMatchObject(expected);
      expect(last?.output_tokens).toBeGreaterThan(last?.output_tokens_details?.thinking_tokens ?? 0);
    }
    expect(reused).toBeGreaterThan(0);
  });

  it("stops at max_tokens; a call that was cut off is in the stream as far as it came, and in no message", async () => {
    const full = await engine.events<MessagesWire>(path, body);
    const total = Number(full.at(-2)?.usage?.output_tokens);
    const cut = { ...body, max_tokens: total - 1 };
    const events = await engine.events<MessagesWire>(path, cut);
    expect(events.at(-2)?.delta?.stop_reason).toBe("max_tokens");
    expect(events.filter((event) => event.type === "content_block_start")).toHaveLength(6);
    const whole = (await engine.json<MessagesWire>(path, cut)).body;
    expect(whole).toMatchObject({ stop_reason: "max_tokens", usage: { output_tokens: total - 1 } });
    expect(whole.content?.map((block) => block.type)).toEqual(["text", ...Array(4).fill("tool_use")]);
  });

  it.each([
    [{ ...body, max_tokens: 0 }, 400, "invalid_request_error", "max_tokens"],
    [{ ...body, messages: [{ role: "user" }] }, 400, "invalid_request_error", "messages[0].content"],
    [{ ...body, model: "claude-x" }, 404, "not_found_error", "model"],
    ["{", 400, "invalid_request_error", "body"],
  ])("refuses %j as Anthropic would: %s %s", async (wrong, status, type, param) => {
    expect(await engine.json(path, wrong)).toMatchObject({ status, body: { type: "error", error: { type, param } } });
  });
});

describe("bad input", () => {
  const responses = "/v1/responses";
  it.each([
    [responses, { input: "x" }, "model"],
    [responses, { model: "scripted-strong" }, "input"],
    [
      responses,
      {
        model: "scripted-strong",
        input: [
          { role: "user", content: "a" },
          { role: "robot", content: "b" },
        ],
      },
      "input[1].role",
    ],
    [
      responses,
      { model: "scripted-strong", input: [{ role: "user", content: [{ text: "b" }] }] },
      "input[0].content[0].type",
    ],
    [responses, { ...ask, max_output_tokens: 0 }, "max_output_tokens"],
    [responses, { ...ask, previous_response_id: "resp_1" }, "previous_response_id"],
    [responses, { ...ask, prompt_token_ids: [] }, "input"],
    [responses, { ...ask, prompt_token_ids: [1.5] }, "prompt_token_ids[0]"],
    [responses, "{", "body"],
    ["/v1/chat/completions", { model: "scripted-strong", messages: [] }, "messages"],
    ["/v1/chat/completions", { ...chat, tools: [{ type: "function" }] }, "tools[0].function"],
  ])("%s %j is 400 and names %s", async (path, body, field) => {
    expect(await engine.json(path, body)).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_request", param: field } },
    });
  });

  it("answers an unknown model with 404 and the known ones", async () => {
    const { status, body } = await engine.json(responses, { ...ask, model: "gpt-x", stream: true });
    expect(status).toBe(404);
    expect(JSON.stringify(body)).toMatch(/scripted-cheap, scripted-optimizer, scripted-strong/);
    const models = await (await fetch(`${engine.url}/v1/models`)).json();
    const served = ["scripted-cheap", "scripted-optimizer", "scripted-strong", "scripted-tools"].map((id) => ({ id }));
    expect(models).toMatchObject({ object: "list", data: served });
  });

  it("refuses a prompt that leaves no room for an answer", async () => {
    const small = await startTestEngine({ CENTSPAN_KV_BLOCKS: "2" });
    const full = await small.json(responses, { ...ask, prompt_token_ids: Array(128).fill(7) });
    expect(full).toMatchObject({ status: 400, body: { error: { param: "input" } } });
    const last = await small.json(responses, { ...ask, prompt_token_ids: Array(127).fill(7) });
    expect(last.body).toMatchObject({ status: "incomplete", usage: { output_tokens: 1 } });
    await small.stop();
  });
});

it("is healthy", async () => {
  expect(await (await fetch(`${engine.url}/health`)).json()).toEqual({ status: "ok" });
});
