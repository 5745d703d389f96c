import { CentspanError } from "@centspan/base";
import { describe, expect, it } from "vitest";
import { call, chunk, TURN } from "../testing/chat-chunks.ts";
import { tool, translate, translateAnswer } from "../testing/translate-responses.ts";

describe("a Chat Completions answer in Responses", () => {
  it("is thoughts, text and calls as items of their own, then usage", () => {
    const events = translateAnswer(TURN);
    expect(events.map(({ type }) => type.replace("response.", ""))).toEqual([
      ...["created", "in_progress"],
      ...["output_item.added", "reasoning_text.delta", "reasoning_text.done", "output_item.done"],
      ...["output_item.added", "content_part.added", "output_text.delta", "output_text.delta"],
      ...["output_text.done", "content_part.done", "output_item.done"],
      ...["output_item.added", "function_call_arguments.delta", "function_call_arguments.delta"],
      ...["function_call_arguments.done", "output_item.done"],
      ...["output_item.added", "function_call_arguments.delta", "function_call_arguments.done", "output_item.done"],
      "completed",
    ]);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
    expect(events.at(-1)?.response).toMatchObject({
      status: "completed",
      output: [
        { type: "reasoning", content: [{ text: "hm" }] },
        { type: "message", content: [{ text: "hello" }] },
        { type: "function_call", call_id: "id-0", name: "run", arguments: '{"x":1}' },
        { type: "function_call", call_id: "id-1", name: "run", arguments: "{}" },
      ],
      usage: { input_tokens: 9, input_tokens_details: { cached_tokens: 3 }, output_tokens: 4, total_tokens: 13 },
    });
  });

  it.each([
    ["by ids, whatever their numbers", [call(0, "run", "{", "a"), call(0, undefined, "}"), call(0, "run", "{}", "b")]],
    ["by ids that every piece repeats", [call(0, "run", "{", "a"), call(0, "", "}", "a"), call(0, "run", "{}", "b")]],
    [
      "by their place, where all come at once",
      [{ tool_calls: [...call(0, "run", "{}").tool_calls, ...call(0, "run", "{}").tool_calls] }],
    ],
  ])("tells calls apart %s", (_how, deltas) => {
    const events = translateAnswer([
      ...deltas.map((delta) => chunk(delta)),
      chunk({}, { finish_reason: "tool_calls" }),
    ]);
    expect(events.at(-1)?.response).toMatchObject({
      output: [
        { type: "function_call", name: "run", arguments: "{}" },
        { type: "function_call", name: "run", arguments: "{}" },
      ],
    });
  });

  it("puts calls together whose pieces come in turns, and says one after the other", () => {
    const events = translateAnswer([
      chunk(call(0, "run", "", "a")),
      chunk(call(1, "run", "", "b")),
      chunk(call(0, undefined, '{"x":')),
      chunk(call(1, undefined, '{"y":')),
      chunk(call(0, undefined, "1}")),
      chunk(call(1, undefined, "2}")),
      chunk({}, { finish_reason: "tool_calls" }),
    ]);
    expect(events.at(-1)?.response).toMatchObject({
      output: [
        { type: "function_call", call_id: "a", name: "run", arguments: '{"x":1}' },
        { type: "function_call", call_id: "b", name: "run", arguments: '{"y":2}' },
      ],
    });
  });

  it("says a call that follows a whole one as it comes", () => {
    const { answer } = translate();
    const sent = [call(0, "run", "{}", "a"), call(1, "run", '{"y":', "b"), call(1, undefined, "2}")].map((delta) =>
      answer.event(chunk(delta)),
    );
    expect(sent[1]).toContain("response.output_item.done");
    expect(sent[2]).toContain("response.function_call_arguments.delta");
  });

  it("says of its settings what was asked for", () => {
    const settings = {
      tools: [tool],
      tool_choice: { type: "function", name: "run" },
      parallel_tool_calls: false,
      temperature: 0.25,
      top_p: 0.5,
      truncation: "auto",
      metadata: { a: "b" },
      text: { format: { type: "json_object" }, verbosity: "low" },
      reasoning: { effort: "low", summary: "auto" },
    };
    const events = translateAnswer([chunk({ content: "x" }, { finish_reason: "stop" })], settings);
    for (const event of [events[0], events.at(-1)]) expect(event?.response).toMatchObject(settings);
    const [plain] = translateAnswer([chunk({ content: "x" }, { finish_reason: "stop" })]);
    expect(plain?.response).toMatchObject({ tool_choice: "auto", parallel_tool_calls: true, tools: [], metadata: {} });
  });

  it.each([
    ["length", "max_output_tokens"],
    ["content_filter", "content_filter"],
  ])("that ends by %s is incomplete", (finish_reason, reason) => {
    const events = translateAnswer([chunk({ content: "x" }, { finish_reason })]);
    expect(events.at(-1)).toMatchObject({ type: "response.incomplete", response: { incomplete_details: { reason } } });
  });

  it("that breaks off, or says that it failed, is no answer", () => {
    for (const chunks of [[chunk({ content: "x" })], [chunk({ content: "x" }), '{"error":{"message":"oom"}}']]) {
      expect(() => translateAnswer(chunks)).toThrow(CentspanError);
    }
  });

  it("in one piece is one response", () => {
    const { answer } = translate({ stream: false });
    const message = {
      role: "assistant",
      content: "hello",
      tool_calls: [{ id: "a", function: { name: "run", arguments: "{}" } }],
    };
    expect(answer.whole({ id: "c", choices: [{ index: 0, message, finish_reason: "tool_calls" }] })).toMatchObject({
      object: "response",
      status: "completed",
    });
  });
});
