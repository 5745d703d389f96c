/**
 * `scripted-tools`: a trial for any agent. It calls the agent's own tools, a shell where there is one, twice in a
 * conversation, then says what they answered. It understands nothing: arguments are made from the tool's schema.
 */
import type { Conversation, ToolDefinition } from "@centspan/model";
import { z } from "zod";
import { type PlayedTurn, type Player, say } from "./player.ts";

const CALLS = 2;
/** What agents call a tool that runs a command, best first. */
const SHELLS = ["exec_command", "shell_command", "shell", "Bash", "bash", "run_command", "run_tests", "terminal"];

export const anyToolsPlayer: Player = { model: "scripted-tools", answer };

function answer({ items, tools }: Conversation): PlayedTurn {
  const made = items.filter((item) => item.type === "tool_call").length;
  const tool = SHELLS.flatMap((name) => tools.find((one) => one.name === name) ?? [])[0] ?? tools[0];
  if (tool === undefined) return say("I am a scripted model: I was given no tools, so there is nothing for me to do.");
  if (made < CALLS) {
    const argumentsJson = JSON.stringify(fillIn(readSchema(tool), made + 1));
    return { reasoning: "", text: "", toolCalls: [{ name: tool.name, argumentsJson }] };
  }
  const outputs = items.flatMap((item) => (item.type === "tool_result" ? [item.output.trim().slice(0, 200)] : []));
  return say(`I called ${tool.name} ${CALLS} times. It answered:\n${outputs.slice(-CALLS).join("\n")}`);
}

const typeSchema = z.union([z.string(), z.array(z.string()).transform(([first]) => first)]);
const schemaOf = z.looseObject({
  type: typeSchema.optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  minimum: z.number().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
});

function readSchema({ parametersJson }: ToolDefinition): unknown {
  try {
    return JSON.parse(parametersJson);
  } catch {
    return { type: "object" };
  }
}

/** A value that fits the schema, as far as that goes without trying. `name` is the member's that it is for. */
function fillIn(schema: unknown, turn: number, name = ""): unknown {
  const read = schemaOf.safeParse(schema).data ?? {};
  if (read.const !== undefined) return read.const;
  if (read.enum !== undefined) return read.enum[0];
  const command = `echo step ${turn}`;
  switch (read.type) {
    case "integer":
    case "number":
      return read.minimum ?? 1;
    case "boolean":
      return false;
    case "array":
      return /^(command|cmd)$/.test(name) ? ["sh", "-c", command] : [];
    case "object": {
      const properties = read.properties ?? {};
      const wanted = read.required ?? Object.keys(properties).slice(0, 1);
      return Object.fromEntries(wanted.map((member) => [member, fillIn(properties[member], turn, member)]));
    }
    default:
      return /^(command|cmd|script)$/.test(name) ? command : `step ${turn}`;
  }
}
