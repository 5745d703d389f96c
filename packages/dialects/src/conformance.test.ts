/** What every dialect must do, over the registry: a new file is tested without editing this one. */
import { type Dialect, EMPTY_BUCKETS } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { dialects, readModelFacts, readUsage, recogniseDialect } from "./index.ts";

type Counts = Partial<Record<"input" | "output" | "cacheRead" | "cacheWrite" | "reasoning" | "total", string>>;

/** A span as the dialect's emitter would write it, with the given counts where it has a place for them. */
function makeSpan(dialect: Dialect, counts: Counts) {
  const attributes: Record<string, string> = {};
  for (const [name, text] of Object.entries(counts)) {
    const [first] = Object.entries(dialect.fields).find(([field]) => field === name)?.[1] ?? [];
    if (first) attributes[first] = text;
  }
  for (const name of dialect.recognise.attributes ?? []) {
    const isCount = [dialect.fields.input, dialect.fields.output, dialect.fields.reasoning].some((f) =>
      f.includes(name),
    );
    if (!isCount && !dialect.ambiguousCached?.includes(name)) attributes[name] ??= "0";
  }
  return { attributes, scopeName: dialect.recognise.scopes?.[0] ?? "" };
}

describe.each(dialects)("dialect $id", (dialect) => {
  const { cacheRead, cacheWrite, reasoning } = dialect.fields;
  const [read, write, thought] = [cacheRead.length && 40, cacheWrite.length && 25, reasoning.length && 15];

  it("is recognised by its own attributes, and says what it is", () => {
    expect(recogniseDialect(makeSpan(dialect, { input: "300", output: "60" }))?.id).toBe(dialect.id);
    expect(dialect.describe).not.toBe("");
  });

  it("gives buckets that are disjoint, whatever its counts include", () => {
    const span = makeSpan(dialect, { input: "300", output: "60", cacheRead: "40", cacheWrite: "25", reasoning: "15" });
    expect(readUsage(span, dialect)).toMatchObject({
      buckets: {
        input: dialect.inputIncludesCached ? 300 - read - write : 300,
        cacheRead: read,
        cacheWrite5m: write,
        cacheWrite1h: 0,
        outputText: dialect.outputIncludesReasoning ? 60 - thought : 60,
        outputReasoning: thought,
      },
      inputSemantics: dialect.inputIncludesCached ? "inclusive" : "exclusive",
      quarantineReason: "",
    });
  });

  it("reads a double and a string alike, and zero as a value", () => {
    expect(readUsage(makeSpan(dialect, { input: "300.0", output: "60" }), dialect)?.buckets.input).toBe(300);
    const zero = readUsage(makeSpan(dialect, { input: "0", output: "0" }), dialect);
    expect(zero).toMatchObject({ buckets: EMPTY_BUCKETS, flags: ["explicit_zero_usage"], quarantineReason: "" });
  });

  it("sees no usage where only a breakdown is given", () => {
    expect(readUsage(makeSpan(dialect, { reasoning: "15", cacheRead: "3" }), dialect)).toBeNull();
  });

  it.each([
    { why: "a negative count", counts: { input: "-1", output: "60" }, reason: "negative_count" },
    { why: "half a token", counts: { input: "0.5", output: "60" }, reason: "invalid_count" },
    { why: "text", counts: { input: "many", output: "60" }, reason: "invalid_count" },
    { why: "more than 2^53", counts: { input: "9007199254740993", output: "60" }, reason: "invalid_count" },
  ])("quarantines $why", ({ counts, reason }) => {
    const usage = readUsage(makeSpan(dialect, counts), dialect);
    expect(usage).toMatchObject({ quarantineReason: reason, buckets: EMPTY_BUCKETS });
  });

  it("quarantines a total that does not add up", () => {
    const usage = readUsage(makeSpan(dialect, { input: "300", output: "60", total: "999" }), dialect);
    expect(usage?.quarantineReason).toBe(dialect.fields.total.length > 0 ? "total_mismatch" : "");
  });

  it("names the model that answered before the one asked for", () => {
    const { requestModel, responseModel } = dialect.fields;
    const attributes = Object.fromEntries([
      ...requestModel.map((name) => [name, "claude-asked"]),
      ...responseModel.map((name) => [name, "claude-answered"]),
    ]);
    const facts = readModelFacts({ attributes }, dialect);
    expect(facts.model).toBe(responseModel.length > 0 ? "claude-answered" : "claude-asked");
    expect(facts.provider).toBe(dialect.defaultProvider ?? "anthropic");
  });
});
