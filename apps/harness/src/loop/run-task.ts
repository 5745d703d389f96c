/**
 * One run, whole: working copy, loop, verification, outcome, spans delivered.
 * Invariant: however the loop ends, the tests are run and their outcome recorded; only an interruption leaves none.
 */
import { join } from "node:path";
import { asCentspanError, CentspanError, createId } from "@centspan/base";
import type { OutcomeStatus } from "@centspan/model";
import { failSpan, setAttributes, type Telemetry } from "@centspan/telemetry";
import { isSpanContextValid, type Span } from "@opentelemetry/api";
import { describeTask } from "../context/instructions.ts";
import { TOOL_OUTPUT_TOKENS } from "../sandbox/cut-output.ts";
import type { Task } from "../task/load-task.ts";
import { createWorkingCopy, removeFolder } from "../task/working-copy.ts";
import { TOOLS } from "../tools/registry.ts";
import type { ResponsesClient } from "../transport/responses-client.ts";
import { readEvidence } from "../verify/read-evidence.ts";
import type { OutcomeRecorder, OutcomeSubject } from "../verify/record-outcome.ts";
import { verifyTask } from "../verify/verify-task.ts";
import { createRunSpans, type Role, type RunIdentity, type RunSpans } from "./identity.ts";
import { type LoopResult, runTurns } from "./run-turns.ts";

const AGENT = "centspan-repair";
const MAX_TURNS = 40;

export type RunRequest = {
  task: Task;
  /** The ticket that the work is booked on. */
  taskId: string;
  model: string;
  attempt: number;
  role: Role;
  gatewayKey: string;
};

export type RunServices = {
  telemetry: Pick<Telemetry, "tracer" | "flush">;
  client: ResponsesClient;
  outcomes: OutcomeRecorder;
  workDir: string;
  searchPath: string;
  version: string;
  keepWorkingCopies: boolean;
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
  /** What kept the loop from its end, or the outcome or the spans from being recorded. */
  errors: CentspanError[];
};

export async function runTask(request: RunRequest, services: RunServices): Promise<RunResult> {
  const identity = identify(request, services.version);
  const spans = createRunSpans(services.telemetry.tracer, identity);
  const directory = join(services.workDir, identity.runId);
  const attributes = {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": AGENT,
    "gen_ai.request.model": request.model,
  };
  try {
    const result = await spans("invoke_agent {agent}", { subject: AGENT, attributes }, async (root) => {
      const workingCopy = await createWorkingCopy(request.task, directory);
      const loop = await runLoop(request, services, identity, spans, workingCopy);
      const traceId = traceIdOf(root);
      const subject = { taskId: identity.taskId, runId: identity.runId, traceId };
      const judged = await judge(request, services, spans, workingCopy, subject);
      const errors = [...loop.errors, ...judged.errors];
      setAttributes(root, { "centspan.run.turns": loop.turns, "centspan.outcome.status": judged.status });
      if (errors[0]) failSpan(root, errors[0]);
      return { ...loop, runId: identity.runId, traceId, status: judged.status, workingCopy, errors };
    });
    return { ...result, errors: [...result.errors, ...(await deliverSpans(services.telemetry))] };
  } finally {
    if (!services.keepWorkingCopies) await Promise.all([directory, `${directory}.outputs`].map(removeFolder));
  }
}

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

const identify = (request: RunRequest, harnessVersion: string): RunIdentity => ({
  runId: createId("run"),
  taskId: request.taskId,
  taskType: request.task.type,
  taskTitle: request.task.title,
  repository: request.task.repository,
  role: request.role,
  attempt: request.attempt,
  harnessVersion,
});

type LoopOutcome = Pick<RunResult, "stop" | "turns" | "finalText" | "errors">;

async function runLoop(
  request: RunRequest,
  services: RunServices,
  identity: RunIdentity,
  spans: RunSpans,
  root: string,
): Promise<LoopOutcome> {
  let turns = 0;
  try {
    const options = {
      identity,
      spans,
      model: request.model,
      firstMessage: describeTask(request.task),
      tools: TOOLS,
      toolContext: {
        root,
        searchPath: services.searchPath,
        outputsDir: `${root}.outputs`,
        outputTokens: TOOL_OUTPUT_TOKENS,
        signal: services.signal,
      },
      client: services.client,
      gatewayKey: request.gatewayKey,
      maxTurns: MAX_TURNS,
    };
    const result = await runTurns(options, (turn) => {
      turns = turn;
    });
    return { ...result, errors: [] };
  } catch (error) {
    services.signal.throwIfAborted();
    return { stop: "failed", turns, finalText: "", errors: [asCentspanError(error)] };
  } finally {
    services.client.hint({ kind: "run_ended", runId: identity.runId }, request.gatewayKey);
  }
}

/** Runs the original tests and records what they say. */
async function judge(
  request: RunRequest,
  services: RunServices,
  spans: RunSpans,
  workingCopy: string,
  subject: OutcomeSubject,
): Promise<Pick<RunResult, "status" | "errors">> {
  const { workDir, searchPath, signal } = services;
  const attributes = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "verify_tests" };
  try {
    const evidence = await spans("execute_tool {name}", { subject: "verify_tests", attributes }, async (span) => {
      const result = await verifyTask({ task: request.task, workingCopy, workDir, searchPath, signal });
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
