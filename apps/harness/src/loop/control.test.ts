/** What stops, holds and steers a run: limits, approvals, a person's words, a call that keeps failing. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeEach, expect, it } from "vitest";
import type { AskPerson, Question } from "../approval/gate.ts";
import { readEventLog } from "../events/event-log.ts";
import type { PlannedTurn } from "../testing/responses-peer.ts";
import { openSpanMemory } from "../testing/span-memory.ts";
import { startRun } from "../testing/start-run.ts";
import { FIXED } from "../testing/tiny-task.ts";
import { type RunServices, runTask } from "./run-task.ts";

const memory = openSpanMemory();
beforeEach(() => memory.reset());
afterAll(() => memory.telemetry.stop());

const edit = { tool: "edit_file", args: { path: "src/double.js", old: "n + 2", new: "n * 2" } };
const test = { tool: "run_tests", args: {} };
const TURNS: PlannedTurn[] = [{ calls: [edit] }, { calls: [test] }, { say: "Done." }];

const play = (turns: PlannedTurn[]) => ({ answer: (turn: number) => turns[turn] ?? { say: "?" } });
const outputsOf = (peer: Awaited<ReturnType<typeof startRun>>["peer"]) =>
  (peer.received.at(-1)?.body.input ?? []).flatMap((item) =>
    item.type === "function_call_output" ? [String(item.output)] : [],
  );

/** By the peer's usage of 40 new, 60 cached and 20 output tokens, at 3, 0.30 and 15 USD per million. */
const SPENT = { usd: "0.000438", tokens: 120 };

it.each([
  ["usd", { usd: "0.0004" }, "max_usd"],
  ["tokens", { tokens: 120 }, "max_tokens"],
  ["turns", { turns: 1 }, "max_turns"],
])("stops before the turn that would go beyond its %s, and goes on once that is raised", async (_name, limit, stop) => {
  const { peer, services, request, running } = await startRun(
    memory,
    play(TURNS),
    { keepCopies: "unfinished" },
    { model: "scripted-strong", limits: { turns: 40, ...limit } },
  );
  const first = await running;
  expect(first).toMatchObject({ stop, turns: 1, status: "passed", spent: { ...SPENT, turns: 1 } });
  expect(peer.received).toHaveLength(1);
  const raised = { ...request, limits: { turns: 40, usd: "1" } };
  const second = await runTask(raised, services, first.runId);
  expect(second).toMatchObject({ stop: "answered", turns: 3, runId: first.runId, traceId: first.traceId });
  expect(second.spent).toMatchObject({ usd: "0.001314", turns: 3 });
  expect(peer.received.map(({ headers }) => headers["idempotency-key"])).toEqual(
    [1, 2, 3].map((turn) => `${first.runId}:${turn}`),
  );
  expect((await memory.traceIds()).size).toBe(1);
});

it("does not hold a model without a price to a budget in USD", async () => {
  const { running } = await startRun(memory, play(TURNS), {}, { limits: { turns: 40, usd: "1" } });
  expect(await running).toMatchObject({ stop: "unpriced", turns: 1, spent: { usd: "0", unpricedTurns: 1 } });
});

it("ends a run that makes the same failing call three times in a row, and not one that does something between", async () => {
  const wrong = { tool: "read_file", args: { path: "nowhere.js" } };
  const stuck = await startRun(memory, { answer: () => ({ calls: [wrong] }) });
  expect(await stuck.running).toMatchObject({ stop: "repeated_failure", turns: 3 });
  const list = { tool: "list_files", args: {} };
  const busy = await startRun(memory, play([wrong, wrong, list, wrong, wrong].map((call) => ({ calls: [call] }))));
  expect(await busy.running).toMatchObject({ stop: "answered", turns: 6 });
});

it("tells the agent before its next turn what a person says, also when it was done", async () => {
  const words = ["", "", "", "Write a note too."];
  const takeSteering = () => [words.shift() ?? ""].filter((text) => text !== "");
  const note = { tool: "edit_file", args: { path: "NOTES.md", old: "", new: "note" } };
  const turns = [...TURNS, { calls: [note] }, { say: "Noted." }];
  const { peer, running } = await startRun(memory, play(turns), { takeSteering });
  expect(await running).toMatchObject({ stop: "answered", turns: 5, finalText: "Noted." });
  expect(JSON.stringify(peer.received[3]?.body.input.at(-1))).toContain("Write a note too.");
});

const answerWith =
  (allowed: boolean, questions: Question[]): AskPerson =>
  async (question) => {
    questions.push(question);
    return allowed;
  };

const approve = async (ask: "never" | "on-request" | "on-failure", allowed: boolean, lists: object = {}) => {
  const questions: Question[] = [];
  const changes: Partial<RunServices> = { person: answerWith(allowed, questions), keepCopies: "all" };
  const { peer, services, running } = await startRun(memory, play(TURNS), changes, { policy: { ask, ...lists } });
  const result = await running;
  const events = readEventLog(join(services.workDir, result.runId, "events.jsonl"));
  const decisions = events.flatMap((event) => (event.type === "approval" ? [[event.decision, event.by]] : []));
  const source = await readFile(join(result.workingCopy, "src/double.js"), "utf8");
  return { questions, decisions, outputs: outputsOf(peer), isFixed: source === FIXED };
};

it("asks a person where the policy says so, in a span of its own, and takes no for an answer", async () => {
  const yes = await approve("on-request", true);
  expect(yes.questions.map(({ subject }) => subject)).toEqual([
    { kind: "path", text: "src/double.js" },
    { kind: "command", text: "node --test --test-reporter=spec" },
  ]);
  expect(yes).toMatchObject({ isFixed: true, decisions: Array(2).fill(["allowed", "person"]) });
  const waits = (await memory.spans()).filter(({ name }) => name === "approval.wait");
  expect(waits.map(({ parent }) => parent)).toEqual(["execute_tool edit_file", "execute_tool run_tests"]);
  const no = await approve("on-request", false);
  expect(no).toMatchObject({ isFixed: false, decisions: Array(2).fill(["refused", "person"]) });
  expect(no.outputs[0]).toBe('error: path: "src/double.js" was refused: a person said no');
});

it("asks nobody about what is listed, and under never refuses the rest", async () => {
  const lists = { paths: ["src/**"], commands: ["node --test *"] };
  expect(await approve("on-request", false, lists)).toMatchObject({ isFixed: true, questions: [] });
  const narrow = await approve("never", true, { paths: ["docs/**"] });
  expect(narrow).toMatchObject({
    isFixed: false,
    questions: [],
    decisions: [
      ["refused", "policy"],
      ["allowed", "policy"],
    ],
  });
});
