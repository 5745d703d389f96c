/**
 * Trajectories of mini-swe-agent (format mini-swe-agent-1): a recorded run to the spans it would have emitted.
 * The file says when each answer was created and what it used, not how long anything took: model and tool spans have
 * no duration and say so (`centspan.timing`), turns last until the next answer.
 */
import { createHash } from "node:crypto";
import { deriveId } from "@centspan/base";
import type { Outcome, SpanRecord } from "@centspan/model";
import type { SpanAttributes } from "@centspan/telemetry/vocabulary";
import { z } from "zod";
import { fileError, readJson } from "./read-json.ts";
import { repositoryOf } from "./swebench-stats.ts";

const count = z.int().nonnegative();
const responseSchema = z.object({
  id: z.string().min(1),
  model: z.string().min(1),
  provider: z.string().optional(),
  created: z.int().positive(),
  choices: z.array(z.object({ finish_reason: z.string().nullish() })).min(1),
  usage: z.object({
    prompt_tokens: count,
    completion_tokens: count,
    prompt_tokens_details: z.object({ cached_tokens: count.nullish() }).nullish(),
    completion_tokens_details: z.object({ reasoning_tokens: count.nullish() }).nullish(),
    cost: z.number().nonnegative().nullish(),
  }),
});
const messageSchema = z.union([
  z.object({
    role: z.literal("assistant"),
    content: z.string(),
    extra: z.object({ response: responseSchema }),
  }),
  z.object({ role: z.enum(["system", "user"]), content: z.string() }),
]);
const trajectorySchema = z.object({
  trajectory_format: z.literal("mini-swe-agent-1"),
  instance_id: z.string().min(1),
  info: z.object({ exit_status: z.string().nullish(), mini_version: z.string().nullish() }),
  messages: z.array(messageSchema).min(1),
});

type MiniSweAgentRun = {
  instanceId: string;
  runId: string;
  spans: SpanRecord[];
  startedAtNs: bigint;
  endedAtNs: bigint;
};

/** Throws CentspanError("invalid_file") naming line and field. */
export function readMiniSweAgent(name: string, text: string): MiniSweAgentRun {
  const trajectory = readJson(name, text, trajectorySchema);
  const turns = trajectory.messages.flatMap((message, index) => {
    if (message.role !== "assistant") return [];
    const result = trajectory.messages[index + 1];
    return [{ response: message.extra.response, result: result?.role === "user" ? result.content : null }];
  });
  const first = turns[0];
  const last = turns.at(-1);
  if (first === undefined || last === undefined) throw fileError(name, text, 0, "messages hold no answer of a model");
  const startedAtNs = toNs(first.response.created);
  const endedAtNs = toNs(last.response.created);
  // The same file is the same run; another attempt at the instance has other answers, and is another run.
  const runId = deriveId("run", "mini-swe-agent", trajectory.instance_id, first.response.id);
  const run = createSpanFactory(trajectory.instance_id, runId, trajectory.info.mini_version ?? "");
  const root = run("", "root", "invoke_agent mini-swe-agent", startedAtNs, endedAtNs, {
    "centspan.layer": "harness",
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "mini-swe-agent",
    "centspan.run.turns": turns.length,
  });
  const spans = turns.flatMap(({ response, result }, index) => {
    const startNs = toNs(response.created);
    const endNs = toNs(turns[index + 1]?.response.created ?? response.created);
    const turn = run(root.spanId, `turn-${index}`, "loop.turn", startNs, endNs, {
      "centspan.layer": "harness",
      "centspan.turn.number": index + 1,
    });
    const chat = run(
      turn.spanId,
      `chat-${index}`,
      `chat ${response.model}`,
      startNs,
      startNs,
      chatAttributes(response),
    );
    if (result === null) return [turn, chat];
    const tool = run(turn.spanId, `tool-${index}`, "execute_tool bash", startNs, startNs, toolAttributes(result));
    return [turn, chat, tool];
  });
  return { instanceId: trajectory.instance_id, runId, spans: [root, ...spans], startedAtNs, endedAtNs };
}

function chatAttributes(response: z.output<typeof responseSchema>): SpanAttributes {
  const { usage } = response;
  return {
    "centspan.layer": "api",
    "centspan.timing": "start_only",
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": (response.provider ?? "").toLowerCase(),
    "gen_ai.request.model": response.model,
    "gen_ai.response.model": response.model,
    "gen_ai.response.id": response.id,
    "gen_ai.response.finish_reasons": response.choices.flatMap((choice) => choice.finish_reason ?? []),
    "gen_ai.usage.input_tokens": usage.prompt_tokens,
    "gen_ai.usage.cache_read.input_tokens": usage.prompt_tokens_details?.cached_tokens ?? 0,
    "gen_ai.usage.output_tokens": usage.completion_tokens,
    "gen_ai.usage.reasoning.output_tokens": usage.completion_tokens_details?.reasoning_tokens ?? 0,
    // The file holds a JSON number; its shortest decimal form is what the provider wrote.
    "centspan.provided_cost_usd": usage.cost == null ? undefined : usage.cost.toFixed(12).replace(/\.?0+$/, ""),
  };
}

function toolAttributes(result: string): SpanAttributes {
  const exitCode = /<returncode>(-?\d+)<\/returncode>/.exec(result)?.[1];
  return {
    "centspan.layer": "harness",
    "centspan.timing": "start_only",
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "bash",
    "centspan.tool.sent_bytes": Buffer.byteLength(result),
    "process.exit.code": exitCode === undefined ? undefined : Number(exitCode),
  };
}

/** Makes spans of one run: their ids come from it, so the same file gives the same spans. */
function createSpanFactory(instanceId: string, runId: string, version: string) {
  const hex = (part: string, length: number): string =>
    createHash("sha256").update(`${runId}\n${part}`).digest("hex").slice(0, length);
  const identity: SpanAttributes = {
    "centspan.task.id": instanceId,
    "centspan.task.type": "swe-bench",
    "centspan.task.title": instanceId,
    "centspan.run.id": runId,
    "centspan.team.id": "mini-swe-agent",
    "centspan.key.id": "mini-swe-agent",
    "centspan.key.name": "mini-swe-agent",
    "centspan.repository": repositoryOf(instanceId),
    "centspan.harness.version": version,
    "centspan.provenance": "measured",
  };
  return (
    parentSpanId: string,
    part: string,
    name: string,
    startedAtNs: bigint,
    endedAtNs: bigint,
    attributes: SpanAttributes,
  ): SpanRecord => ({
    traceId: hex("trace", 32),
    spanId: hex(part, 16),
    parentSpanId,
    name,
    kind: name.startsWith("chat ") ? "client" : "internal",
    service: "mini-swe-agent",
    startedAtNs,
    endedAtNs,
    status: "unset",
    statusMessage: "",
    attributes: toText({ ...identity, ...attributes }),
    resourceAttributes: { "service.name": "mini-swe-agent" },
    scopeName: "centspan.histories",
    trusted: true,
    events: [],
    links: [],
  });
}

function toText(attributes: SpanAttributes): Record<string, string> {
  const entries = Object.entries(attributes).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [[name, Array.isArray(value) ? JSON.stringify(value) : String(value)] as const];
  });
  return Object.fromEntries(entries);
}

const toNs = (seconds: number): bigint => BigInt(seconds) * 1_000_000_000n;

/** `results_summary.json`: which instances were resolved. */
const resultsSchema = z.object({
  instances: z.array(z.object({ instance_id: z.string().min(1), resolved: z.boolean() })),
});

export function readSwebenchResults(name: string, text: string): Map<string, boolean> {
  return new Map(readJson(name, text, resultsSchema).instances.map((row) => [row.instance_id, row.resolved]));
}

/** The outcome of a recorded run, from its evaluation. */
export function toRunOutcome(run: MiniSweAgentRun, resolved: boolean): Outcome {
  return {
    outcomeId: deriveId("outcome", run.runId),
    subject: { task: run.instanceId, runId: run.runId },
    kind: "tests",
    status: resolved ? "passed" : "failed",
    weight: 1,
    source: "swebench",
    evidence: { resolved },
    atNs: run.endedAtNs,
  };
}
