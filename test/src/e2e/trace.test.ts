import type { SpanDetail, SpanRow, TraceDetail, TraceRow } from "@centspan/model";
import { beforeAll, describe, expect, it } from "vitest";
import { getOk, listAll } from "../stack/api.ts";

let detail: TraceDetail;
const own = (): SpanRow[] => detail.spans.filter((span) => !span.linked);
const named = (name: string): SpanRow[] => detail.spans.filter((span) => span.name === name);

beforeAll(async () => {
  const [run] = await listAll<TraceRow>("/traces?model=scripted-strong");
  detail = await getOk<TraceDetail>(`/traces/${run?.traceId}`);
});

describe("one run's trace", () => {
  it("has one root and no missing parent", () => {
    const ids = new Set(own().map((span) => span.spanId));
    const roots = own().filter((span) => span.parentSpanId === "");
    expect(roots.map((span) => span.name)).toEqual(["invoke_agent centspan-repair"]);
    expect(own().filter((span) => span.parentSpanId !== "" && !ids.has(span.parentSpanId))).toEqual([]);
    expect(detail.anomalies).toEqual([]);
  });

  it("holds the spans of all three layers", () => {
    const names = new Set(own().map((span) => span.name));
    for (const name of [
      "loop.turn",
      "context.build",
      "execute_tool run_tests",
      "WS /v1/responses",
      "api.parse",
      "api.validate",
      "api.admit",
      "api.tokenize",
      "api.safety",
      "api.route",
      "chat scripted-strong",
      "inference.queue",
      "inference.kv.lookup",
      "inference.prefill",
      "inference.decode",
    ]) {
      expect(names, name).toContain(name);
    }
  });

  it("reaches through each decode's links exactly the engine steps that served it, and they link back", async () => {
    const steps = new Map(named("inference.decode.step").map((span) => [span.spanId, span]));
    expect([...steps.values()].every((span) => span.linked)).toBe(true);
    const decodes = named("inference.decode");
    expect(decodes.length).toBe(detail.calls.length);
    for (const decode of decodes) {
      const linked = decode.links.map((link) => link.spanId);
      expect(new Set(linked).size).toBe(linked.length);
      const span = await getOk<SpanDetail>(`/traces/${decode.traceId}/spans/${decode.spanId}`);
      // Every step gives a request one token.
      expect(linked.length).toBe(Number(span.attributes["centspan.decode.tokens"]));
      for (const id of linked) expect(steps.get(id)?.links.map((link) => link.spanId)).toContain(decode.spanId);
    }
    // And no step is there that served none of them.
    const served = new Set(
      [...decodes, ...named("inference.prefill")].flatMap((span) => span.links.map((link) => link.spanId)),
    );
    expect([...steps.keys()].filter((id) => !served.has(id))).toEqual([]);
  });

  it("nests each layer in the one above, in time as in the tree", () => {
    const byId = new Map(own().map((span) => [span.spanId, span]));
    const parentName = (span: SpanRow): string => byId.get(span.parentSpanId)?.name ?? "";
    for (const span of named("WS /v1/responses")) expect(parentName(span)).toBe("loop.turn");
    for (const span of named("chat scripted-strong")) expect(parentName(span)).toBe("WS /v1/responses");
    for (const span of named("inference.decode")) expect(parentName(span)).toBe("chat scripted-strong");
  });

  it("says what the engine's clock made is simulated", async () => {
    for (const span of named("inference.decode").slice(0, 1)) {
      const whole = await getOk<SpanDetail>(`/traces/${span.traceId}/spans/${span.spanId}`);
      expect(whole.attributes["centspan.provenance"]).toBe("simulated");
    }
    expect(detail.trace.provenance).toBe("simulated");
  });

  it("grows the cached prefix from turn to turn", () => {
    const reads = detail.calls.map((call) => call.buckets.cacheRead).reverse();
    expect(reads.length).toBeGreaterThan(2);
    for (const [turn, read] of reads.entries()) if (turn > 1) expect(read).toBeGreaterThan(reads[turn - 1] ?? 0);
  });
});
