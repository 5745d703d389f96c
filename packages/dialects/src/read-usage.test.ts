import { formatDecimal } from "@centspan/base";
import { describe, expect, it } from "vitest";
import { createReader, readModelFacts, readUsage, recogniseSpan } from "./index.ts";

const read = (attributes: Record<string, string>, scopeName = "") => {
  const spoken = recogniseSpan({ attributes, scopeName });
  const reader = createReader(attributes);
  return (
    spoken && {
      id: spoken.dialect.id,
      usage: readUsage(reader, spoken.layout),
      facts: readModelFacts(reader, spoken),
    }
  );
};

it("a model's marks are no part of its id, however many there are", () => {
  const modelOf = (model: string) =>
    read({ "gen_ai.operation.name": "chat", "gen_ai.request.model": model })?.facts.model;
  expect(modelOf("claude-opus-4-8[1m][fast]")).toBe("claude-opus-4-8");
  const odd = `${"[a]".repeat(500_000)}x`;
  expect(modelOf(odd)).toBe(odd);
});

it.each([
  [{ "server.address": "eu.api.openai.com" }, "eu"],
  [{ "server.address": "us.api.openai.com", "centspan.response.region": "eu" }, "eu"],
  [{ "server.address": "api.openai.com" }, ""],
  [{ "server.address": "eu.api.openai.com.example.org" }, ""],
])("a region is what the answer says, or else the host that was asked: %j is %j", (attributes, region) => {
  expect(read({ "gen_ai.operation.name": "chat", ...attributes })?.facts.region).toBe(region);
});

describe("a response id", () => {
  it.each([
    ["chatcmpl-417", ""],
    ["chatcmpl-1764374400", ""],
    ["resp_52", ""],
    ["chatcmpl-1764374400123456789", "chatcmpl-1764374400123456789"],
    ["chatcmpl-Bk2d9aQ1", "chatcmpl-Bk2d9aQ1"],
    ["msg_01Ab", "msg_01Ab"],
    ["msg_1", ""],
    ["chatcmpl-default", ""],
    ["None", ""],
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

it("tells cache writes apart by how long they live, and quarantines an hour's that exceed all", () => {
  const counts = (hour: string) => ({
    "gen_ai.usage.input_tokens": "100",
    "gen_ai.usage.output_tokens": "1",
    "gen_ai.usage.cache_creation.input_tokens": "60",
    "centspan.usage.cache_creation_1h.input_tokens": hour,
  });
  expect(read(counts("20"))?.usage?.buckets).toMatchObject({ input: 40, cacheWrite5m: 40, cacheWrite1h: 20 });
  expect(read(counts("61"))?.usage?.quarantineReason).toBe("hour_writes_exceed_writes");
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

describe("places", () => {
  const langfuse = (usage: string) => read({ "langfuse.observation.usage_details": usage }, "langfuse-sdk")?.usage;

  it("may be keys of JSON inside an attribute", () => {
    const usage = langfuse(
      '{"input":207,"input_cached_tokens":1792,"output":90,"output_reasoning_tokens":310,"total":2399}',
    );
    expect(usage).toMatchObject({ inputSemantics: "exclusive", quarantineReason: "" });
    expect(usage?.buckets).toMatchObject({ input: 207, cacheRead: 1792, outputText: 90, outputReasoning: 310 });
  });

  it("of another shape of that JSON are another layout's, with its own meaning", () => {
    const usage = langfuse(
      '{"prompt_tokens":1200,"completion_tokens":300,"total_tokens":1500,"prompt_tokens_details":{"cached_tokens":1000}}',
    );
    expect(usage?.buckets).toMatchObject({ input: 200, cacheRead: 1000, outputText: 300 });
  });

  it.each(["", "{", "null", "[]", "7", '"input"', '{"input":{"n":1}}', '{"toString":1}'])(
    "hold no usage in %j",
    (text) => {
      expect(langfuse(text)).toBeNull();
    },
  );

  it("take a text only where it can be that fact: threads have numbers, conversations don't", () => {
    const codex = {
      "codex.usage.total_tokens": "2",
      "gen_ai.usage.input_tokens": "1",
      "gen_ai.usage.output_tokens": "1",
    };
    expect(read({ ...codex, "thread.id": "4" })?.facts.sessionId).toBe("");
    expect(read({ ...codex, "thread.id": "01a227ff-26c4" })?.facts.sessionId).toBe("01a227ff-26c4");
  });

  it("are looked for in a span before those above it, but the better place comes first", () => {
    const reader = createReader({ "thread.id": "x", model: "inner" }, { "conversation.id": "c", model: "outer" });
    expect(reader(["conversation.id", "thread.id"])).toBe("c");
    expect(reader(["model"])).toBe("inner");
  });
});

it("Envoy's gateway passes on what Anthropic counted, and converts nothing", () => {
  const counts = {
    "gen_ai.usage.input_tokens": "100",
    "gen_ai.usage.output_tokens": "5",
    "gen_ai.usage.cache_read.input_tokens": "40",
  };
  const inputOf = (provider: string) =>
    read({ ...counts, "gen_ai.provider.name": provider }, "envoyproxy/ai-gateway")?.usage?.buckets.input;
  expect([inputOf("anthropic"), inputOf("openai")]).toEqual([100, 60]);
});

it("LiteLLM knows key and team of its callers, and its own cost", () => {
  const facts = read(
    {
      "gen_ai.usage.prompt_tokens": "10",
      "gen_ai.usage.completion_tokens": "1",
      "gen_ai.cost.total_cost": "0.0045",
      "metadata.user_api_key_alias": "ci",
      "metadata.user_api_key_team_alias": "core",
    },
    "litellm",
  )?.facts;
  expect(facts).toMatchObject({ key: "ci", team: "core" });
  expect(facts?.providedCostUsd && formatDecimal(facts.providedCostUsd)).toBe("0.0045");
});

describe("what Anthropic counted", () => {
  const fresh = { input: 500, cacheRead: 300 };

  it("is told as it is by releases of the AI SDK before 6, and by later ones with the cached tokens in it", () => {
    const legacy = {
      "ai.operationId": "ai.generateText.doGenerate",
      "ai.model.provider": "anthropic.messages",
      "ai.usage.inputTokens": "500",
      "ai.usage.cachedInputTokens": "300",
      "ai.usage.outputTokens": "50",
    };
    expect(read(legacy)?.usage).toMatchObject({ buckets: fresh, flags: ["input_semantics_exclusive_inferred"] });
    const later = { ...legacy, "ai.usage.inputTokens": "800", "ai.usage.inputTokenDetails.cacheReadTokens": "300" };
    expect(read(later)?.usage).toMatchObject({ buckets: fresh, flags: [] });
    const others = { ...legacy, "ai.model.provider": "openai.responses", "ai.usage.inputTokens": "800" };
    expect(read(others)?.usage).toMatchObject({ buckets: fresh, flags: [] });
  });

  it.each(["gen_ai.provider.name", "gen_ai.system"])(
    "goes through Envoy's gateway as it is, which says so in %s",
    (name) => {
      const usage = { "gen_ai.usage.input_tokens": "500", "gen_ai.usage.output_tokens": "50" };
      const cached = { "gen_ai.usage.cache_read.input_tokens": "300" };
      expect(read({ [name]: "anthropic", ...usage, ...cached }, "envoyproxy/ai-gateway")?.usage).toMatchObject({
        buckets: fresh,
      });
    },
  );
});
