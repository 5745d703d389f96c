/**
 * What a tool is: a name, a schema and one function from checked arguments to text. One file per tool.
 * Invariant: what the model did wrong comes back to it as an error text that names the argument; what we did wrong throws.
 */
import { CentspanError } from "@centspan/base";
import { z } from "zod";
import type { CutOutput } from "../sandbox/cut-output.ts";

export type ToolContext = {
  /** Real path of the run's working copy. */
  root: string;
  searchPath: string;
  signal: AbortSignal;
};

export type ToolResult = {
  output: CutOutput;
  exitCode?: number;
  tests?: { passed: number; failed: number };
};

export type Tool = {
  name: string;
  description: string;
  /** JSON Schema of the arguments, as sent to the model. */
  parameters: Record<string, unknown>;
  /** Calls that change nothing may run beside each other. */
  readOnly: boolean;
  run(argumentsJson: string, context: ToolContext): Promise<ToolResult>;
};

export function defineTool<S extends z.ZodType>(tool: {
  name: string;
  description: string;
  arguments: S;
  readOnly: boolean;
  run(args: z.infer<S>, context: ToolContext): Promise<ToolResult>;
}): Tool {
  const { $schema: _, ...parameters } = z.toJSONSchema(tool.arguments);
  return {
    name: tool.name,
    description: tool.description,
    parameters,
    readOnly: tool.readOnly,
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
