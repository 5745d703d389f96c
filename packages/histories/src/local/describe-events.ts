/** Events in the words of the span vocabulary: what is said on each span, without its place in a trace. */
import type {
  CallObservation,
  HistoryContext,
  HistoryMark,
  HistoryThread,
  HistoryUsage,
  ToolObservation,
} from "@centspan/model";
import type { SpanAttributes } from "@centspan/telemetry/vocabulary";
import { hashOf } from "./content.ts";
import { describeAnswer, describeToolText } from "./describe-content.ts";
import type { HistoryPlaceFacts } from "./types.ts";

/** Whose and where: the same on all spans of a thread as long as its context stays. */
export function describeContext(
  thread: HistoryThread,
  context: HistoryContext,
  place: HistoryPlaceFacts | null,
): SpanAttributes {
  const repositoryUrl = place?.repositoryUrl || stripCredentials(context.repositoryUrl);
  return {
    "centspan.run.id": thread.rootSessionId,
    "gen_ai.conversation.id": thread.sessionId,
    "centspan.thread.id": thread.threadId,
    "gen_ai.agent.name": thread.agentName || undefined,
    "centspan.harness.version": context.version || undefined,
    "vcs.repository.url.full": repositoryUrl || undefined,
    "centspan.repository": place?.repository || undefined,
    "vcs.ref.head.name": context.branch || undefined,
    "vcs.ref.head.revision": context.commit || undefined,
    "centspan.provenance": "measured",
  };
}

/** Remotes are written with the token that clones them, now and then. */
const stripCredentials = (url: string): string => url.replace(/^([a-z+]+:\/\/)[^/@]*@/, "$1");

export type CallPlace = {
  marks: readonly HistoryMark[];
  /** Of the thread's call before, or of the parent's where this is the first after a fork. */
  before: { spanId: string; tokens: number } | null;
  /** Where several calls say the same id of a response, which can't be that of all of them. */
  ownId: string;
};

export function describeCall(call: CallObservation, { marks, before, ownId }: CallPlace): SpanAttributes {
  const { usage } = call;
  return {
    "centspan.layer": "api",
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": call.provider || undefined,
    "gen_ai.request.model": call.model,
    "gen_ai.response.model": call.model,
    "gen_ai.response.id": call.responseId || undefined,
    "centspan.request.id": ownId || undefined,
    "centspan.provider.request_id": call.requestId || undefined,
    "gen_ai.response.finish_reasons": call.stopReason === "" ? undefined : [call.stopReason],
    ...(usage && describeUsage(usage)),
    "centspan.provided_cost_usd": call.providedCostUsd || undefined,
    "openai.response.service_tier": call.serviceTier || undefined,
    "centspan.response.region": call.region || undefined,
    "gen_ai.request.reasoning.level": call.effort || undefined,
    "centspan.retry.ordinal": call.retries || undefined,
    "centspan.history.marks": marks.length === 0 ? undefined : [...marks],
    "centspan.prefix.fingerprint": call.inputKey === "" ? undefined : hashOf("", `${call.model} ${call.inputKey}`),
    "centspan.prefix.before_span_id": before?.spanId,
    "centspan.prefix.known_tokens": before?.tokens,
    ...describeAnswer(call),
  };
}

const describeUsage = (usage: HistoryUsage): SpanAttributes => ({
  "gen_ai.usage.input_tokens": usage.input,
  "gen_ai.usage.output_tokens": usage.output,
  "gen_ai.usage.cache_read.input_tokens": usage.cacheRead,
  "gen_ai.usage.cache_creation.input_tokens": usage.cacheWrite,
  "centspan.usage.cache_creation_1h.input_tokens": usage.cacheWrite1h || undefined,
  "gen_ai.usage.reasoning.output_tokens": usage.reasoning,
  "centspan.usage.web_searches": usage.webSearches || undefined,
  "gen_ai.usage.total_tokens": usage.total ?? undefined,
});

export function describeTool(tool: ToolObservation): SpanAttributes {
  return {
    "centspan.layer": "harness",
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": tool.name,
    "gen_ai.tool.call.id": tool.toolCallId,
    "centspan.tool.input_bytes": tool.inputBytes,
    "centspan.tool.input_hash": tool.inputHash,
    "centspan.tool.output_bytes": tool.outputBytes ?? undefined,
    "centspan.tool.output_hash": tool.outputHash || undefined,
    "centspan.tool.read_only": tool.readOnly ?? undefined,
    "process.exit.code": tool.exitCode ?? undefined,
    "centspan.tests.runner": tool.tests?.runner,
    "centspan.tests.status": tool.tests?.status,
    "centspan.tests.passed": tool.tests?.passed ?? undefined,
    "centspan.tests.failed": tool.tests?.failed ?? undefined,
    ...(tool.outputBytes === null && { "centspan.timing": "start_only" }),
    ...describeToolText(tool),
  };
}

/** Attribute values as a store has them. */
export function toText(attributes: SpanAttributes): Record<string, string> {
  const text: Record<string, string> = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) text[name] = Array.isArray(value) ? JSON.stringify(value) : String(value);
  }
  return text;
}
