/**
 * What a waterfall row says about a span beyond its name: one short note from its facts.
 * Notes are data (a kind and values); the words belong to the app's catalogue.
 * Add one: a kind here, a line in `describeSpan`, a text per language.
 */
import type { SpanFacts } from "@centspan/model";
import { readCount } from "./read-fact.ts";

export type Note =
  | { kind: "prefix_broken"; section: string }
  | { kind: "tokenized"; fresh: number; reused: number }
  | { kind: "safety"; policy: string; verdict: string }
  | { kind: "blocks_hit"; hit: number; total: number }
  | { kind: "prefilled"; tokens: number }
  | { kind: "decoded"; tokens: number }
  | { kind: "tests"; passed: number; failed: number }
  | { kind: "exit_code"; code: number }
  | { kind: "usage"; input: number; cached: number; output: number }
  | { kind: "http_status"; status: number }
  | { kind: "error"; error: string };

function describeUsage(facts: SpanFacts["facts"]): Note | null {
  const input = readCount(facts, "gen_ai.usage.input_tokens");
  const output = readCount(facts, "gen_ai.usage.output_tokens");
  if (input === null || output === null) return null;
  return { kind: "usage", input, cached: readCount(facts, "gen_ai.usage.cache_read.input_tokens") ?? 0, output };
}

function describeTool(facts: SpanFacts["facts"]): Note | null {
  const passed = readCount(facts, "centspan.tests.passed");
  const failed = readCount(facts, "centspan.tests.failed");
  if (passed !== null && failed !== null) return { kind: "tests", passed, failed };
  const code = readCount(facts, "process.exit.code");
  return code === null || code === 0 ? null : { kind: "exit_code", code };
}

function describeInference(span: SpanFacts): Note | null {
  const { facts } = span;
  const hit = readCount(facts, "centspan.kv.hit_blocks");
  const miss = readCount(facts, "centspan.kv.miss_blocks");
  if (hit !== null && miss !== null) return { kind: "blocks_hit", hit, total: hit + miss };
  const prefilled = readCount(facts, "centspan.prefill.tokens");
  if (span.name === "inference.prefill" && prefilled !== null) return { kind: "prefilled", tokens: prefilled };
  const decoded = readCount(facts, "centspan.decode.tokens");
  return span.name === "inference.decode" && decoded !== null ? { kind: "decoded", tokens: decoded } : null;
}

export function describeSpan(span: SpanFacts): Note | null {
  const { facts } = span;
  if (facts["centspan.prefix.kept"] === "false") {
    return { kind: "prefix_broken", section: facts["centspan.prefix.diverged_section"] ?? "" };
  }
  const fresh = readCount(facts, "centspan.tokens.new");
  if (fresh !== null) return { kind: "tokenized", fresh, reused: readCount(facts, "centspan.tokens.reused") ?? 0 };
  const policy = facts["centspan.safety.policy"];
  if (policy !== undefined) return { kind: "safety", policy, verdict: facts["centspan.verdict"] ?? "" };
  const described = describeInference(span) ?? describeTool(facts) ?? describeUsage(facts);
  if (described !== null) return described;
  const status = readCount(facts, "http.response.status_code");
  if (status !== null && status >= 400) return { kind: "http_status", status };
  const error = facts["error.type"];
  return error === undefined ? null : { kind: "error", error };
}
