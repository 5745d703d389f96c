/** What the loop does against repeated work, through whole runs. */
import { join } from "node:path";
import { afterAll, beforeEach, expect, it, vi } from "vitest";
import { readEventLog } from "../events/event-log.ts";
import { createMechanisms } from "../mechanisms.ts";
import type { PeerOptions, PlannedTurn } from "../testing/responses-peer.ts";
import { openSpanMemory } from "../testing/span-memory.ts";
import { startRun } from "../testing/start-run.ts";
import { createToolServer, toolOf } from "../testing/tool-server.ts";
import type { RunServices } from "./run-task.ts";

// Each of them is a run with programs.
vi.setConfig({ testTimeout: 60_000 });
const memory = openSpanMemory();
beforeEach(() => memory.reset());
afterAll(() => memory.telemetry.stop());

const servers = [
  createToolServer([
    toolOf("test__echo", "Says it again.", { text: { type: "string" } }),
    ...Array.from({ length: 39 }, (_, index) => toolOf(`test__tool_${index}`, `Does number ${index}.`)),
  ]),
];

/** One answer after the other, whatever is asked. */
const inOrder = (turns: PlannedTurn[]): PeerOptions["answer"] => {
  const left = [...turns];
  return (_turn, { input }) => {
    const asked = JSON.stringify(input.at(-1));
    if (asked.includes("Handover request:")) return { say: "The cause is in src/double.js." };
    return left.shift() ?? { say: "Done." };
  };
};

async function finish(answer: PeerOptions["answer"], changes: Partial<RunServices> = {}) {
  const countTokens: PeerOptions["countTokens"] = ({ input }) => Math.ceil(JSON.stringify(input).length / 4);
  const { peer, services, running } = await startRun(memory, { answer, countTokens }, changes);
  const result = await running;
  const spans = await memory.spans();
  const of = (name: string) => spans.filter((span) => span.name === name).map(({ attributes }) => attributes);
  return { peer, services, result, spans, of };
}

const calls = (tool: string, args: object): PlannedTurn => ({ calls: [{ tool, args }] });
const write = (characters: number) => calls("run_command", { command: `head -c ${characters} /dev/zero | tr '\\0' x` });

it("hands over when the window is full, once, and goes on with a prefix that stays", async () => {
  const turns = Array.from({ length: 8 }, (_, turn) => write(6_000 + turn));
  const { result, peer, services, of } = await finish(inOrder(turns), { windowTokens: 2_000, keepCopies: "all" });
  expect(result).toMatchObject({ stop: "answered", turns: 9, finalText: "Done." });
  const sizes = peer.received.map(({ body }) => JSON.stringify(body.input).length);
  expect(Math.max(...sizes)).toBeLessThan(8_000);
  const [compaction, ...others] = of("compaction");
  expect(others).toEqual([]);
  expect(Number(compaction?.["centspan.compaction.before_tokens"])).toBeGreaterThan(1_800);
  expect(Number(compaction?.["centspan.compaction.after_tokens"])).toBeLessThan(1_800);
  const kept = of("context.build").map((built) => built["centspan.prefix.kept"]);
  expect(kept.every(Boolean)).toBe(true);
  const last = JSON.stringify(peer.received.at(-1)?.body.input);
  for (const words of ["double(5) gives 7.", "approval policy", "The cause is in src/double.js."]) {
    expect(last).toContain(words);
  }
  const events = readEventLog(join(services.workDir, result.runId, "events.jsonl"));
  expect(events.filter(({ type }) => type === "context_compacted")).toMatchObject([{ usage: { outputTokens: 20 } }]);
  const asked = peer.received.map(({ body }) => Math.ceil(JSON.stringify(body.input).length / 4) + 20);
  expect(result.spent.tokens).toBe(asked.reduce((sum, tokens) => sum + tokens));
});

it("sums nothing up when it is told not to", async () => {
  const turns = Array.from({ length: 8 }, (_, turn) => write(6_000 + turn));
  const { result, of } = await finish(inOrder(turns), {
    windowTokens: 2_000,
    mechanisms: createMechanisms(["compactContext"]),
  });
  expect(of("compaction")).toEqual([]);
  expect(result).toMatchObject({ stop: "answered", turns: 9 });
});

it("finds a server's tool and calls it, with the same few tools in every prompt", async () => {
  const echo = { name: "test__echo", arguments: { text: "hi" } };
  const turns = [calls("tool_search", { query: "echo" }), calls("call_tool", echo)];
  const { peer, of } = await finish(inOrder(turns), { servers });
  expect(of("tool_search")).toMatchObject([{ "centspan.tool_search.candidates": 40, "centspan.tool_search.hits": 1 }]);
  expect(of("execute_tool test__echo")).toMatchObject([{ "gen_ai.tool.name": "test__echo" }]);
  const outputs = peer.received.at(-1)?.body.input.filter(({ type }) => type === "function_call_output");
  expect(outputs?.map(({ output }) => String(output))).toEqual([
    expect.stringMatching(/^\{"description":"Says it again\.","name":"test__echo"/),
    'test__echo {"text":"hi"}',
  ]);
  const prompts = new Set(peer.received.map(({ body }) => JSON.stringify(body.tools)));
  expect(prompts.size).toBe(1);
  expect([...prompts][0]).not.toContain("test__");
  expect(of("loop.turn").map((turn) => turn["centspan.transport.handshakes"])).toEqual([1, 0, 0]);
});

it("tells where the prefix breaks when a server lists its tools in another order and nobody sorts them", async () => {
  const mechanisms = createMechanisms(["deferredTools", "stableTools"]);
  const { of } = await finish(inOrder([calls("list_files", {})]), { servers, mechanisms });
  expect(of("context.build")[1]).toMatchObject({
    "centspan.prefix.kept": false,
    "centspan.prefix.diverged_section": "tools",
    "centspan.prefix.diverged_path": expect.stringMatching(/^tools\[\d+\]\.(name|description)$/),
  });
});

it("tells that the prefix breaks where the instructions carry a clock", async () => {
  const mechanisms = createMechanisms(["stableInstructions"]);
  const { peer, of } = await finish(inOrder([calls("list_files", {})]), { mechanisms });
  expect(of("context.build")[1]).toMatchObject({
    "centspan.prefix.kept": false,
    "centspan.prefix.diverged_section": "system",
    "centspan.prefix.diverged_path": "instructions",
  });
  const [first, second] = peer.received.map(({ body }) => JSON.stringify(body));
  expect(first).toMatch(/It is 2\d{3}-\d\d-\d\dT/);
  expect(second).toMatch(/It is 2\d{3}-\d\d-\d\dT/);
});

it("tells the gateway when a call takes long", async () => {
  const { peer, result } = await finish(inOrder([calls("run_command", { command: "sleep 2.5" })]));
  expect(peer.hints).toEqual([
    { kind: "long_wait", runId: result.runId, threadId: result.runId },
    { kind: "run_ended", runId: result.runId },
  ]);
});
