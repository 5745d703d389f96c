/**
 * What a tool is: a name, a schema and one function from checked arguments to text. One file per tool.
 * Invariant: what the model did wrong comes back to it as an error text that names the argument; what we did wrong throws.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { CentspanError } from "@centspan/base";
import type { SpanTemplate } from "@centspan/telemetry";
import { z } from "zod";
import type { ApprovalSubject } from "../approval/policy.ts";
import { type CutOutput, createOutputBuffer, type OutputBuffer } from "../sandbox/cut-output.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";

/** What the tools of one run share. */
export type RunContext = {
  /** Real path of the run's working copy. */
  root: string;
  sandbox: Sandbox;
  /** Where outputs that are cut are kept whole, outside of the working copy. */
  outputsDir: string;
  /** Longest output that is shown whole. */
  outputTokens: number;
  signal: AbortSignal;
};

export type ToolContext = RunContext & {
  callId: string;
  /** Takes what the call puts out, cuts it to what is shown, and keeps the rest. */
  output: OutputBuffer;
};

export function openToolContext(context: RunContext, callId: string): ToolContext {
  const kept = { id: callId, file: keptFileOf(context.outputsDir, callId) };
  return { ...context, callId, output: createOutputBuffer({ limitTokens: context.outputTokens, kept }) };
}

/** Ids come from the model's server, so they are no names of files. */
export const keptFileOf = (outputsDir: string, callId: string): string =>
  join(outputsDir, createHash("sha256").update(callId).digest("hex").slice(0, 32));

export type ToolResult = {
  output: CutOutput;
  /** The call was not made, or failed; the output says why. */
  refused?: boolean;
  exitCode?: number;
  tests?: { passed: number; failed: number };
  search?: { candidates: number; hits: number };
};

export type Tool = {
  name: string;
  description: string;
  /** JSON Schema of the arguments, as sent to the model. */
  parameters: Record<string, unknown>;
  /** Calls that change nothing may run beside each other. */
  readOnly: boolean;
  /** Its span, where it has one of its own. */
  span?: SpanTemplate;
  /** Keeps its own state across a kill: made again, it goes on where it was. */
  resumes?: boolean;
  /** What the call would touch, for the approval policy; the tool alone where it doesn't say, null where it is nothing. */
  subject?(argumentsJson: string, context: RunContext): Promise<ApprovalSubject | null>;
  run(argumentsJson: string, context: ToolContext): Promise<ToolResult>;
};

export function defineTool<S extends z.ZodType>(tool: {
  name: string;
  description: string;
  arguments: S;
  readOnly: boolean;
  span?: SpanTemplate;
  resumes?: boolean;
  subject?(args: z.infer<S>, context: RunContext): ApprovalSubject | null | Promise<ApprovalSubject>;
  run(args: z.infer<S>, context: ToolContext): Promise<ToolResult>;
}): Tool {
  const { $schema: _, ...parameters } = z.toJSONSchema(tool.arguments);
  const { subject } = tool;
  return {
    name: tool.name,
    description: tool.description,
    parameters,
    readOnly: tool.readOnly,
    ...(tool.span && { span: tool.span }),
    ...(tool.resumes && { resumes: true }),
    ...(subject && {
      subject: async (argumentsJson, context) => subject(parseArguments(tool.arguments, argumentsJson), context),
    }),
    run: (argumentsJson, context) => tool.run(parseArguments(tool.arguments, argumentsJson), context),
  };
}

function parseArguments<S extends z.ZodType>(schema: S, json: string): z.infer<S> {
  let value: unknown;
  try {
    value = JSON.parse(json === "" ? "{}" : json);
  } catch (error) {
    throw new CentspanError("invalid_request", "arguments: not valid JSON", { field: "arguments", cause: error });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join(".") || "arguments"}: ${issue.message}`);
  throw new CentspanError("invalid_request", problems.join("; "), { field: "arguments" });
}
