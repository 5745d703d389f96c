import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, chunk } from "../testing/chat-chunks.ts";
import { tool, translate, translateAnswer, user } from "../testing/translate-responses.ts";

describe("tools of a Responses request", () => {
  it("of a namespace have a name of their own, and their calls are said back by both", () => {
    const tools = [
      { type: "namespace", name: "mcp__docs", tools: [tool, { type: "custom", name: "ask" }, { type: "web_search" }] },
      { type: "namespace", name: "functions", tools: [{ ...tool, name: "wait" }] },
      { type: "namespace", name: "mcp__".padEnd(70, "x"), tools: [tool] },
    ];
    const { json, dropped } = translate({
      input: [{ type: "function_call", call_id: "a", name: "run", namespace: "mcp__docs", arguments: "{}" }],
      tools,
      tool_choice: { type: "function", name: "run", namespace: "mcp__docs" },
    });
    const names = z.array(z.object({ function: z.object({ name: z.string() }) })).parse(json.tools);
    const [long = ""] = names.slice(3).map((each) => each.function.name);
    expect(names.map((each) => each.function.name)).toEqual(["mcp__docs__run", "mcp__docs__ask", "wait", long]);
    expect(long).toMatch(/^mcp__x+_[0-9a-f]{8}$/);
    expect(long).toHaveLength(64);
    expect(dropped).toEqual(["tools[0].tools[2]: web_search"]);
    expect(json).toMatchObject({
      tool_choice: { function: { name: "mcp__docs__run" } },
      messages: [{ tool_calls: [{ function: { name: "mcp__docs__run" } }] }],
    });
    const events = translateAnswer(
      [
        chunk(call(0, "mcp__docs__run", "{}", "id-0")),
        chunk(call(1, "mcp__docs__ask", '{"input":"x"}', "id-1")),
        chunk(call(2, "wait", "{}", "id-2")),
        chunk({}, { finish_reason: "tool_calls" }),
      ],
      { tools },
    );
    const { output } = z.object({ output: z.array(z.unknown()) }).parse(events.at(-1)?.response);
    expect(output).toMatchObject([
      { type: "function_call", name: "run", namespace: "mcp__docs", arguments: "{}" },
      { type: "custom_tool_call", name: "ask", namespace: "mcp__docs", input: "x" },
      { type: "function_call", name: "wait" },
    ]);
    expect(output[2]).not.toHaveProperty("namespace");
  });

  it("of free text get their text back", () => {
    const tools = [{ type: "custom", name: "exec" }];
    const events = translateAnswer(
      [
        chunk(call(0, "exec", '{"input":', "id-0")),
        chunk(call(0, undefined, '"a\\nb"}')),
        chunk({}, { finish_reason: "tool_calls" }),
      ],
      { tools },
    );
    expect(events.at(-1)?.response).toMatchObject({
      output: [{ type: "custom_tool_call", call_id: "id-0", name: "exec", input: "a\nb" }],
      usage: null,
    });
  });

  it("say nothing of calls beside each other where there is nothing to call", () => {
    expect(translate({ parallel_tool_calls: true }).json).not.toHaveProperty("parallel_tool_calls");
    expect(translate({ parallel_tool_calls: false, tools: [tool] }).json).toMatchObject({ parallel_tool_calls: false });
  });
});

describe("a search for tools", () => {
  const SEARCH = {
    type: "tool_search",
    execution: "client",
    description: "Finds tools",
    parameters: { type: "object", properties: { query: { type: "string" } } },
  };
  const found = (name: string, description: string) => ({ ...tool, name, description, defer_loading: true });
  const asked = { type: "tool_search_call", call_id: "s", execution: "client", arguments: { query: "mail" } };
  const answered = (...tools: object[]) => ({ type: "tool_search_output", call_id: "s", execution: "client", tools });

  it("shows a client's search for tools as a function, and says its call back as a search", () => {
    const events = translateAnswer(
      [
        chunk(call(0, "tool_search", '{"query":', "s")),
        chunk(call(0, undefined, '"mail"}')),
        chunk(call(1, "run", "{}", "r")),
        chunk({}, { finish_reason: "tool_calls" }),
      ],
      { tools: [tool, SEARCH] },
    );
    expect(translate({ tools: [SEARCH] })).toMatchObject({
      json: {
        tools: [{ function: { name: "tool_search", description: "Finds tools", parameters: SEARCH.parameters } }],
      },
      dropped: [],
    });
    const done = events.filter(({ type }) => type === "response.output_item.done");
    expect(done).toMatchObject([{ item: asked }, { item: { type: "function_call", call_id: "r", name: "run" } }]);
    expect(done[0]?.item).toMatchObject({ status: "completed", id: expect.stringMatching(/^tsc_/) });
    expect(events.filter(({ type }) => type.includes("arguments")).map(({ item_id }) => item_id)).toEqual(
      Array(2).fill(expect.stringMatching(/^fc_/)),
    );
  });

  it("lets the model call what a search found, once by each name and as it was found last", () => {
    const mail = { type: "namespace", name: "mcp__mail", tools: [found("send", "Sends"), found("read", "Reads")] };
    const { json } = translate({
      tools: [SEARCH, { ...tool, name: "old" }],
      input: [
        user("go"),
        asked,
        answered(mail, found("old", "Newer")),
        { ...asked, call_id: "t" },
        { ...answered(found("old", "Newest")), call_id: "t" },
        { ...asked, call_id: "u" },
        { ...answered(), call_id: "u" },
      ],
    });
    const tools = z.array(z.object({ function: z.object({ name: z.string(), description: z.string() }) }));
    expect(tools.parse(json.tools).map(({ function: { name, description } }) => [name, description])).toEqual([
      ["tool_search", "Finds tools"],
      ["old", "Newest"],
      ["mcp__mail__send", "Sends"],
      ["mcp__mail__read", "Reads"],
    ]);
    expect(json.messages).toMatchObject([
      { role: "user" },
      { tool_calls: [{ id: "s", function: { name: "tool_search", arguments: '{"query":"mail"}' } }] },
      { role: "tool", tool_call_id: "s", content: expect.stringMatching(/mcp__mail__send: Sends\n.*read: Reads\nold/) },
      { role: "assistant" },
      { role: "tool", tool_call_id: "t", content: expect.stringContaining("old: Newest") },
      { role: "assistant" },
      { role: "tool", tool_call_id: "u", content: "Nothing was found." },
    ]);
  });

  it("leaves out a search that the provider does: all that it could find is shown", () => {
    const server = { ...asked, call_id: null, execution: "server" };
    const { json, dropped } = translate({
      tools: [{ type: "tool_search" }, found("send", "Sends")],
      input: [user("go"), server, { ...answered(found("send", "Sends")), call_id: null, execution: "server" }],
    });
    expect(json).toMatchObject({ tools: [{ function: { name: "send" } }], messages: [{ role: "user" }] });
    expect(dropped).toEqual(["tools[0]: tool_search", "input: tool_search_call", "input: tool_search_output"]);
  });

  it.each([
    ["a call without an id", { ...asked, call_id: null }, "input[1].call_id"],
    ["found tools that are no list", { ...answered(), tools: {} }, "input[1].tools"],
  ])("refuses %s with its path", (_what, item, field) => {
    expect(() => translate({ input: [user("go"), item] })).toThrow(
      expect.objectContaining({ field, code: "invalid_request" }),
    );
  });

  it("takes a model at its word that looks for no object", () => {
    const events = translateAnswer(
      [chunk(call(0, "tool_search", "mail", "s")), chunk({}, { finish_reason: "tool_calls" })],
      { tools: [SEARCH] },
    );
    expect(events.at(-1)?.response).toMatchObject({ output: [{ type: "tool_search_call", arguments: "mail" }] });
  });
});
