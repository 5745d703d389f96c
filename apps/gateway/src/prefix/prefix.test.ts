import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import messages from "../protocols/messages.ts";
import responses from "../protocols/responses.ts";
import { comparePrompts } from "./compare-prompts.ts";
import { createPrefixMemory } from "./prefix-memory.ts";
import { type Prompt, type PromptLayout, readPrompt } from "./read-prompt.ts";

const layoutOf = ({ layout }: { layout?: PromptLayout }): PromptLayout => {
  if (layout === undefined) throw new Error("has no layout");
  return layout;
};
const readMessages = (body: object): Prompt => readPrompt(body, layoutOf(messages), "m", "");
const readResponses = (body: object): Prompt => readPrompt(body, layoutOf(responses), "m", "");

const user = (content: unknown) => ({ role: "user", content });
const mark = { cache_control: { type: "ephemeral" } };

describe("what is compared", () => {
  it("is kept as hashes, however long the texts are", () => {
    const long = "x".repeat(10_000);
    const prompt = readResponses({ input: long, prompt_cache_key: long, text: { format: { schema: long } } });
    expect(JSON.stringify(prompt).length).toBeLessThan(2_000);
  });

  it("is what the model sees: marks, ids and how texts are cut change nothing", () => {
    const tool = { name: "t", input_schema: { type: "object", properties: { id: { type: "string" } } } };
    const call = { type: "tool_use", name: "t", input: { id: 1 } };
    const plain = { system: "s", tools: [tool], messages: [user("hi"), { role: "assistant", content: [call] }] };
    const marked = {
      metadata: { user_id: "u" },
      system: [{ type: "text", text: "s", ...mark }],
      tools: [{ ...tool, ...mark }],
      messages: [
        user([
          { type: "text", text: "h" },
          { type: "text", text: "i", ...mark },
        ]),
        { role: "assistant", content: [{ ...call, id: "toolu_1", ...mark }] },
      ],
    };
    expect(comparePrompts(readMessages(plain), readMessages(marked), 0)).toEqual({
      sharedPieces: 4,
      diverged: null,
      sharedItems: 2,
      knownTokens: 0,
      changedParameters: 0,
      reasons: [],
    });
    const other = { ...plain, messages: [user("hi"), { role: "assistant", content: [{ ...call, input: { id: 2 } }] }] };
    expect(comparePrompts(readMessages(plain), readMessages(other), 0).diverged?.index).toBe(1);
    const schema = { ...plain, tools: [{ ...tool, input_schema: { type: "object", properties: {} } }] };
    expect(comparePrompts(readMessages(plain), readMessages(schema), 0).reasons).toEqual(["tools_changed"]);
  });

  const base = { instructions: "s", tools: [{ type: "function", name: "a" }], input: [user("one"), user("two")] };
  it.each<[string, object, unknown]>([
    ["instructions", { instructions: "S" }, { section: "system", reasons: ["system_changed"], shared: 0 }],
    [
      "a tool more",
      { tools: [...base.tools, { type: "function", name: "b" }] },
      { section: "tools", reasons: ["tools_changed"], shared: 2 },
    ],
    ["history", { input: [user("one"), user("2")] }, { section: "history", reasons: ["input_changed"], shared: 3 }],
    [
      "history that got shorter",
      { input: [user("one")] },
      { section: "history", reasons: ["input_changed"], shared: 3 },
    ],
    [
      "a compacted history",
      { input: [{ type: "compaction", encrypted_content: "x" }] },
      { section: "history", reasons: ["compaction"], shared: 2 },
    ],
    ["a tier", { service_tier: "flex" }, { reasons: ["service_tier_changed"], shared: 4 }],
    [
      "what is asked of the text",
      { text: { verbosity: "low", format: { type: "json_object" } } },
      { reasons: ["verbosity_changed", "text_format_changed"], shared: 4 },
    ],
    ["a cache key", { prompt_cache_key: "k" }, { reasons: ["prompt_cache_key_changed"], shared: 4 }],
    ["nothing but what is new", { input: [...base.input, user("three")] }, { reasons: [], shared: 4 }],
  ])("names %s", (_what, change, expected) => {
    const { diverged, reasons, sharedPieces } = comparePrompts(
      readResponses(base),
      readResponses({ ...base, ...change }),
      0,
    );
    const section = diverged === null ? {} : { section: diverged.section };
    expect({ ...section, reasons, shared: sharedPieces }).toEqual(expected);
  });

  const schema = { type: "object", properties: { a: { type: "string" }, b: { type: "number" } } };
  const turned = { properties: { b: { type: "number" }, a: { type: "string" } }, type: "object" };
  const tool = (name: string, parameters: object = schema) => ({ type: "function", name, parameters });
  const told = { instructions: "Today is Monday, 12:01. Be brief.", tools: [tool("a"), tool("b")], input: base.input };
  it.each<[string, object, string]>([
    ["clock", { instructions: "Today is Tuesday, 9:30. Be brief." }, "instructions"],
    ["text", { instructions: "Today is Monday, 12:01. Be long." }, "instructions"],
    ["tool_order", { tools: [tool("b"), tool("a")] }, "tools[0]"],
    ["key_order", { tools: [tool("a"), tool("b", turned)] }, "tools[1]"],
    ["tool_order", { tools: [tool("b", turned), tool("a")] }, "tools[0]"],
    ["tools_added", { tools: [tool("a"), tool("c"), tool("b")] }, "tools[1]"],
    ["tools_removed", { tools: [tool("b")] }, "tools[0]"],
    ["tool_changed", { tools: [tool("a"), tool("b", { type: "object" })] }, "tools[1]"],
    ["item_changed", { input: [user("one"), user("2")] }, "items[1]"],
    ["items_dropped", { input: [user("two")] }, "items[0]"],
    ["items_dropped", { input: [user("one")] }, "items[1]"],
  ])("says in a word what changed: %s", (change, changed, path) => {
    const { diverged } = comparePrompts(readResponses(told), readResponses({ ...told, ...changed }), 0);
    const at = diverged?.member === "system" ? "instructions" : `${diverged?.member}[${diverged?.index}]`;
    expect([diverged?.change, at]).toEqual([change, path]);
  });

  it("names model and effort as they go upstream, and time, by what keeps the prefix longest", () => {
    const before = readPrompt(base, layoutOf(responses), "a", "low");
    const now = readPrompt(base, layoutOf(responses), "b", "high");
    expect(comparePrompts(before, now, 600_001).reasons).toEqual([
      "model_changed",
      "reasoning_effort_changed",
      "ttl_passed",
    ]);
    const newer = readPrompt(base, layoutOf(responses), "gpt-5.6", "");
    expect(comparePrompts(newer, newer, 1_800_000).reasons).toEqual([]);
    const hour = readMessages({ system: [{ type: "text", text: "s", cache_control: { ttl: "1h" } }], messages: [] });
    expect(comparePrompts(hour, hour, 3_599_999).reasons).toEqual([]);
    expect(comparePrompts(hour, hour, 3_600_001).reasons).toEqual(["ttl_passed"]);
  });

  it.each<[string, string[], number]>([
    ["all of it, where it only grew", ["a", "b", "c", "d"], 1_007],
    ["what is in its place, where something was changed", ["a", "B", "c", "d"], 1_007],
    ["what is in its place, where the last was changed", ["a", "b", "S", "d"], 1_007],
    ["what is left, where the rest was dropped", ["c", "d"], 1_004],
    ["what is left, where a summary stands for the rest", ["a", "S", "d"], 1_001],
    ["nothing of it but the head, where all was summed up", ["S", "d"], 1_000],
  ])("knows of an earlier prompt %s", (_what, texts, known) => {
    const sizes: Record<string, number> = { a: 1, b: 2, B: 2, c: 4, d: 8, S: 16 };
    const read = (list: string[]): Prompt => {
      const itemTokens = list.map((text) => sizes[text] ?? 0);
      const tokens = itemTokens.reduce((sum, each) => sum + each, 1_000);
      return readPrompt({ input: list.map(user) }, layoutOf(responses), "m", "", { tokens, itemTokens });
    };
    expect(comparePrompts(read(["a", "b", "c"]), read(texts), 0).knownTokens).toBe(known);
  });

  it("shares what a comparison piece by piece would find", () => {
    const texts = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 6 });
    fc.assert(
      fc.property(texts, texts, (left, right) => {
        const [before, now] = [left, right].map((list) => readResponses({ input: list.map(user) }));
        if (!before || !now) return;
        const at = left.findIndex((text, index) => text !== right[index]);
        const shared = at < 0 ? left.length : at;
        const compared = comparePrompts(before, now, 0);
        expect(compared.sharedPieces).toBe(shared);
        if (at < 0) expect(compared.diverged).toBeNull();
        else expect(compared.diverged).toMatchObject({ section: "history", member: "items", index: at });
      }),
    );
  });
});

describe("real agents", () => {
  const shared = process.env.CENTSPAN_SHARED;
  it.skipIf(shared === undefined)(
    "keep their prefix in every turn, but where they compact (needs CENTSPAN_SHARED)",
    () => {
      const folder = `${shared}/captures`;
      const files = readdirSync(folder).filter((file) => /^(codex|claude-code).*\.jsonl$/.test(file));
      const told = files
        .filter((file) => !file.includes(".otlp."))
        .flatMap((file) => compareTurns(`${folder}/${file}`));
      expect(told.length).toBeGreaterThan(20);
      expect(told.filter(({ reasons }) => reasons.length > 0)).toEqual([
        { file: expect.stringContaining("remote-compaction"), reasons: ["compaction"] },
        { file: expect.stringContaining("remote-compaction"), reasons: ["compaction"] },
      ]);
    },
  );

  /** Each call of a recorded session against those before it. */
  function compareTurns(file: string): { file: string; reasons: string[] }[] {
    const memory = createPrefixMemory();
    const records = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    return records.flatMap(({ kind, path, body }) => {
      const protocol = [responses, messages].find(({ route }) => String(path).split("?")[0]?.endsWith(route.slice(3)));
      if (kind !== "http" || protocol === undefined || typeof body !== "object") return [];
      const prompt = readPrompt(body, layoutOf(protocol), body.model, body.reasoning?.effort ?? "");
      const compared = memory.compare("session", prompt);
      memory.keep("session", prompt);
      return compared === null ? [] : [{ file, reasons: compared.reasons }];
    });
  }
});

describe("what is remembered", () => {
  it("is compared with what was said last, though an earlier prompt began in the same way", () => {
    const memory = createPrefixMemory();
    const [a, b] = ["a", "b"].map((name) => ({ type: "function", name }));
    const ask = (tools: unknown[], ...texts: string[]) => readResponses({ tools, input: texts.map(user) });
    memory.keep("c", ask([a, b], "1"));
    memory.keep("c", ask([b, a], "1", "2"));
    expect(memory.compare("c", ask([a, b], "1", "2", "3"))?.diverged?.change).toBe("tool_order");
  });

  it("is how an agent's prompts begin, too, over conversations that have nothing else in common", () => {
    const memory = createPrefixMemory();
    const ask = (instructions: string, question: string, headTokens = 15_000) =>
      readPrompt({ instructions, input: [user(question)] }, layoutOf(responses), "m", "", {
        headTokens,
        tokens: 17_000,
      });
    memory.keep("c", ask("It is 12:01.", "one"), { owner: "key", spanId: "span" });
    expect(memory.compare("d", ask("It is 12:01.", "two"), "key")).toBeNull();
    expect(memory.compare("d", ask("It is 12:02.", "two"), "key")).toMatchObject({
      knownTokens: 15_000,
      spanId: "span",
      diverged: { change: "clock", section: "system" },
      reasons: ["system_changed"],
    });
    expect(memory.compare("d", ask("It is 12:02.", "two"), "another key")).toBeNull();
    expect(memory.compare("d", ask("It is late.", "two"), "key")).toBeNull();
    expect(memory.compare("d", ask("It is 12:02.", "two", 500), "key")).toBeNull();
  });

  const turn = (...texts: string[]): Prompt => readResponses({ instructions: "s", input: texts.map(user) });

  it("is compared within its conversation, over a side question and beside another thread", () => {
    const memory = createPrefixMemory();
    expect(memory.compare("c", turn("a"))).toBeNull();
    memory.keep("c", turn("a"));
    const aside = { input: ["a", "is this about code?"].map(user), instructions: "s" };
    memory.keep("c", readPrompt(aside, layoutOf(responses), "small", ""));
    expect(memory.compare("c", turn("a", "b"))).toMatchObject({ diverged: null, reasons: [] });
    expect(memory.compare("c", turn("a thread of its own"))).toBeNull();
    expect(memory.compare("d", turn("a"))).toBeNull();
    expect(memory.compare("c", turn("now 12:01", "a"))?.reasons).toEqual(["input_changed"]);
  });

  it("is bounded by pieces and by time, the oldest going first", () => {
    const clock = { nowMs: 1 };
    const memory = createPrefixMemory({ maxPieces: 50, nowMs: () => clock.nowMs });
    memory.keep("a", turn("x"));
    memory.keep("b", turn("x"));
    memory.keep("c", turn("x"));
    expect(["a", "b", "c"].map((id) => memory.compare(id, turn("x")) !== null)).toEqual([false, true, true]);
    clock.nowMs = 25 * 3_600_000;
    memory.keep("d", turn("x"));
    expect(["b", "c", "d"].map((id) => memory.compare(id, turn("x")) !== null)).toEqual([false, false, true]);
  });
});
