/**
 * Executes the tool calls of one turn. Neighbouring calls that only read run beside each other; a call that may change
 * something runs alone, after what came before it. Results keep the order of the calls.
 */
import { CentspanError } from "@centspan/base";
import { failSpan, setAttributes } from "@centspan/telemetry";
import { openToolContext, type RunContext, type Tool, type ToolContext, type ToolResult } from "../tools/tool.ts";
import type { FunctionCall } from "../transport/read-turn.ts";
import type { RunSpans } from "./identity.ts";

export type CallOutput = { type: "function_call_output"; call_id: string; output: string };

export async function executeCalls(
  calls: readonly FunctionCall[],
  tools: readonly Tool[],
  context: RunContext,
  spans: RunSpans,
): Promise<CallOutput[]> {
  const outputs: CallOutput[] = [];
  for (const group of groupCalls(calls, tools)) {
    const done = group.map((call) => executeCall(call, findTool(tools, call), context, spans, group.length));
    outputs.push(...(await Promise.all(done)));
  }
  return outputs;
}

const findTool = (tools: readonly Tool[], call: FunctionCall) => tools.find((tool) => tool.name === call.name);

/** Runs of read-only calls, and every other call by itself. */
export function groupCalls(calls: readonly FunctionCall[], tools: readonly Tool[]): FunctionCall[][] {
  const groups: FunctionCall[][] = [];
  let open: FunctionCall[] | null = null;
  for (const call of calls) {
    const reads = findTool(tools, call)?.readOnly === true;
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

function executeCall(
  call: FunctionCall,
  tool: Tool | undefined,
  context: RunContext,
  spans: RunSpans,
  parallel: number,
): Promise<CallOutput> {
  const attributes = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": call.name,
    "gen_ai.tool.call.id": call.callId,
    "centspan.tool.input_bytes": Buffer.byteLength(call.argumentsJson),
    "centspan.tool.parallel": parallel,
  };
  return spans("execute_tool {name}", { subject: call.name, attributes }, async (span) => {
    const result = await runTool(call, tool, openToolContext(context, call.callId), (error) => failSpan(span, error));
    setAttributes(span, {
      "centspan.tool.output_bytes": result.output.totalBytes,
      "centspan.tool.sent_bytes": Buffer.byteLength(result.output.text),
      "centspan.tool.truncated": result.output.truncated,
      "process.exit.code": result.exitCode,
      "centspan.tests.passed": result.tests?.passed,
      "centspan.tests.failed": result.tests?.failed,
    });
    return { type: "function_call_output", call_id: call.callId, output: result.output.text };
  });
}

/** What the model got wrong is an answer to the model; it can do better in its next turn. */
async function runTool(
  call: FunctionCall,
  tool: Tool | undefined,
  context: ToolContext,
  onRefusal: (error: CentspanError) => void,
): Promise<ToolResult> {
  try {
    if (!tool) throw new CentspanError("not_found", `there is no tool ${JSON.stringify(call.name)}`);
    return await tool.run(call.argumentsJson, context);
  } catch (error) {
    if (!(error instanceof CentspanError)) throw error;
    onRefusal(error);
    return { output: context.output.write(`error: ${error.message}`) };
  }
}
