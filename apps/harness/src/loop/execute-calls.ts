/**
 * Makes the tool calls of one turn. Neighbouring calls that only read run beside each other; a call that may change
 * something runs alone, after what came before it, once it was approved, and from a checkpoint: if a kill cuts it off, the
 * next process makes it again from there.
 */
import { CentspanError } from "@centspan/base";
import { failSpan, setAttributes } from "@centspan/telemetry";
import type { Gate } from "../approval/gate.ts";
import type { Happening } from "../events/event.ts";
import { openUnconfined } from "../sandbox/unconfined.ts";
import type { Checkpoint } from "../task/checkpoint.ts";
import { openToolContext, type RunContext, type Tool, type ToolResult } from "../tools/tool.ts";
import type { FunctionCall } from "../transport/read-turn.ts";
import type { RunSpans } from "./identity.ts";

/** What the calls of a thread are made with. */
export type Execution = {
  findTool(name: string): Tool | undefined;
  context: RunContext;
  spans: RunSpans;
  gate: Gate;
  record(happening: Happening): void;
  checkpoint: Checkpoint;
  /** Of programs that a person lets out of the sandbox. */
  searchPath: string;
  /** Whether calls that only read run beside each other. */
  readsTogether: boolean;
  /** Told when calls take long, so that nothing is asked of the model for a while. */
  onLongWait(): void;
};

/** Calls that are not over by then are likely to take much longer. */
const LONG_WAIT_MS = 2_000;

/** `wasInterrupted` says which calls an earlier process began and did not end. */
export async function executeCalls(
  calls: readonly FunctionCall[],
  execution: Execution,
  wasInterrupted: (callId: string) => boolean,
): Promise<void> {
  const groups = execution.readsTogether ? groupCalls(calls, execution.findTool) : calls.map((call) => [call]);
  const waiting = setTimeout(execution.onLongWait, LONG_WAIT_MS);
  try {
    for (const group of groups) {
      await Promise.all(
        group.map(async (call) => {
          const tool = execution.findTool(call.name);
          const isChecked = tool !== undefined && !tool.readOnly && !tool.resumes;
          const lost = isChecked && !(await startFromCheckpoint(call, execution, wasInterrupted(call.callId)));
          if (lost) return void execution.record(describeLost(call));
          await executeCall(call, execution, { parallel: group.length });
        }),
      );
    }
  } finally {
    clearTimeout(waiting);
  }
}

/** Runs of read-only calls, and every other call by itself. */
export function groupCalls(calls: readonly FunctionCall[], findTool: Execution["findTool"]): FunctionCall[][] {
  const groups: FunctionCall[][] = [];
  let open: FunctionCall[] | null = null;
  for (const call of calls) {
    const reads = findTool(call.name)?.readOnly === true;
    if (reads && open) {
      open.push(call);
      continue;
    }
    const group = [call];
    groups.push(group);
    open = reads ? group : null;
  }
  return groups;
}

/** False where the call was cut off and nothing says how things were before it. */
async function startFromCheckpoint(call: FunctionCall, execution: Execution, wasCutOff: boolean): Promise<boolean> {
  if (wasCutOff) return execution.checkpoint.restore();
  await execution.checkpoint.take();
  execution.record({ type: "tool_started", call });
  return true;
}

const LOST = "the call was cut off; it may have done all, some or none of what it was to do";

const describeLost = (call: FunctionCall): Happening => ({
  type: "tool_done",
  call,
  output: `error: ${LOST}`,
  totalBytes: 0,
  error: "interrupted",
});

/** Makes one call and records how it ended. `within` is the call whose program makes it. */
export function executeCall(
  call: FunctionCall,
  execution: Execution,
  around: { parallel: number; within?: string },
): Promise<ToolResult> {
  const { context, spans, record } = execution;
  const tool = execution.findTool(call.name);
  const attributes = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": call.name,
    "gen_ai.tool.call.id": call.callId,
    "centspan.tool.input_bytes": Buffer.byteLength(call.argumentsJson),
    "centspan.tool.read_only": tool?.readOnly,
    "centspan.tool.parallel": around.parallel,
  };
  const template = tool?.span ?? "execute_tool {name}";
  return spans(template, { subject: call.name, attributes }, async (span) => {
    let refusal: CentspanError | null = null;
    const result: ToolResult = await runTool(call, execution).catch((error: unknown) => {
      // What the model got wrong is an answer to the model; it can do better in its next turn.
      if (!(error instanceof CentspanError)) throw error;
      context.signal.throwIfAborted();
      refusal = error;
      failSpan(span, error);
      const { output } = openToolContext(context, call.callId);
      return { output: output.write(`error: ${error.message}`), refused: true };
    });
    const { output, exitCode, tests, search } = result;
    setAttributes(span, {
      "centspan.tool.output_bytes": output.totalBytes,
      "centspan.tool.sent_bytes": Buffer.byteLength(output.text),
      "centspan.tool.truncated": output.truncated,
      "process.exit.code": exitCode,
      "centspan.tests.passed": tests?.passed,
      "centspan.tests.failed": tests?.failed,
      "centspan.tool_search.candidates": search?.candidates,
      "centspan.tool_search.hits": search?.hits,
    });
    record({
      type: "tool_done",
      call,
      ...(around.within !== undefined && { within: around.within }),
      output: output.text,
      totalBytes: output.totalBytes,
      ...(exitCode !== undefined && { exitCode }),
      ...errorOf(refusal),
    });
    return result;
  });
}

const errorOf = (error: CentspanError | null): { error?: string } => (error === null ? {} : { error: error.code });

async function runTool(call: FunctionCall, execution: Execution): Promise<ToolResult> {
  const { context, gate } = execution;
  const tool = execution.findTool(call.name);
  if (!tool) throw new CentspanError("not_found", `there is no tool ${JSON.stringify(call.name)}`);
  if (tool.readOnly) return tool.run(call.argumentsJson, openToolContext(context, call.callId));
  const asked = { callId: call.callId, tool: call.name };
  const alone = { kind: "tool" as const, text: call.name };
  const subject = tool.subject === undefined ? alone : await tool.subject(call.argumentsJson, context);
  if (subject !== null) await gate.admit(asked, subject);
  const result = await tool.run(call.argumentsJson, openToolContext(context, call.callId));
  const failedInside = subject?.kind === "command" && result.exitCode !== 0 && context.sandbox.kind !== "none";
  if (!failedInside || !(await gate.mayLeaveSandbox(asked, subject))) return result;
  const outside = { ...context, sandbox: openUnconfined(execution.searchPath) };
  return tool.run(call.argumentsJson, openToolContext(outside, call.callId));
}
