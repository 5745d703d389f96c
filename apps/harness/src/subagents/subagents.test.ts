/** A lead with sub-agents, against a model that plays each of them by what it is told it is. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeEach, expect, it } from "vitest";
import type { PlannedTurn, ReceivedBody } from "../testing/responses-peer.ts";
import { openSpanMemory } from "../testing/span-memory.ts";
import { startRun } from "../testing/start-run.ts";
import { FIXED } from "../testing/tiny-task.ts";

const memory = openSpanMemory();
beforeEach(() => memory.reset());
afterAll(() => memory.telemetry.stop());

const UNITS = [
  { id: "fix", goal: "Make it multiply.", paths: ["src/*.js"], conditions: ["The tests pass."], check: "node --test" },
  { id: "note", goal: "Say so.", paths: ["NOTES.md"], conditions: ["There is a note."], constraints: ["One line."] },
];
const edit = { tool: "edit_file", args: { path: "src/double.js", old: "n + 2", new: "n * 2" } };
const note = { tool: "edit_file", args: { path: "NOTES.md", old: "", new: "It multiplies.\n" } };
const verdict = (holds: boolean) => ({ tool: "report_verdict", args: { holds, findings: [`holds: ${holds}`] } });

type Cast = { lead: PlannedTurn[]; fix: PlannedTurn[]; note: PlannedTurn[]; verify: Record<string, PlannedTurn[]> };

const GOOD: Cast = {
  lead: [{ calls: [{ tool: "delegate", args: { units: UNITS } }] }, { say: "Both are done." }],
  fix: [{ calls: [edit] }, { say: "SECRET THOUGHT of the writer" }],
  note: [{ calls: [note] }, { say: "Noted." }],
  verify: {
    fix: [{ calls: [{ tool: "run_tests", args: {} }] }, { calls: [verdict(true)] }, { say: "It holds." }],
    note: [{ calls: [verdict(true)] }, { say: "It holds." }],
  },
};

const textOf = (body: ReceivedBody): string => JSON.stringify(body.input[0]);

function play(cast: Cast) {
  return (turn: number, body: ReceivedBody): PlannedTurn => {
    const instructions = String(body.instructions);
    const unit = /Unit: (fix|note)/.exec(textOf(body))?.[1];
    const turns = instructions.startsWith("You lead")
      ? cast.lead
      : instructions.startsWith("You check")
        ? (cast.verify[unit ?? ""] ?? [])
        : cast[unit === "fix" ? "fix" : "note"];
    return turns[turn] ?? { say: "?" };
  };
}

const lead = async (cast: Cast) => {
  const { services, peer, request, running } = await startRun(
    memory,
    { answer: play(cast) },
    { keepCopies: "all" },
    { role: "plan", roleModels: { execute: "cheap", verify: "strong" } },
  );
  const result = await running;
  const results = peer.received.flatMap(({ body }) =>
    body.input.flatMap((item) => (item.type === "function_call_output" ? [String(item.output)] : [])),
  );
  const delegated = results.find((output) => output.startsWith("["));
  return { services, peer, request, result, units: delegated === undefined ? [] : JSON.parse(delegated) };
};

it("has units written and verified apart, merges what holds, and shows all of it in one trace", async () => {
  const { peer, result, units } = await lead(GOOD);
  expect(result).toMatchObject({ status: "passed", stop: "answered", turns: 2, spent: { turns: 11 } });
  expect(units).toMatchObject([
    { id: "fix", status: "done", changed: ["src/double.js"], findings: ["holds: true"] },
    { id: "note", status: "done", changed: ["NOTES.md"], summary: "Noted." },
  ]);
  expect(await readFile(join(result.workingCopy, "src/double.js"), "utf8")).toBe(FIXED);
  expect(await readFile(join(result.workingCopy, "NOTES.md"), "utf8")).toBe("It multiplies.\n");

  const of = (role: string) => peer.received.filter(({ headers }) => headers["x-centspan-role"] === role);
  expect(new Set(of("execute").map(({ body }) => body.model))).toEqual(new Set(["cheap"]));
  expect(new Set(of("verify").map(({ body }) => body.model))).toEqual(new Set(["strong"]));
  expect(new Set(peer.received.map(({ headers }) => headers["x-centspan-session"])).size).toBe(5);
  expect(new Set(peer.received.map(({ headers }) => headers["x-centspan-run"]))).toEqual(new Set([result.runId]));
  expect(JSON.stringify(of("verify"))).not.toContain("SECRET THOUGHT");
  expect(new Set(peer.received.map(({ headers }) => headers["idempotency-key"])).size).toBe(11);
  expect(peer.hints.filter((hint) => Object(hint).kind === "subagent_returned")).toHaveLength(4);

  const spans = await memory.spans();
  expect((await memory.traceIds()).size).toBe(1);
  const agents = spans.filter(({ name }) => name.startsWith("invoke_agent"));
  expect(agents.map(({ name, parent }) => [name.replace(/-[0-9a-f]{6}/, ""), parent]).sort()).toEqual([
    ["invoke_agent centspan-repair", null],
    ["invoke_agent fix", "execute_tool delegate"],
    ["invoke_agent fix-verify", "execute_tool delegate"],
    ["invoke_agent note", "execute_tool delegate"],
    ["invoke_agent note-verify", "execute_tool delegate"],
  ]);
});

it("leaves nothing in the package of what a verifier, or the unit's own command, did not find to hold", async () => {
  const { result, units } = await lead({
    ...GOOD,
    fix: [{ say: "I did it." }],
    verify: {
      fix: [{ calls: [verdict(true)] }, { say: "Fine." }],
      note: [{ calls: [verdict(false)] }, { say: "No." }],
    },
  });
  expect(units).toMatchObject([
    { id: "fix", status: "check_failed", findings: [expect.stringContaining("node --test exited with 1")] },
    { id: "note", status: "not_verified", findings: ["holds: false"] },
  ]);
  expect(result.status).toBe("failed");
  await expect(readFile(join(result.workingCopy, "NOTES.md"))).rejects.toThrow("ENOENT");
});

it("keeps a unit to its files, and tells of a unit whose verifier says nothing", async () => {
  const shell = { tool: "run_command", args: { command: "echo changed >> package.json; echo note > NOTES.md" } };
  const { result, units } = await lead({
    ...GOOD,
    fix: [{ calls: [{ ...note, args: { ...note.args, path: "package.json" } }] }, { say: "Refused." }],
    note: [{ calls: [shell] }, { say: "Noted." }],
    verify: { fix: [{ say: "Looks good to me." }], note: [{ calls: [verdict(true)] }, { say: "It holds." }] },
  });
  expect(units).toMatchObject([
    { id: "fix", status: "not_verified", changed: [], findings: ["the verifier gave no verdict (answered)"] },
    {
      id: "note",
      status: "done",
      changed: ["NOTES.md"],
      findings: ["holds: true", expect.stringContaining("package.json was not")],
    },
  ]);
  expect(await readFile(join(result.workingCopy, "package.json"), "utf8")).not.toContain("changed");
});

it("does not take two units by one name, nor what two of them changed alike", async () => {
  const twice = await lead({
    ...GOOD,
    lead: [{ calls: [{ tool: "delegate", args: { units: [UNITS[0], UNITS[0]] } }] }],
  });
  expect(twice.units).toEqual([]);
  const both = UNITS.map((unit) => ({ ...unit, paths: ["NOTES.md"], check: undefined }));
  const other = { ...note, args: { ...note.args, new: "Otherwise.\n" } };
  const { units } = await lead({
    ...GOOD,
    lead: [{ calls: [{ tool: "delegate", args: { units: both } }] }, { say: "Done." }],
    fix: [{ calls: [other] }, { say: "Noted." }],
  });
  expect(units.map(({ status }: { status: string }) => status).sort()).toEqual(["conflict", "done"]);
});
