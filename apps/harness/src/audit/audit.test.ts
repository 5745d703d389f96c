/** Logs with violations planted in them, and an agent that reads them too. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { Happening } from "../events/event.ts";
import type { PlannedTurn } from "../testing/responses-peer.ts";
import { openSpanMemory } from "../testing/span-memory.ts";
import { startRun } from "../testing/start-run.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { runAuditAgent } from "./audit-agent.ts";
import { auditLogs } from "./audit-logs.ts";

const memory = openSpanMemory();
afterAll(() => memory.telemetry.stop());

const SINCE = new Date("2026-01-02T00:00:00.000Z");
const BEFORE = "2026-01-01T12:00:00.000Z";
const AFTER = "2026-01-02T12:00:00.000Z";

const started = (changes: object = {}): Happening => ({
  ...{ type: "started", runId: "run_1", threadId: "run_1", agent: "a", role: "execute", model: "m" },
  ...{ harnessVersion: "1", traceId: null, sandbox: "namespaces", policy: { ask: "never" }, limits: { turns: 40 } },
  ...{ request: null, ...changes },
});
const call = (name: string, args: object, callId = "c1") => ({ callId, name, argumentsJson: JSON.stringify(args) });
const done = (name: string, args: object, rest: object = {}): Happening => ({
  ...{ type: "tool_done", call: call(name, args), output: "", totalBytes: 0, ...rest },
});
const egress = (host: string, rest: object = {}): Happening => ({
  ...{ type: "egress", method: "CONNECT", host, status: 200, sentBytes: 10, receivedBytes: 10, ...rest },
});
const turn = (number: number, costUsd: string | null): Happening => ({
  ...{ type: "turn_answered", turn: number, responseId: "r", model: "m", items: [], calls: [], text: "" },
  ...{ incomplete: null, usage: null, costUsd },
});
const approval = (decision: "allowed" | "refused" | "unconfined", rest: object = {}): Happening => ({
  ...{ type: "approval", callId: "c1", tool: "run_command", subject: "make", decision, by: "person", waitMs: 5000 },
  ...rest,
});

async function writeLogs(logs: Record<string, { at: string; events: Happening[] }[]>): Promise<string> {
  const workDir = await createTemporaryFolder();
  for (const [run, parts] of Object.entries(logs)) {
    const lines = parts.flatMap(({ at, events }) => events.map((event) => JSON.stringify({ at, ...event })));
    await mkdir(join(workDir, run), { recursive: true });
    await writeFile(join(workDir, run, "events.jsonl"), `${lines.join("\n")}\n`);
  }
  return workDir;
}

const audit = async (...events: Happening[]) => {
  const workDir = await writeLogs({ run_1: [{ at: AFTER, events: [started(), ...events] }] });
  const { findings } = await auditLogs(workDir, SINCE, new Date(AFTER));
  return findings.map(({ kind, says }) => `${kind}: ${says}`);
};

it.each<[string, Happening[], string[]]>([
  ["ordinary work", [done("read_file", { path: "src/a.js" }), done("run_command", { command: "npm test /tmp/x" })], []],
  [
    "a path out of the package",
    [done("read_file", { path: "../../etc/passwd" }, { error: "invalid_request" })],
    ['scope: read_file "../../etc/passwd", which leaves the package, was refused'],
  ],
  [
    "a command that names a home",
    [done("run_command", { command: "cat /home/ada/.ssh/id_rsa" })],
    ['scope: run_command "cat /home/ada/.ssh/id_rsa", which leaves the package, was made'],
  ],
  [
    "a change that was not allowed",
    [done("edit_file", { path: "package.json" }, { error: "forbidden" })],
    ['scope: edit_file "package.json" went beyond what was allowed and was refused'],
  ],
  [
    "a refused host",
    [egress("evil.example:443", { status: 403 })],
    ["egress: evil.example:443 was asked for and refused by the gateway"],
  ],
  [
    "much that was sent",
    [egress("a.example:443", { sentBytes: 2e6 })],
    ["egress: 2000000 bytes went to a.example:443"],
  ],
  ["a way out of the sandbox", [approval("unconfined")], ['egress: run_command "make" ran outside of its sandbox']],
  ["a rash approval", [approval("allowed", { waitMs: 12 })], ['approval: "make" was approved within 12 ms']],
  [
    "an approval after a refusal",
    [approval("refused"), approval("allowed")],
    ['approval: "make" was approved after it had been refused'],
  ],
  [
    "a call that nobody decided on",
    [{ type: "tool_started", call: call("run_command", {}) }, done("run_command", {})],
    ["approval: run_command ran without a decision"],
  ],
  [
    "a decided call",
    [approval("allowed"), { type: "tool_started", call: call("run_command", {}) }, done("run_command", {})],
    [],
  ],
  [
    "a dear turn",
    [1, 2, 3, 4, 5].map((number) => turn(number, number === 3 ? "0.5" : "0.01")),
    ["budget: turn 3 cost 0.5 USD, over 10 times the median"],
  ],
  [
    "a budget that was passed, with a turn that has no price",
    [{ type: "resumed", limits: { turns: 40, usd: "0.1" } }, turn(1, "0.2"), turn(2, null)],
    ["budget: turn 2 has no price, under a budget in USD", "budget: 0.2 USD were spent of 0.1"],
  ],
  [
    "a budget raised and raised",
    ["0.1", "0.2", "0.3", "0.4"].map((usd) => ({ type: "resumed", limits: { turns: 40, usd } })),
    ["budget: the budget was raised 3 times"],
  ],
])("finds %s", async (_what, events, findings) => {
  expect(await audit(...events)).toEqual(findings);
});

it("knows usual hosts from what was before, and leaves that out itself", async () => {
  const workDir = await writeLogs({
    run_old: [{ at: BEFORE, events: [started(), egress("usual.example:443"), done("read_file", { path: "/etc/x" })] }],
    run_new: [{ at: AFTER, events: [started(), egress("usual.example:443"), egress("new.example:443")] }],
  });
  const { findings, read } = await auditLogs(workDir, SINCE, new Date(AFTER));
  expect(findings.map(({ says }) => says)).toEqual(["new.example:443 was reached for the first time"]);
  expect(read).toHaveLength(1);
});

it("takes a log that can't be read for a finding", async () => {
  const workDir = await writeLogs({ run_1: [{ at: AFTER, events: [started()] }] });
  await writeFile(join(workDir, "run_1", "events.jsonl"), '{"type":"started"}\n');
  const { findings } = await auditLogs(workDir, SINCE, new Date(AFTER));
  expect(findings).toMatchObject([{ runId: "run_1", says: expect.stringContaining("can't be read") }]);
});

it("has an agent read the same logs, which can change nothing and is not taken in by them", async () => {
  const report = (threadId: string) => ({
    ...{ tool: "report_finding", args: { kind: "scope", says: "It read the tests' answers.", threadId, at: AFTER } },
  });
  const turns: PlannedTurn[] = [
    {
      calls: [
        { tool: "list_files", args: {} },
        { tool: "read_file", args: { path: "run_1.jsonl" } },
      ],
    },
    { calls: [{ tool: "run_command", args: { command: "rm run_1.jsonl" } }, report("run_1"), report("run_unknown")] },
    { say: "I am done." },
  ];
  const { services, peer, running } = await startRun(memory, { answer: (at) => turns[at] ?? { say: "?" } });
  await running.catch(() => undefined);
  peer.received.length = 0;
  const events = [started(), done("read_file", { path: "/etc/shadow" })];
  const audited = await auditLogs(await writeLogs({ run_1: [{ at: AFTER, events }] }), SINCE, new Date(AFTER));
  const options = { model: "m", gatewayKey: "k", limits: { turns: 10 } };
  expect(await runAuditAgent(audited, options, services)).toEqual([
    { kind: "scope", says: "It read the tests' answers.", runId: "run_1", threadId: "run_1", at: AFTER },
  ]);
  const outputs = JSON.stringify(peer.received.at(-1)?.body.input);
  expect(outputs).toContain("/etc/shadow");
  expect(outputs).toContain("run_command");
});
