import { formatDecimal } from "@centspan/base";
import { describe, expect, it } from "vitest";
import { readModelFacts, readUsage, recogniseDialect } from "./index.ts";

const read = (attributes: Record<string, string>, scopeName = "") => {
  const span = { attributes, scopeName };
  const dialect = recogniseDialect(span);
  return dialect && { id: dialect.id, usage: readUsage(span, dialect), facts: readModelFacts(span, dialect) };
};

it("a model's marks are no part of its id, however many there are", () => {
  const modelOf = (model: string) =>
    read({ "gen_ai.operation.name": "chat", "gen_ai.request.model": model })?.facts.model;
  expect(modelOf("claude-opus-4-8[1m][fast]")).toBe("claude-opus-4-8");
  const odd = `${"[a]".repeat(500_000)}x`;
  expect(modelOf(odd)).toBe(odd);
});

describe("a response id", () => {
  it.each([
    ["chatcmpl-417", ""],
    ["chatcmpl-1764374400", ""],
    ["resp_52", ""],
    ["chatcmpl-1764374400123456789", "chatcmpl-1764374400123456789"],
    ["chatcmpl-Bk2d9aQ1", "chatcmpl-Bk2d9aQ1"],
    ["msg_01", "msg_01"],
  ])("%s is %j: one that others may have too is none", (id, known) => {
    expect(read({ "gen_ai.operation.name": "chat", "gen_ai.response.id": id })?.facts.responseId).toBe(known);
  });
});

describe("evidence beats the dialect's default", () => {
  it("more cached than input tokens proves a disjoint count", () => {
    const usage = read({
      "gen_ai.usage.input_tokens": "25",
      "gen_ai.usage.cache_read.input_tokens": "75",
      "gen_ai.usage.output_tokens": "30",
    })?.usage;
    expect(usage).toMatchObject({ inputSemantics: "exclusive", flags: ["input_semantics_exclusive_inferred"] });
    expect(usage?.buckets).toMatchObject({ input: 25, cacheRead: 75, outputText: 30 });
  });

  it("reads and writes count together", () => {
    const usage = read({
      "gen_ai.usage.input_tokens": "60",
      "gen_ai.usage.cache_read.input_tokens": "40",
      "gen_ai.usage.cache_creation.input_tokens": "40",
      "gen_ai.usage.output_tokens": "1",
    })?.usage;
    expect(usage?.buckets).toMatchObject({ input: 60, cacheRead: 40, cacheWrite5m: 40 });
  });

  it("a total that only adds up with the cached tokens proves it too", () => {
    const usage = read({
      "gen_ai.usage.prompt_tokens": "500",
      "gen_ai.usage.completion_tokens": "20",
      "gen_ai.usage.cache_read_input_tokens": "300",
      "llm.usage.total_tokens": "820",
    })?.usage;
    expect(usage).toMatchObject({ inputSemantics: "exclusive", quarantineReason: "" });
    expect(usage?.buckets.input).toBe(500);
  });

  it("keeps both readings where an old name leaves it open", () => {
    const usage = read({
      "gen_ai.usage.prompt_tokens": "5000",
      "gen_ai.usage.completion_tokens": "200",
      "gen_ai.usage.cache_read_input_tokens": "3000",
    })?.usage;
    expect(usage?.inputSemantics).toBe("ambiguous");
    expect([usage?.buckets.input, usage?.alternativeBuckets?.input]).toEqual([2000, 5000]);
  });
});

it("quarantines reasoning that exceeds the output it is part of", () => {
  const usage = read({
    "gen_ai.usage.input_tokens": "1",
    "gen_ai.usage.output_tokens": "5",
    "gen_ai.usage.reasoning.output_tokens": "6",
  })?.usage;
  expect(usage?.quarantineReason).toBe("reasoning_exceeds_output");
});

describe("facts", () => {
  it.each([
    ["claude-opus-4-8[1m]", "claude-opus-4-8"],
    ["claude-sonnet-5", "claude-sonnet-5"],
    ["[1m]-model", "[1m]-model"],
  ])("the model of %j is %j", (written, expected) => {
    expect(read({ input_tokens: "1", model: written }, "com.anthropic.claude_code.tracing")?.facts.model).toBe(
      expected,
    );
  });

  it.each([
    ["openai.chat", "", "openai"],
    ["OpenAI", "", "openai"],
    ["anthropic.messages", "", "anthropic"],
    ["gcp.gemini", "", "google"],
    ["aws.bedrock", "us.anthropic.claude-sonnet-4", "aws-bedrock"],
    ["centspan", "scripted-strong", "centspan"],
    ["", "claude-sonnet-4-5", "anthropic"],
    ["", "o3-mini", "openai"],
    ["", "google/gemini-3-pro-preview", "google"],
    ["", "mistralai/some-model", "mistral"],
    ["", "llama", ""],
  ])("provider %j with model %j is %j", (provider, model, expected) => {
    const facts = read({
      "gen_ai.operation.name": "chat",
      "gen_ai.system": provider,
      "gen_ai.request.model": model,
    })?.facts;
    expect(facts?.provider).toBe(expected);
  });

  it.each([
    ["0.003375", "0.003375"],
    ["3.375e-3", "0.003375"],
    ["1e-7", "0.0000001"],
    ["1.5e2", "150"],
    ["12", "12"],
    ["-1", null],
    ["free", null],
  ])("a claimed cost of %j is %j", (text, expected) => {
    const cost = read({ "llm.token_count.prompt": "1", "llm.cost.total": text })?.facts.providedCostUsd;
    expect(cost ? formatDecimal(cost) : null).toBe(expected);
  });
});

it("does not recognise spans of other kinds", () => {
  expect(read({ "http.request.method": "GET", input_tokens: "5" })).toBeNull();
});
