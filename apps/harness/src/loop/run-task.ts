/**
 * One run, whole: working copy, loop, verification, outcome, spans delivered.
 * Invariant: however the loop ends, the tests are run and their outcome recorded; only an interruption leaves none. What is
 * in the run's folder is enough to go on with it, in this process or another.
 */
import { join } from "node:path";
import { asCentspanError, CentspanError, createId, formatDecimal } from "@centspan/base";
import type { OutcomeStatus } from "@centspan/model";
import { failSpan, setAttributes, type Telemetry, writeTraceContext } from "@centspan/telemetry";
import { isSpanContextValid, type Span } from "@opentelemetry/api";
import type { AskPerson } from "../approval/gate.ts";
import { type Budget, createBudget, type Spending } from "../budget/budget.ts";
import { createRunProgram } from "../code-mode/run-program.ts";
import { describeTask, INSTRUCTIONS } from "../context/instructions.ts";
import { type EventLog, readEventLog } from "../events/event-log.ts";
import { countActiveSeconds, findOutcome } from "../events/read-run.ts";
import type { LibraryDocument } from "../library/read-library.ts";
import type { Mechanisms } from "../mechanisms.ts";
import { describeRunFolder, listEventLogs, listUnitCopies, type RunFolder } from "../run/run-folder.ts";
import { openEgressRelay } from "../sandbox/egress-relay.ts";
import type { EgressDoor, Sandbox } from "../sandbox/sandbox.ts";
import type { Crew } from "../subagents/crew.ts";
import { createDelegate } from "../subagents/delegate.ts";
import { LEAD_INSTRUCTIONS } from "../subagents/instructions.ts";
import { readCheckout } from "../task/read-checkout.ts";
import { createWorkingCopy, removeFolder } from "../task/working-copy.ts";
import type { ToolServer } from "../tools/mcp/connect-server.ts";
import { TOOLS } from "../tools/registry.ts";
import type { ResponsesClient } from "../transport/responses-client.ts";
import { readEvidence } from "../verify/read-evidence.ts";
import type { OutcomeRecorder, OutcomeSubject } from "../verify/record-outcome.ts";
import { verifyTask } from "../verify/verify-task.ts";
import type { Execution } from "./execute-calls.ts";
import { createRunSpans, identityHeaders, type RunIdentity, type RunSpans } from "./identity.ts";
import { type AgentServices, noteSpending, openThreadLog, runAgent } from "./run-agent.ts";
import { type RunRequest, writeRequest } from "./run-request.ts";
import type { LoopResult, TurnProgress } from "./run-turns.ts";

const AGENT = "centspan-repair";

export type RunServices = {
  telemetry: Pick<Telemetry, "tracer" | "flush">;
  client: ResponsesClient;
  outcomes: OutcomeRecorder;
  gatewayUrl: string;
  workDir: string;
  searchPath: string;
  version: string;
  /** Whose working copies stay: nobody's, those of runs that can go on, or everybody's. */
  keepCopies: "none" | "unfinished" | "all";
  openSandbox(egress: EgressDoor | null): Promise<Sandbox>;
  mechanisms: Mechanisms;
  windowTokens: number;
  servers: readonly ToolServer[];
  documents: readonly LibraryDocument[];
  person: AskPerson;
  takeSteering(): readonly string[];
  report(progress: TurnProgress): void;
  /** Told as soon as there is something that can be gone on with. */
  onStart(runId: string): void;
  signal: AbortSignal;
};

export type RunResult = {
  runId: string;
  /** Null where no telemetry is set up. */
  traceId: string | null;
  status: OutcomeStatus;
  stop: LoopResult["stop"] | "failed";
  turns: number;
  finalText: string;
  workingCopy: string;
  sandbox: Sandbox["kind"];
  /** At list prices, over all threads and processes of the run. */
  spent: Omit<Spending, "usd"> & { usd: string };
  /** What kept the loop from its end, or the outcome or the spans from being recorded. */
  errors: CentspanError[];
};

/** A run under way. */
type Run = {
  request: RunRequest;
  services: RunServices;
  identity: RunIdentity;
  folder: RunFolder;
  log: EventLog;
  budget: Budget;
  spans: RunSpans;
};

/** Starts a run, or goes on with the one whose id is given. */
export async function runTask(request: RunRequest, services: RunServices, resume?: string): Promise<RunResult> {
  const runId = resume ?? createId("run");
  const folder = describeRunFolder(join(services.workDir, runId));
  const identity = identify(request, runId, services.version);
  const log = openThreadLog(folder);
  try {
    services.onStart(runId);
    const secondsBefore = countActiveSeconds(log.events);
    const budget = createBudget({ threadId: runId, limits: request.limits, secondsBefore });
    await noteEarlierThreads(folder, budget);
    const spans = createRunSpans(services.telemetry.tracer, identity);
    return await workOn({ request, services, identity, folder, log, budget, spans });
  } finally {
    log.close();
  }
}

/** What sub-agents of an earlier process used counts in this one too. */
async function noteEarlierThreads(folder: RunFolder, budget: Budget): Promise<void> {
  for (const file of await listEventLogs(folder.path)) {
    const events = readEventLog(file);
    const [first] = events;
    if (first?.type !== "started") continue;
    for (const event of events) noteSpending(event, first.threadId, budget);
  }
}

async function workOn(run: Run): Promise<RunResult> {
  const { services, identity, folder, log, budget } = run;
  const [first] = log.events;
  const traceId = first?.type === "started" ? first.traceId : null;
  const attributes = {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": AGENT,
    "gen_ai.request.model": run.request.model,
    "centspan.budget.usd": budget.limits.usd,
    "centspan.run.resumed": first === undefined ? undefined : true,
    ...(await readCheckout(run.request.task, services.searchPath)),
  };
  const options = { subject: AGENT, attributes, ...(traceId !== null && { traceId }) };
  let mayGoOn = true;
  try {
    const result = await run.spans("invoke_agent {agent}", options, async (root) => {
      const done = await runUnderSpan(run, root);
      setAttributes(root, {
        "centspan.run.turns": done.turns,
        "centspan.run.stop": done.stop,
        "centspan.run.spent_usd": done.spent.usd,
        "centspan.outcome.status": done.status,
      });
      if (done.errors[0]) failSpan(root, done.errors[0]);
      return done;
    });
    mayGoOn = result.stop !== "answered";
    return { ...result, errors: [...result.errors, ...(await deliverSpans(services.telemetry))] };
  } finally {
    services.client.hint({ kind: "run_ended", runId: identity.runId }, run.request.gatewayKey);
    const isKept = services.keepCopies === "all" || (services.keepCopies === "unfinished" && mayGoOn);
    if (!isKept)
      await Promise.all(
        [folder.copy, folder.before, folder.outputs, ...(await listUnitCopies(folder))].map(removeFolder),
      );
  }
}

async function runUnderSpan(run: Run, root: Span): Promise<RunResult> {
  const { request, services, identity, folder, log, budget } = run;
  const traceId = traceIdOf(root);
  const outcome = findOutcome(log.events);
  if (log.events.length === 0) await createWorkingCopy(request.task, folder.copy);
  const relay = request.egress ? await openRelay(run, root) : null;
  try {
    const sandbox = await services.openSandbox(relay && { folder: relay.folder, standIns: request.standIns });
    const loop = await runLoop(run, sandbox, traceId);
    const subject = { taskId: identity.taskId, runId: identity.runId, traceId };
    // What an earlier process judged is judged.
    const isJudged = outcome !== null && loop.stop === "answered";
    const judged = isJudged ? { status: outcome, errors: [] } : await judge(run, sandbox, subject);
    if (!isJudged) log.append({ type: "judged", status: judged.status });
    const { usd, ...spent } = budget.spent();
    return {
      ...loop,
      runId: identity.runId,
      traceId,
      status: judged.status,
      workingCopy: folder.copy,
      sandbox: sandbox.kind,
      spent: { usd: formatDecimal(usd), ...spent },
      errors: [...loop.errors, ...judged.errors],
    };
  } finally {
    await relay?.close();
  }
}

const openRelay = ({ request, services, identity, log }: Run, root: Span) =>
  openEgressRelay({
    gatewayUrl: services.gatewayUrl,
    gatewayKey: request.gatewayKey,
    headers: { ...identityHeaders(identity), ...writeTraceContext(root) },
    onPassage: (passage) => void log.append({ type: "egress", ...passage }),
  });

async function deliverSpans(telemetry: RunServices["telemetry"]): Promise<CentspanError[]> {
  try {
    await telemetry.flush();
    return [];
  } catch (error) {
    return [new CentspanError("store_unavailable", `the run's spans were not delivered: ${String(error)}`)];
  }
}

const traceIdOf = (span: Span): string | null =>
  isSpanContextValid(span.spanContext()) ? span.spanContext().traceId : null;

const identify = (request: RunRequest, runId: string, harnessVersion: string): RunIdentity => ({
  runId,
  threadId: runId,
  taskId: request.taskId,
  taskType: request.task.type,
  taskTitle: request.task.title,
  repository: request.task.repository,
  role: request.role,
  attempt: request.attempt,
  harnessVersion,
});

type LoopOutcome = Pick<RunResult, "stop" | "turns" | "finalText" | "errors">;

async function runLoop(run: Run, sandbox: Sandbox, traceId: string | null): Promise<LoopOutcome> {
  const { request, services, identity, folder, budget } = run;
  const shared = { ...services, gatewayKey: request.gatewayKey, sandbox };
  const agent = {
    name: AGENT,
    identity,
    model: request.model,
    instructions: request.role === "plan" ? LEAD_INSTRUCTIONS : INSTRUCTIONS,
    firstMessage: describeTask(request.task),
    policy: request.policy,
    folder,
    request: writeRequest(request),
    traceId,
    createTools: (execution: Execution) => [
      ...TOOLS,
      createRunProgram(execution),
      ...(request.role === "plan" ? [createDelegate(describeCrew(run, shared, traceId))] : []),
    ],
  };
  try {
    return { ...(await runAgent(agent, run, shared)), errors: [] };
  } catch (error) {
    services.signal.throwIfAborted();
    const { turns } = budget.spent();
    return { stop: "failed", turns, finalText: "", errors: [asCentspanError(error)] };
  }
}

const describeCrew = (run: Run, services: AgentServices, traceId: string | null): Crew => {
  const { identity, folder, budget } = run;
  const { model, roleModels, policy } = run.request;
  const models = { plan: model, execute: model, verify: model, ...roleModels };
  const createSpans = (of: RunIdentity): RunSpans => createRunSpans(run.services.telemetry.tracer, of);
  return { identity, folder, policy, budget, traceId, models, services, createSpans };
};

/** Runs the original tests and records what they say. */
async function judge(
  { request, services, spans, folder }: Run,
  sandbox: Sandbox,
  subject: OutcomeSubject,
): Promise<Pick<RunResult, "status" | "errors">> {
  const { workDir, signal } = services;
  const attributes = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "verify_tests" };
  try {
    const evidence = await spans("execute_tool {name}", { subject: "verify_tests", attributes }, async (span) => {
      const result = await verifyTask({ task: request.task, workingCopy: folder.copy, workDir, sandbox, signal });
      const { passed, failed } = readEvidence(result).evidence;
      setAttributes(span, {
        "process.exit.code": result.exitCode,
        "centspan.tests.passed": typeof passed === "number" ? passed : undefined,
        "centspan.tests.failed": typeof failed === "number" ? failed : undefined,
      });
      return result;
    });
    return { status: await services.outcomes.record(subject, evidence, signal), errors: [] };
  } catch (error) {
    signal.throwIfAborted();
    return { status: "unknown", errors: [asCentspanError(error)] };
  }
}
