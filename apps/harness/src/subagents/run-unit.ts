/**
 * One unit, from its own copy of the package to the lead's: somebody writes, somebody else who knows nothing of the
 * writer's context verifies, a command checks where one was named, and only then is anything merged.
 */
import { rename } from "node:fs/promises";
import { join } from "node:path";
import type { Execution } from "../loop/execute-calls.ts";
import type { Role } from "../loop/identity.ts";
import { type Agent, openThreadLog, runAgent } from "../loop/run-agent.ts";
import { describeRunFolder, describeUnitFolder, type RunFolder } from "../run/run-folder.ts";
import { copyFolder } from "../task/copy-folder.ts";
import { fileExists, removeFolder } from "../task/working-copy.ts";
import { TOOLS } from "../tools/registry.ts";
import type { Tool } from "../tools/tool.ts";
import type { Crew } from "./crew.ts";
import { describeUnit, describeWork, VERIFIER_INSTRUCTIONS, WRITER_INSTRUCTIONS } from "./instructions.ts";
import { listChanges, mergeChanges } from "./merge.ts";
import { readVerdict, reportVerdict, type Verdict } from "./report-verdict.ts";
import type { Unit, UnitResult } from "./unit.ts";

const CHECK_LIMIT_MS = 120_000;
const VERIFIER_TURNS = 20;

/** `name` tells its folder and threads from those of other units of the run, the same after a kill. */
export async function runUnit(unit: Unit, name: string, crew: Crew): Promise<UnitResult> {
  const folder = describeUnitFolder(crew.folder, name);
  const base = join(folder.path, "base");
  await copyOnce(crew.folder.copy, base);
  await copyOnce(base, folder.copy);
  const written = await runThread(crew, {
    ...{ name, folder, role: "execute", instructions: WRITER_INSTRUCTIONS, firstMessage: describeUnit(unit) },
    policy: { ...crew.policy, paths: unit.paths },
    maxTurns: unit.maxTurns,
    createTools: () => TOOLS,
  });
  const changed = await listChanges(base, folder.copy);
  const result = { id: unit.id, summary: written.finalText, changed };
  if (written.stop !== "answered") return { ...result, status: "stopped", findings: [`it stopped: ${written.stop}`] };
  const verdict = await verify(unit, name, folder, changed, crew);
  if (!verdict.holds) return { ...result, status: "not_verified", findings: verdict.findings };
  const failure = await check(unit, folder, crew);
  if (failure !== null) return { ...result, status: "check_failed", findings: [failure] };
  const merge = await mergeChanges({ base, from: folder.copy, into: crew.folder.copy }, unit.paths);
  const outside = merge.outside.map((path) => `${path} was not its to change and is left out`);
  if (merge.conflicts.length === 0) {
    return { ...result, status: "done", changed: merge.merged, findings: [...verdict.findings, ...outside] };
  }
  const conflicts = merge.conflicts.map((path) => `${path} was changed by somebody else meanwhile`);
  return { ...result, status: "conflict", findings: [...conflicts, ...outside] };
}

/** The verifier's copy is its own: what it tries out changes nothing. */
async function verify(
  unit: Unit,
  name: string,
  written: RunFolder,
  changed: readonly string[],
  crew: Crew,
): Promise<Verdict> {
  const folder = describeRunFolder(join(written.path, "verify"));
  await copyOnce(written.copy, folder.copy);
  const ended = await runThread(crew, {
    ...{ name: `${name}-verify`, folder, role: "verify", instructions: VERIFIER_INSTRUCTIONS },
    firstMessage: describeWork(unit, changed),
    policy: { ...crew.policy, paths: [] },
    maxTurns: VERIFIER_TURNS,
    createTools: () => [...TOOLS.filter(({ name: tool }) => tool !== "edit_file"), reportVerdict],
  });
  return readVerdict(ended.events) ?? { holds: false, findings: [`the verifier gave no verdict (${ended.stop})`] };
}

type Thread = Pick<Agent, "name" | "folder" | "instructions" | "firstMessage" | "policy"> & {
  role: Role;
  maxTurns: number;
  createTools(execution: Execution): readonly Tool[];
};

async function runThread(crew: Crew, thread: Thread) {
  const identity = { ...crew.identity, threadId: `${crew.identity.runId}.${thread.name}`, role: thread.role };
  const model = crew.models[thread.role];
  const spans = crew.createSpans(identity);
  const budget = crew.budget.share(identity.threadId, { turns: thread.maxTurns });
  const log = openThreadLog(thread.folder);
  const attributes = {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": thread.name,
    "gen_ai.request.model": model,
  };
  try {
    const agent = { ...thread, identity, model, request: null, traceId: crew.traceId };
    const run = { budget, spans, log };
    const ended = await spans("invoke_agent {agent}", { subject: thread.name, attributes }, () =>
      runAgent(agent, run, { ...crew.services, servers: [], documents: [], takeSteering: () => [] }),
    );
    return { ...ended, events: log.events };
  } finally {
    log.close();
    const { client, gatewayKey } = crew.services;
    client.hint({ kind: "subagent_returned", runId: identity.runId, threadId: identity.threadId }, gatewayKey);
  }
}

/** Says what is wrong where the unit's command doesn't succeed. */
async function check(unit: Unit, { copy }: RunFolder, { services }: Crew): Promise<string | null> {
  if (unit.check === undefined) return null;
  const options = { folder: copy, cwd: copy, timeLimitMs: CHECK_LIMIT_MS, signal: services.signal };
  const { exitCode, output } = await services.sandbox.run("sh", ["-c", unit.check], options);
  return exitCode === 0 ? null : `${unit.check} exited with ${exitCode}:\n${output.text}`;
}

/** A kill leaves no half of a copy. */
async function copyOnce(from: string, to: string): Promise<void> {
  if (await fileExists(to)) return;
  const draft = `${to}.new`;
  await removeFolder(draft);
  await copyFolder(from, draft);
  await rename(draft, to);
}
