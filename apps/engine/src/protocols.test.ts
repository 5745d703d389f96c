import { afterAll, describe, expect, it } from "vitest";
import { type ChatWire, startTestEngine } from "./testing.ts";

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
    expect(JSON.stringify(body)).toMatch(/scripted-cheap, scripted-strong/);
    const models = await (await fetch(`${engine.url}/v1/models`)).json();
    expect(models).toMatchObject({ object: "list", data: [{ id: "scripted-cheap" }, { id: "scripted-strong" }] });
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
