/** Runs of which a test states only what it is about: calls in turn, each with its request, stages and inference. */
import {
  type Buckets,
  type Call,
  EMPTY_BUCKETS,
  EMPTY_CALL,
  type OutcomeStatus,
  type RunFacts,
  type SpanRecord,
} from "@centspan/model";
import { listPrices, rateCall } from "@centspan/pricing";
import { hex, START_NS, span, TRACE } from "./records.ts";

const SECOND_NS = 1_000_000_000n;

type Said = Record<string, string>;
type CallPlan = {
  buckets: Partial<Buckets>;
  attributes?: Said;
  /** By the name of their span; each takes a tenth of a second unless it says how many milliseconds. */
  stages?: Record<string, Said & { ms?: string }>;
  /** What it asks for is a summary of what was said. */
  isCompaction?: boolean;
  tools?: { name: string; readOnly: boolean; ms: number; said?: Said }[];
  status?: SpanRecord["status"];
  call?: Partial<Call>;
};

export const priceOf = (call: Call) => rateCall(call, listPrices, "").costUsd;

/** A call each ten seconds, a second long, of a model at 3, 0.30 and 15 USD. */
export function planRun(plans: readonly CallPlan[], outcome: OutcomeStatus | null = null): RunFacts {
  const spans: SpanRecord[] = [];
  const calls = plans.map((plan, n) => {
    const atNs = START_NS + BigInt(n) * 10n * SECOND_NS;
    const [turn, request, chat] = [hex(n * 100 + 1), hex(n * 100 + 2), hex(n * 100 + 3)];
    const add = (spanId: string, parentSpanId: string, name: string, more: Partial<SpanRecord>): void => {
      spans.push(span(0, { spanId, parentSpanId, name, startedAtNs: atNs, endedAtNs: atNs + SECOND_NS, ...more }));
    };
    add(turn, "", "loop.turn", {});
    const asker = plan.isCompaction ? hex(n * 100 + 4) : turn;
    if (plan.isCompaction) add(asker, turn, "compaction", {});
    add(request, asker, "POST /v1/responses", {});
    const attributes = { "gen_ai.operation.name": "chat", ...plan.attributes };
    add(chat, request, "chat scripted-strong", { attributes, status: plan.status ?? "unset" });
    for (const [index, [name, { ms = "100", ...said }]] of Object.entries(plan.stages ?? {}).entries()) {
      const endedAtNs = atNs + BigInt(ms) * 1_000_000n;
      add(hex(n * 100 + 10 + index), name.startsWith("api.") ? request : chat, name, { endedAtNs, attributes: said });
    }
    let toolAtNs = atNs + SECOND_NS;
    for (const [index, { name, readOnly, ms, said: more }] of (plan.tools ?? []).entries()) {
      const endedAtNs = toolAtNs + BigInt(ms) * 1_000_000n;
      const said = { "gen_ai.tool.name": name, "centspan.tool.read_only": String(readOnly), ...more };
      const at = { startedAtNs: toolAtNs, endedAtNs, attributes: said };
      add(hex(n * 100 + 50 + index), turn, `execute_tool ${name}`, at);
      toolAtNs = endedAtNs;
    }
    const call: Call = {
      ...EMPTY_CALL,
      callId: `call_${n}`,
      traceId: TRACE,
      spanId: chat,
      atNs,
      durationNs: SECOND_NS,
      sessionId: "session",
      runId: "run",
      provider: "centspan",
      model: "scripted-strong",
      source: "gateway",
      provenance: "simulated",
      buckets: { ...EMPTY_BUCKETS, ...plan.buckets },
      ...plan.call,
    };
    return rateCall(call, listPrices, "rating");
  });
  return { calls, spans, outcomes: new Map(outcome && calls.map(({ callId }) => [callId, outcome])) };
}
