import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { CentspanError } from "@centspan/base";
import { afterAll, beforeEach, expect, it } from "vitest";
import { pollUntil } from "../testing/poll.ts";
import type { PeerOptions, PlannedFailure, PlannedTurn } from "../testing/responses-peer.ts";
import { openSpanMemory } from "../testing/span-memory.ts";
import { startRun } from "../testing/start-run.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { localRecorder } from "../verify/read-evidence.ts";
import type { OutcomeRecorder } from "../verify/record-outcome.ts";
import type { RunServices } from "./run-task.ts";

const memory = openSpanMemory();
beforeEach(() => memory.reset());
afterAll(() => memory.telemetry.stop());

const edit = { tool: "edit_file", args: { path: "src/double.js", old: "n + 2", new: "n * 2" } };
const GOOD_TURNS: PlannedTurn[] = [
  {
    say: "I look around.",
    calls: [
      { tool: "list_files", args: {} },
      { tool: "read_file", args: { path: "src/double.js" } },
    ],
  },
  { calls: [edit] },
  { calls: [{ tool: "run_tests", args: {} }] },
  { say: "Done: it multiplies now." },
];

const play = (turns: PlannedTurn[]) => (turn: number) => turns[turn] ?? { say: "Nothing more." };

const run = (peerOptions: PeerOptions, changes: Partial<RunServices> = {}) => startRun(memory, peerOptions, changes);

it("repairs a task: tools run for real, the tests decide, nothing stays behind", async () => {
  const { peer, services, running } = await run({ answer: play(GOOD_TURNS), chunkBytes: 11 });
  const result = await running;
  expect(result).toMatchObject({ status: "passed", stop: "answered", turns: 4, errors: [] });
  expect(result.finalText).toBe("Done: it multiplies now.");
  // The log is all that stays.
  expect(await readdir(join(services.workDir, result.runId))).toEqual(["events.jsonl"]);

  const [first, ...later] = peer.received;
  expect(first?.body.input).toMatchObject([
    { role: "user", content: [{ text: expect.stringMatching(/^Task: double$/m) }] },
    {
      role: "developer",
      content: [{ text: expect.stringMatching(/^From now on:\n- approval policy: never\n- date: /) }],
    },
  ]);
  expect(JSON.stringify(peer.received.map(({ raw }) => raw))).not.toContain(services.workDir);
  const inputs = peer.received.map(({ body }) => JSON.stringify(body.input));
  for (const [index, input] of inputs.slice(1).entries()) {
    expect(input.startsWith(inputs[index]?.slice(0, -1) ?? "missing")).toBe(true);
  }
  await pollUntil("the hint", () => peer.hints.length > 0);
  expect(peer.hints).toEqual([{ kind: "run_ended", runId: result.runId }]);
  const outputs = later.at(-1)?.body.input.filter((item) => item.type === "function_call_output");
  expect(outputs?.map(({ output }) => String(output).split("\n")[0])).toEqual([
    "package.json",
    "    1  export const double = (n) => n + 2;",
    "edited src/double.js at line 1",
    "exit code: 0",
  ]);
});

it("sends its identity, its trace and one idempotency key a turn with each call", async () => {
  const { peer, running } = await run({ answer: play(GOOD_TURNS) });
  const { runId, traceId } = await running;
  const turnSpans = (await memory.spans()).filter((span) => span.name === "loop.turn");
  expect(turnSpans).toHaveLength(peer.received.length);
  for (const [index, { headers }] of peer.received.entries()) {
    expect(headers).toMatchObject({
      "x-centspan-task": "payments/double",
      "x-centspan-run": runId,
      "x-centspan-role": "execute",
      "x-centspan-task-type": "bug",
      "x-centspan-repository": "acme/double",
      "x-centspan-attempt": "2",
      "x-centspan-harness-version": "1.2.3",
      "x-centspan-session": runId,
      "idempotency-key": `${runId}:${index + 1}`,
    });
    expect(headers.traceparent).toBe(`00-${traceId}-${turnSpans[index]?.id}-01`);
  }
});

it("leaves one trace with every span under the run, with its identity and what it measured", async () => {
  const { peer, running } = await run({ answer: play(GOOD_TURNS) });
  const { runId } = await running;
  const spans = await memory.spans();
  expect((await memory.traceIds()).size).toBe(1);
  const parents: Record<string, string | null> = {
    "invoke_agent centspan-repair": null,
    "loop.turn": "invoke_agent centspan-repair",
    "context.build": "loop.turn",
    "execute_tool list_files": "loop.turn",
    "execute_tool read_file": "loop.turn",
    "execute_tool edit_file": "loop.turn",
    "execute_tool run_tests": "loop.turn",
    "execute_tool verify_tests": "invoke_agent centspan-repair",
  };
  expect(new Set(spans.map(({ name }) => name))).toEqual(new Set(Object.keys(parents)));
  for (const { name, parent, attributes } of spans) {
    expect([name, parent]).toEqual([name, parents[name]]);
    expect(attributes).toMatchObject({ "centspan.task.id": "payments/double", "centspan.run.id": runId });
  }
  const of = (name: string) => spans.filter((span) => span.name === name).map(({ attributes }) => attributes);
  expect(of("invoke_agent centspan-repair")).toMatchObject([
    { "centspan.outcome.status": "passed", "centspan.run.turns": 4 },
  ]);
  expect(of("loop.turn").map((turn) => turn["centspan.transport.bytes_sent"])).toEqual(
    peer.received.map(({ raw }) => Buffer.byteLength(raw)),
  );
  expect(of("context.build").every((built) => built["centspan.prefix.kept"] === true)).toBe(true);
  expect(new Set(of("context.build").map((built) => built["centspan.prefix.fingerprint"])).size).toBe(4);
  expect(of("execute_tool list_files")).toMatchObject([{ "centspan.tool.parallel": 2 }]);
  expect(of("execute_tool edit_file")).toMatchObject([
    { "centspan.tool.parallel": 1, "centspan.tool.read_only": false },
  ]);
  const tests = { "process.exit.code": 0, "centspan.tests.passed": 2, "centspan.tests.failed": 0 };
  expect(of("execute_tool run_tests")).toMatchObject([tests]);
  expect(of("execute_tool verify_tests")).toMatchObject([tests]);
});

it("counts a false claim as failed", async () => {
  const { running } = await run({ answer: () => ({ say: "All tests pass. I fixed everything." }) });
  expect(await running).toMatchObject({ status: "failed", stop: "answered", turns: 1 });
});

it("tells the model what was wrong with its calls and goes on", async () => {
  const calls = [
    { tool: "read_file", args: { path: "../../etc/passwd" } },
    { tool: "format_disk", args: {} },
    { tool: "read_file", args: '{"path": "src' },
  ];
  const { peer, running } = await run({ answer: play([{ calls }, ...GOOD_TURNS.slice(1)]) });
  expect(await running).toMatchObject({ status: "passed" });
  const outputs = peer.received[1]?.body.input.filter((item) => item.type === "function_call_output");
  expect(outputs?.map(({ output }) => output)).toEqual([
    'error: path: "../../etc/passwd" leaves the package',
    'error: there is no tool "format_disk"',
    "error: arguments: not valid JSON",
  ]);
  expect((await memory.spans()).filter((span) => span.failed)).toMatchObject([
    { name: "execute_tool read_file", attributes: { "error.type": "invalid_request" } },
    { name: "execute_tool format_disk", attributes: { "error.type": "not_found" } },
    { name: "execute_tool read_file", attributes: { "error.type": "invalid_request" } },
  ]);
});

it("survives passing failures of the gateway without repeating a tool", async () => {
  const failures: PlannedFailure[] = [{ status: 503 }, { cut: true }];
  const { peer, running } = await run({ answer: play(GOOD_TURNS), failures });
  expect(await running).toMatchObject({ status: "passed", turns: 4 });
  expect(peer.received).toHaveLength(6);
  const turns = (await memory.spans()).filter((span) => span.name === "loop.turn");
  expect(turns.map(({ attributes }) => attributes["centspan.retry.ordinal"])).toEqual([2, 0, 0, 0]);
});

it("stops a model that never ends", async () => {
  const { peer, running } = await run({ answer: () => ({ calls: [{ tool: "list_files", args: {} }] }) });
  expect(await running).toMatchObject({ status: "failed", stop: "max_turns", turns: 40 });
  expect(peer.received).toHaveLength(40);
});

it("still judges and records what there is when the gateway refuses", async () => {
  const recorded: unknown[] = [];
  const outcomes: OutcomeRecorder = {
    record: async (subject, evidence, signal) => {
      recorded.push(subject);
      return localRecorder.record(subject, evidence, signal);
    },
  };
  const { running } = await run({ answer: play([]), failures: [{ status: 401 }] }, { outcomes });
  const result = await running;
  expect(result).toMatchObject({ status: "failed", stop: "failed", turns: 0 });
  expect(result.errors).toMatchObject([{ code: "unauthenticated" }]);
  expect(recorded).toEqual([{ taskId: "payments/double", runId: result.runId, traceId: result.traceId }]);
  expect((await memory.spans()).find(({ parent }) => parent === null)).toMatchObject({ failed: true });
});

it("has no status when its outcome can't be recorded, whatever the tests said", async () => {
  const outcomes: OutcomeRecorder = {
    record: () => Promise.reject(new CentspanError("store_unavailable", "the warehouse is away")),
  };
  const { running } = await run({ answer: play(GOOD_TURNS) }, { outcomes });
  expect(await running).toMatchObject({ status: "unknown", errors: [{ code: "store_unavailable" }] });
});

it("stops at once when interrupted, records no outcome and cleans up", async () => {
  const folder = await createTemporaryFolder();
  const started = join(folder, "started");
  const interrupt = new AbortController();
  const recorded: unknown[] = [];
  const outcomes: OutcomeRecorder = {
    record: (subject) => {
      recorded.push(subject);
      return Promise.resolve("passed");
    },
  };
  const command = `touch ${started}; sleep 600`;
  const { services, running } = await run(
    { answer: () => ({ calls: [{ tool: "run_command", args: { command } }] }) },
    { signal: interrupt.signal, outcomes },
  );
  await pollUntil("the command to start", () => existsSync(started));
  interrupt.abort(new CentspanError("interrupted", "stopped by hand"));
  await expect(running).rejects.toThrow("stopped by hand");
  expect(recorded).toEqual([]);
  const [runId = ""] = await readdir(services.workDir);
  expect(await readdir(join(services.workDir, runId))).toEqual(["events.jsonl"]);
  expect((await memory.spans()).find(({ parent }) => parent === null)).toMatchObject({
    failed: true,
    attributes: { "error.type": "interrupted" },
  });
});

it("keeps the working copy when asked to", async () => {
  const { services, running } = await run({ answer: play(GOOD_TURNS) }, { keepCopies: "all" });
  const { workingCopy, runId } = await running;
  expect(workingCopy).toBe(join(services.workDir, runId, "copy"));
  expect(await readdir(workingCopy)).toContain("src");
});
