import { describe, expect, it } from "vitest";
import { createReader, readModelFacts, readUsage, recogniseSpan } from "./index.ts";

function read(attributes: Record<string, string>) {
  const spoken = recogniseSpan({ attributes, scopeName: "" });
  const reader = createReader(attributes);
  return (
    spoken && {
      id: spoken.dialect.id,
      usage: readUsage(reader, spoken.layout),
      facts: readModelFacts(reader, spoken),
    }
  );
}

describe("reasoning beside the output", () => {
  const counts = (output: number, reasoning: number, name = "gen_ai.usage.details.thoughts_tokens") => ({
    "gen_ai.usage.input_tokens": "40",
    "gen_ai.usage.output_tokens": String(output),
    [name]: String(reasoning),
  });
  const gemini = { "gen_ai.request.model": "gemini-2.5-flash" };

  it.each<[string, Record<string, string>]>([
    ["a provider that counts so", { "gen_ai.provider.name": "gcp.vertex_ai", "gen_ai.request.model": "m" }],
    ["the same by its old name", { "gen_ai.system": "gcp.gemini" }],
    ["a model of its own", gemini],
    ["another such provider", { "gen_ai.provider.name": "x_ai" }],
  ])("is proven by there being more of it, with %s", (_who, facts) => {
    for (const name of ["gen_ai.usage.details.thoughts_tokens", "gen_ai.usage.reasoning.output_tokens"]) {
      const usage = read({ ...facts, ...counts(50, 400, name) })?.usage;
      expect(usage).toMatchObject({
        quarantineReason: "",
        buckets: { input: 40, outputText: 50, outputReasoning: 400 },
      });
    }
  });

  it("is not taken for that where it fits into the output, nor by a total that says otherwise", () => {
    expect(read({ ...gemini, ...counts(159, 121) })?.usage?.buckets).toMatchObject({
      outputText: 38,
      outputReasoning: 121,
    });
    const total = { "gen_ai.usage.total_tokens": "90" };
    expect(read({ ...gemini, ...counts(50, 400), ...total })?.usage?.quarantineReason).toBe("total_mismatch");
  });

  it("is what Google's kit said before it had a standard name", () => {
    const adk = {
      "gen_ai.system": "gcp.vertex.agent",
      ...counts(50, 10, "gen_ai.usage.experimental.reasoning_tokens"),
    };
    expect(read(adk)).toMatchObject({
      id: "google-adk",
      facts: { provider: "google" },
      usage: { buckets: { input: 40, outputText: 50, outputReasoning: 10 }, quarantineReason: "" },
    });
  });
});
